package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// Options say where to look.
type Options struct {
	// PgBin is the user's own choice (--pg-bin): a directory with postgres and
	// initdb, or one whose bin directory has them. No other place is looked at.
	PgBin string
	// Env looks variables up (os.LookupEnv): PG_CONFIG and PATH.
	Env func(string) (string, bool)
	// Root is put before the system's directories; "" outside tests.
	Root string
	// CacheDir is where Install puts builds; "" for none.
	CacheDir string
}

// systemDirs are the places of distributions, in the order of looking.
var systemDirs = []struct{ origin, pattern string }{
	{OriginDebian, "/usr/lib/postgresql/*/bin"},
	{OriginPGDG, "/usr/pgsql-*/bin"},
	{OriginHomebrew, "/opt/homebrew/opt/postgresql@*/bin"},
	{OriginHomebrew, "/usr/local/opt/postgresql@*/bin"},
	{OriginHomebrew, "/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin"},
	{OriginPath, "/usr/libexec/postgresql*"}, // Alpine: not in PATH, but installed all the same
	{OriginPath, "/usr/local/pgsql/bin"},
}

// candidate is a directory that may hold a build.
type candidate struct{ origin, dir string }

// Find returns the builds of this host, each once, in the order of looking:
// pg_config, the distributions' directories (newest first), PATH, the cache.
// A candidate that does not run or lacks initdb is left out, unless the user
// named it: then it is an error that wraps [pgassay.ErrUsage]. No build at all
// is not an error.
func Find(ctx context.Context, opt Options) ([]pgassay.Build, error) {
	if opt.PgBin != "" {
		b, err := named(ctx, opt.PgBin)
		if err != nil {
			return nil, fmt.Errorf("use build: %w: %w", pgassay.ErrUsage, err)
		}
		return []pgassay.Build{b}, nil
	}
	seen := map[string]bool{}
	var out []pgassay.Build
	for _, c := range candidates(ctx, opt) {
		real, err := filepath.EvalSymlinks(filepath.Join(c.dir, "postgres"))
		if err != nil || seen[real] {
			continue
		}
		b, err := inspect(ctx, c)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("find builds: %w", ctx.Err())
		}
		if err != nil {
			continue
		}
		seen[real] = true
		out = append(out, b)
	}
	return out, nil
}

// named inspects the user's choice, given as the directory of the binaries,
// the directory above it or the server's program.
func named(ctx context.Context, path string) (pgassay.Build, error) {
	var errs []error
	for _, dir := range []string{path, filepath.Join(path, "bin"), filepath.Dir(path)} {
		if _, err := os.Stat(filepath.Join(dir, "postgres")); err != nil {
			continue
		}
		b, err := inspect(ctx, candidate{OriginFlag, dir})
		if err == nil {
			return b, nil
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return pgassay.Build{}, fmt.Errorf("no program postgres in %s or its bin directory", path)
	}
	return pgassay.Build{}, errors.Join(errs...)
}

// inspect asks a build for its version.
func inspect(ctx context.Context, c candidate) (pgassay.Build, error) {
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return pgassay.Build{}, err
	}
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return pgassay.Build{}, fmt.Errorf("no program initdb in %s", dir)
	}
	out, err := run(ctx, askTimeout, filepath.Join(dir, "postgres"), "--version")
	if err != nil {
		return pgassay.Build{}, err
	}
	text, v, err := parseVersion(out)
	if err != nil {
		return pgassay.Build{}, err
	}
	return pgassay.Build{Version: text, VersionNum: v.num(), Major: v.major, BinDir: dir, Origin: c.origin}, nil
}

// candidates lists where to look, in order.
func candidates(ctx context.Context, opt Options) []candidate {
	var list []candidate
	path := envPath(opt)
	if dir := pgConfigDir(ctx, opt, path); dir != "" {
		list = append(list, candidate{OriginPgConfig, dir})
	}
	for _, s := range systemDirs {
		dirs, _ := filepath.Glob(filepath.Join(opt.Root, s.pattern)) // the patterns are well-formed
		slices.SortFunc(dirs, func(a, b string) int { return number(b) - number(a) })
		for _, dir := range dirs {
			list = append(list, candidate{s.origin, dir})
		}
	}
	for _, dir := range path {
		list = append(list, candidate{OriginPath, dir})
	}
	if opt.CacheDir != "" {
		dirs, _ := filepath.Glob(filepath.Join(opt.CacheDir, "builds", "[0-9]*", "bin"))
		slices.SortFunc(dirs, func(a, b string) int { return number(b) - number(a) })
		for _, dir := range dirs {
			list = append(list, candidate{OriginNPM, dir})
		}
	}
	return list
}

// number is the last number in a path that could be a version, for ordering.
func number(path string) int {
	last := 0
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' }) {
		n := 0
		for _, c := range part {
			n = min(n*10+int(c-'0'), 1<<20)
		}
		if n >= 9 && n < 1000 {
			last = n
		}
	}
	return last
}

func envPath(opt Options) []string {
	if opt.Env == nil {
		return nil
	}
	v, _ := opt.Env("PATH")
	var out []string
	for _, dir := range filepath.SplitList(v) {
		if filepath.IsAbs(dir) { // the current directory is nobody's PostgreSQL
			out = append(out, dir)
		}
	}
	return out
}

// pgConfigDir is the directory of binaries that PG_CONFIG, else the pg_config
// in PATH, names.
func pgConfigDir(ctx context.Context, opt Options, path []string) string {
	if opt.Env == nil {
		return ""
	}
	program, _ := opt.Env("PG_CONFIG")
	for _, dir := range path {
		if program != "" {
			break
		}
		if _, err := os.Stat(filepath.Join(dir, "pg_config")); err == nil {
			program = filepath.Join(dir, "pg_config")
		}
	}
	if program == "" {
		return ""
	}
	out, err := run(ctx, askTimeout, program, "--bindir")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}
