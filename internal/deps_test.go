package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pgassay/pgassay"

// allowed is the table of the house (docs/architecture.md): what each package
// may import of this module, relative to internal/. The root package may be
// imported by all. A package that is not listed may import nothing else.
var allowed = map[string][]string{
	"stats":              {},
	"load/hist":          {},
	"load/pace":          {},
	"load/script":        {},
	"observe/pglog":      {},
	"autovacuum":         {},
	"dial":               {},
	"observe/host":       {},
	"server/binaries":    {},
	"server/journal":     {},
	"check":              {"stats", "autovacuum"},
	"experiment":         {"autovacuum", "check"},
	"experiment/plan":    {"stats", "check", "autovacuum"},
	"analyze":            {"stats", "check", "autovacuum", "load/hist", "observe/pglog"},
	"autovacuum/policy":  {"autovacuum"},
	"autovacuum/sim":     {"autovacuum", "autovacuum/policy", "load/pace", "stats"},
	"advise":             {"stats", "autovacuum", "autovacuum/policy", "autovacuum/sim", "observe/pglog"},
	"load/wire":          {"dial"},
	"load":               {"dial", "load/wire", "load/script", "load/pace", "load/hist"},
	"server":             {"dial", "server/binaries", "server/journal"},
	"observe":            {"dial", "observe/host", "observe/pglog"},
	"observe/snapshot":   {"dial", "observe/host", "observe/pglog"},
	"autovacuum/control": {"dial", "autovacuum/policy", "observe", "observe/snapshot", "server/journal"},
	"durability":         {"dial", "server"},
	"lab/store":          {},
	"lab":                {"experiment/plan", "check"},
	"report":             {"analyze", "load/hist", "autovacuum/sim", "advise"},
}

// pure packages are functions of their arguments (DESIGN §4).
var pure = []string{
	"check", "stats", "load/hist", "load/pace", "load/script", "experiment", "experiment/plan", "analyze",
	"autovacuum", "autovacuum/policy", "autovacuum/sim", "advise", "observe/pglog",
}

// impure are imports that a pure package must not have.
var impure = []string{
	"net", "os", "os/exec", "math/rand", "math/rand/v2", "syscall", "log", "log/slog", "database/sql",
	"github.com/jackc/pgx", "modernc.org/sqlite", "golang.org/x/sys",
}

// purelyUsed are the parts of an impure package that a pure one may use: a
// generator seeded by its argument.
var purelyUsed = map[string][]string{"math/rand/v2": {"rand.New", "rand.NewPCG", "rand.PCG", "rand.Rand", "rand.Source"}}

type file struct {
	path    string // relative to the module's root
	dir     string
	test    bool
	imports []string
	text    string
}

func goFiles(t *testing.T) []file {
	t.Helper()
	root := ".."
	var files []file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "tools") {
			if path == root {
				return nil
			}
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		out := file{path: rel, dir: filepath.ToSlash(filepath.Dir(rel)), test: strings.HasSuffix(rel, "_test.go"), text: string(text)}
		for _, im := range f.Imports {
			name, err := strconv.Unquote(im.Path.Value)
			if err != nil {
				return err
			}
			out.imports = append(out.imports, name)
		}
		files = append(files, out)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found %d Go files, want the whole module", len(files))
	}
	return files
}

func under(imp string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return imp == p || strings.HasPrefix(imp, p+"/") })
}

// TestImports holds every import of this module against the table.
func TestImports(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		for _, imp := range f.imports {
			sibling, ok := strings.CutPrefix(imp, module)
			if !ok {
				continue
			}
			sibling = strings.TrimPrefix(sibling, "/")
			switch {
			case sibling == "": // the root may be imported by all, but not by itself
				continue
			case f.dir == ".":
				t.Errorf("%s: the root imports %s; it may import the standard library only", f.path, imp)
			case f.dir == "cmd/pgassay" || strings.HasPrefix(f.dir, "internal/labtest"):
				continue
			case strings.HasPrefix(sibling, "internal/labtest"):
				t.Errorf("%s: imports %s, which is for tests only", f.path, imp)
			default:
				pkg := strings.TrimPrefix(f.dir, "internal/")
				dep := strings.TrimPrefix(sibling, "internal/")
				if !slices.Contains(allowed[pkg], dep) {
					t.Errorf("%s: %s may not import %s (allowed: %v)", f.path, pkg, dep, allowed[pkg])
				}
			}
		}
	}
}

// TestRootImports: the root package has the standard library only.
func TestRootImports(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.dir != "." || f.test {
			continue
		}
		for _, imp := range f.imports {
			if strings.Contains(strings.Split(imp, "/")[0], ".") {
				t.Errorf("%s: imports %s; the root may import the standard library only", f.path, imp)
			}
		}
	}
}

// TestPure: pure packages reach for no clock, network, process, environment or
// global randomness.
func TestPure(t *testing.T) {
	for _, f := range goFiles(t) {
		pkg := strings.TrimPrefix(f.dir, "internal/")
		if f.test || !slices.Contains(pure, pkg) {
			continue
		}
		for _, imp := range f.imports {
			if !under(imp, impure) {
				continue
			}
			uses, ok := purelyUsed[imp]
			if !ok {
				t.Errorf("%s: the pure package %s imports %s", f.path, pkg, imp)
				continue
			}
			for _, line := range strings.Split(f.text, "\n") {
				i := strings.Index(line, "rand.")
				if i < 0 || strings.HasPrefix(strings.TrimSpace(line), "//") || strings.Contains(line, `"math/rand`) {
					continue
				}
				if !slices.ContainsFunc(uses, func(u string) bool { return strings.HasPrefix(line[i:], u) }) {
					t.Errorf("%s: %q uses global randomness", f.path, strings.TrimSpace(line))
				}
			}
		}
		for _, word := range []string{"time.Now(", "time.Since(", "time.Sleep(", "time.After("} {
			if strings.Contains(f.text, word) {
				t.Errorf("%s: the pure package %s calls %s…)", f.path, pkg, word)
			}
		}
	}
}

// TestFiles: no file over 600 lines, no package with a name that says nothing.
func TestFiles(t *testing.T) {
	for _, f := range goFiles(t) {
		if n := strings.Count(f.text, "\n"); n > 600 && !strings.Contains(f.text[:min(len(f.text), 400)], "Code generated") {
			t.Errorf("%s: %d lines, want at most 600", f.path, n)
		}
		for _, part := range strings.Split(f.dir, "/") {
			if slices.Contains([]string{"util", "utils", "common", "helpers", "lib", "misc"}, part) {
				t.Errorf("%s: a package named %s says nothing", f.path, part)
			}
		}
	}
}
