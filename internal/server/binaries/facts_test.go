package binaries_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/server/binaries"
)

func TestDescribe(t *testing.T) {
	dir := fakeBuild(t, t.TempDir(), "16.14")
	b := pgassay.Build{BinDir: dir}
	got, err := binaries.Describe(t.Context(), b)
	if err != nil || got.Configure != "" {
		t.Errorf("without pg_config: got %+v, %v", got, err)
	}
	script(t, filepath.Join(dir, "pg_config"), `case $1 in --configure) echo " '--with-lz4' '--with-llvm'";; --cflags) echo "-O2 -g";; esac`)
	got, err = binaries.Describe(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	want := pgassay.Build{BinDir: dir, Configure: "'--with-lz4' '--with-llvm' CFLAGS=-O2 -g", JIT: true, LZ4: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFactsFromSettings with the enumerations of real versions.
func TestFactsFromSettings(t *testing.T) {
	enum := func(name string, values ...string) pgassay.SettingState {
		return pgassay.SettingState{Name: name, VarType: "enum", EnumValues: values}
	}
	version := func(v string) pgassay.SettingState { return pgassay.SettingState{Name: "server_version", Setting: v} }
	tests := []struct {
		name     string
		settings []pgassay.SettingState
		jit      bool
		want     pgassay.Build
	}{
		{"Debian's 15 has all", []pgassay.SettingState{version("15.18 (Debian 15.18-0+deb12u1)"), enum("wal_compression", "pglz", "lz4", "zstd", "on", "off"), enum("default_toast_compression", "pglz", "lz4")}, true,
			pgassay.Build{Version: "15.18", VersionNum: 150018, Major: 15, JIT: true, LZ4: true, Zstd: true}},
		{"14 shows lz4 by TOAST only", []pgassay.SettingState{version("14.23"), {Name: "wal_compression", VarType: "bool"}, enum("default_toast_compression", "pglz", "lz4")}, false,
			pgassay.Build{Version: "14.23", VersionNum: 140023, Major: 14, LZ4: true}},
		{"a small build of 18", []pgassay.SettingState{version("18.4"), enum("wal_compression", "pglz", "on", "off"), enum("default_toast_compression", "pglz"), enum("io_method", "sync", "worker")}, false,
			pgassay.Build{Version: "18.4", VersionNum: 180004, Major: 18, IOMethods: []string{"sync", "worker"}}},
	}
	for _, tt := range tests {
		got := pgassay.Build{LZ4: true, Zstd: true} // what was believed before
		binaries.FactsFromSettings(&got, tt.settings, "PostgreSQL on x", tt.jit)
		tt.want.VersionString, tt.want.Complete = "PostgreSQL on x", true
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestRealBuilds: every build that tests run with is understood.
func TestRealBuilds(t *testing.T) {
	labtest.BinDir(t, 0)
	for _, major := range labtest.Majors() {
		builds, err := binaries.Find(t.Context(), binaries.Options{PgBin: labtest.BinDir(t, major)})
		if err != nil {
			t.Fatal(err)
		}
		if len(builds) != 1 || builds[0].Major != major || builds[0].VersionNum/10000 != major {
			t.Errorf("PostgreSQL %d: got %+v", major, builds)
		}
		if _, err := binaries.Describe(t.Context(), builds[0]); err != nil {
			t.Error(err)
		}
	}
}
