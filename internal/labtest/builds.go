package labtest

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// installed are the places where distributions put PostgreSQL, best first.
var installed = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                   // PGDG on RPM systems
	"/usr/libexec/postgresql*",           // Alpine
	"/opt/homebrew/opt/postgresql@*/bin", // macOS on ARM
	"/usr/local/opt/postgresql@*/bin",    // macOS on Intel
	"/usr/local/pgsql/bin", "/usr/bin",   // built by hand; Arch, Fedora
}

// builds finds the directories of binaries by major version, once. What a
// distribution installed wins over PGASSAY_TEST_BUILDS.
var builds = sync.OnceValue(func() map[int]string {
	found := map[int]string{}
	patterns := slices.Clone(installed)
	if dir := os.Getenv("PGASSAY_TEST_BUILDS"); dir != "" {
		patterns = append(patterns, filepath.Join(dir, "*", "bin"))
	}
	for _, p := range patterns {
		dirs, _ := filepath.Glob(p) // the patterns are well-formed
		for _, dir := range dirs {
			if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
				continue
			}
			if major := majorOf(filepath.Join(dir, "postgres")); major >= 14 && found[major] == "" {
				found[major] = dir
			}
		}
	}
	return found
})

var versionText = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// majorOf asks the binary; 0 when it does not run.
func majorOf(postgres string) int {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, postgres, "--version").Output()
	if err != nil {
		return 0
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1])) // digits only
	return n
}

// Majors returns the major versions to test against, ascending: those of
// PGASSAY_TEST_MAJORS when it is set (whether they exist or not: [Server] fails
// for one that is missing), else all that were found. It may be empty.
func Majors() []int {
	if listed := demanded(); len(listed) > 0 {
		return listed
	}
	var out []int
	for major := range builds() {
		out = append(out, major)
	}
	slices.Sort(out)
	return out
}

// demanded is PGASSAY_TEST_MAJORS as numbers. What is not a number becomes 0
// and so is a version that nobody has.
func demanded() []int {
	var out []int
	for _, s := range strings.FieldsFunc(os.Getenv("PGASSAY_TEST_MAJORS"), func(r rune) bool { return r == ',' || r == ' ' }) {
		n, _ := strconv.Atoi(s)
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// BinDir returns the directory of the binaries of a major version, 0 for any
// (an installed one before one of PGASSAY_TEST_BUILDS, then the newest). The
// test is skipped, or in CI failed, when there is none.
func BinDir(tb testing.TB, major int) string {
	tb.Helper()
	if major == 0 {
		major = anyMajor()
	}
	if dir := builds()[major]; dir != "" {
		return dir
	}
	what := "PostgreSQL not found"
	if major != 0 {
		what = "PostgreSQL " + strconv.Itoa(major) + " not found"
	}
	if os.Getenv("CI") == "true" || slices.Contains(demanded(), major) {
		tb.Fatalf("%s: install it, or set PGASSAY_TEST_BUILDS to a directory that holds MAJOR/bin", what)
	}
	tb.Skipf("%s (installed, or below PGASSAY_TEST_BUILDS)", what)
	return ""
}

// anyMajor chooses for a test that takes any version.
func anyMajor() int {
	majors := Majors()
	if len(majors) == 0 {
		return 0
	}
	extra := os.Getenv("PGASSAY_TEST_BUILDS")
	isExtra := func(major int) int {
		if extra != "" && strings.HasPrefix(builds()[major], filepath.Clean(extra)+string(filepath.Separator)) {
			return 1
		}
		return 0
	}
	return slices.MinFunc(majors, func(a, b int) int {
		return cmp.Or(isExtra(a)-isExtra(b), b-a)
	})
}
