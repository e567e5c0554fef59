package binaries_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server/binaries"
)

// script writes an executable shell script.
func script(t *testing.T, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// fakeBuild makes a directory of binaries that says to be of a version.
func fakeBuild(t *testing.T, dir, version string) string {
	t.Helper()
	script(t, filepath.Join(dir, "postgres"), `[ "$1" = --version ] && echo "postgres (PostgreSQL) `+version+`"`)
	script(t, filepath.Join(dir, "initdb"), "exit 0")
	return dir
}

func envOf(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	in := func(path string) string { return filepath.Join(root, path) }
	fakeBuild(t, in("/usr/lib/postgresql/9.6/bin"), "9.6.24")
	deb15 := fakeBuild(t, in("/usr/lib/postgresql/15/bin"), "15.18 (Debian 15.18-0+deb12u1)")
	fakeBuild(t, in("/usr/lib/postgresql/17/bin"), "17.10 (Ubuntu 17.10-1.pgdg22.04+1)")
	fakeBuild(t, in("/usr/pgsql-16/bin"), "16.14")
	fakeBuild(t, in("/opt/homebrew/opt/postgresql@18/bin"), "18beta1")
	script(t, in("/usr/lib/postgresql/14/bin/postgres"), "echo not today >&2; exit 1") // broken
	script(t, in("/usr/lib/postgresql/14/bin/initdb"), "exit 0")
	script(t, in("/usr/lib/postgresql/13/bin/postgres"), `echo "postgres (PostgreSQL) 13.1"`) // no initdb
	own := fakeBuild(t, in("/home/me/pg/bin"), "19devel")
	script(t, in("/home/me/pg/bin/pg_config"), "echo "+own)
	// A directory of PATH that leads to Debian's programs is no second build.
	if err := os.MkdirAll(in("/usr/bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"postgres", "initdb"} {
		if err := os.Symlink(filepath.Join(deb15, p), in("/usr/bin/"+p)); err != nil {
			t.Fatal(err)
		}
	}
	onPath := fakeBuild(t, in("/elsewhere"), "16.1")
	fakeBuild(t, in("/cache/builds/16.14-linux-x64/bin"), "16.14")
	fakeBuild(t, in("/cache/builds/.fetch-1/bin"), "16.14") // half fetched
	env := envOf(map[string]string{"PG_CONFIG": in("/home/me/pg/bin/pg_config"), "PATH": strings.Join([]string{in("/usr/bin"), ".", onPath}, ":")})

	builds, err := binaries.Find(t.Context(), binaries.Options{Env: env, Root: root, CacheDir: in("/cache")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range builds {
		got = append(got, fmt.Sprint(b.Origin, " ", b.Version, " ", b.VersionNum, " ", strings.TrimPrefix(b.BinDir, root)))
	}
	want := []string{
		"pg_config 19devel 190000 /home/me/pg/bin",
		"debian 17.10 170010 /usr/lib/postgresql/17/bin",
		"debian 15.18 150018 /usr/lib/postgresql/15/bin",
		"debian 9.6 90006 /usr/lib/postgresql/9.6/bin",
		"pgdg 16.14 160014 /usr/pgsql-16/bin",
		"homebrew 18beta1 180000 /opt/homebrew/opt/postgresql@18/bin",
		"path 16.1 160001 /elsewhere",
		"npm 16.14 160014 /cache/builds/16.14-linux-x64/bin",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("builds (-want +got):\n%s", diff)
	}
}

// TestPgBin: the user's own choice is the only one, in any of three forms.
func TestPgBin(t *testing.T) {
	dir := fakeBuild(t, filepath.Join(t.TempDir(), "pg", "bin"), "16.14")
	for _, path := range []string{dir, filepath.Dir(dir), filepath.Join(dir, "postgres")} {
		builds, err := binaries.Find(t.Context(), binaries.Options{PgBin: path})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(builds) != 1 || builds[0].BinDir != dir || builds[0].Origin != "flag" || builds[0].Major != 16 {
			t.Errorf("%s: got %+v", path, builds)
		}
	}
	broken := filepath.Join(t.TempDir(), "bin")
	script(t, filepath.Join(broken, "postgres"), "echo libfoo.so: not found >&2; exit 127")
	script(t, filepath.Join(broken, "initdb"), "exit 0")
	odd := fakeBuild(t, filepath.Join(t.TempDir(), "bin"), "sixteen")
	for path, want := range map[string]string{"/nonexistent": "no program postgres", broken: "libfoo.so: not found", odd: "is not the version of a PostgreSQL server"} {
		_, err := binaries.Find(t.Context(), binaries.Options{PgBin: path})
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, pgassay.ErrUsage) {
			t.Errorf("%s: got %v, want an ErrUsage with %q", path, err, want)
		}
	}
}

func build(origin string, num int) pgassay.Build {
	return pgassay.Build{Origin: origin, VersionNum: num, Major: num / 10000, Version: fmt.Sprintf("%d.%d", num/10000, num%10000), BinDir: "/" + origin}
}

func TestChoose(t *testing.T) {
	all := []pgassay.Build{build("debian", 150018), build("debian", 170010), build("path", 160001), build("npm", 160014), build("npm", 180004), build("debian", 90006)}
	tests := []struct{ name, constraint, want string }{
		{"the newest installed one, though a fetched one is newer", "", "debian 17.10"},
		{"the installed one, though the fetched one has a newer minor", "16", "path 16.1"},
		{"a fetched one when no installed one fits", "18", "npm 18.4"},
		{"an exact minor", "16.14", "npm 16.14"},
		{"an upper bound", "<17", "path 16.1"},
		{"a range", ">=14 <16", "debian 15.18"},
		{"commas and spaces", ">= 14, <= 15", "debian 15.18"},
		{"greater than a major starts with the next", ">17", "npm 18.4"},
		{"at least a minor", ">=16.2 <17", "npm 16.14"},
	}
	for _, tt := range tests {
		b, err := binaries.Choose(all, tt.constraint)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := b.Origin + " " + b.Version; got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if b, err := binaries.Choose(append(all, build("flag", 140001)), ""); err != nil || b.Origin != "flag" {
		t.Errorf("the user's build wins: got %v, %v", b, err)
	}
	_, err := binaries.Choose(all, ">=16.15 <17")
	if !errors.Is(err, pgassay.ErrUsage) || !strings.Contains(err.Error(), `no PostgreSQL fits ">=16.15 <17"; found 15.18 (/debian), `) {
		t.Errorf("nothing fits: got %v", err)
	}
	_, err = binaries.Choose(nil, "15")
	if want := `"pgassay postgres install 15" fetches one; --pg-bin names a directory of binaries.`; pgassay.Hint(err) != want {
		t.Errorf("no build: got %v (%s), want the hint %s", err, pgassay.Hint(err), want)
	}
}

func TestConstraintErrors(t *testing.T) {
	for text, want := range map[string]string{
		"sixteen": `cannot read "sixteen"`, "~16": `cannot read "~16"`, "16.2.1": "cannot read", ">=14 oops": `cannot read "oops"`,
		">=": "cannot read", "16x": "cannot read", "13": "works with PostgreSQL 14 and later", "99999": "no PostgreSQL has version 99999",
		"<99999999999999999999": "no PostgreSQL has version",
	} {
		_, err := binaries.ParseConstraint(text)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, pgassay.ErrUsage) {
			t.Errorf("%q: got %v, want an ErrUsage with %q", text, err, want)
		}
	}
}

// FuzzConstraint: what is accepted keeps its text, and every term narrows.
func FuzzConstraint(f *testing.F) {
	for _, s := range []string{"", "16", ">=14 <18", "=16.2,<17", "> 15"} {
		f.Add(s, 160014)
	}
	f.Fuzz(func(t *testing.T, text string, num int) {
		c, err := binaries.ParseConstraint(text)
		if err != nil {
			return
		}
		narrower, err := binaries.ParseConstraint(text + " >=15")
		if err != nil {
			t.Fatalf("%q with one more term: %v", text, err)
		}
		if narrower.Fits(num) && !c.Fits(num) {
			t.Errorf("%q fits %d, and with one more term it does not", text, num)
		}
		if c.Fits(130000) {
			t.Errorf("%q fits version 13", text)
		}
	})
}
