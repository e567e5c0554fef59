package script_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/load/script"
)

var update = flag.Bool("update", false, "write testdata again")

const expressions = "testdata/expressions.txt"

// TestExpressions holds every expression against what pgbench 15 printed.
func TestExpressions(t *testing.T) {
	for _, l := range expressionLines(t) {
		expr, want, ok := strings.Cut(l, " => ")
		if !ok {
			t.Fatalf("%s: %q has no expectation", expressions, l)
		}
		if got := evaluate(expr); got != want {
			t.Errorf("%s: got %s, want %s", expr, got, want)
		}
	}
}

// evaluate runs \set x debug(expr).
func evaluate(expr string) string {
	s, err := script.Parse("test", `\set x debug(`+expr+`)`)
	if err != nil {
		return "error"
	}
	p, err := script.Compile([]script.Unit{{Script: s, Weight: 1}}, nil)
	if err != nil {
		return "error"
	}
	got := "nothing"
	c := p.NewClient(script.Options{Debug: func(line string) { got = line }})
	c.Start(0)
	if _, err := c.Next(); err != nil {
		return "error"
	}
	_, got, _ = strings.Cut(got, "): ")
	return got
}

func expressionLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(expressions)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range strings.Split(string(text), "\n") {
		if l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}

// TestPgbench asks the installed pgbench, so that the expectations stay true.
func TestPgbench(t *testing.T) {
	pgbench := filepath.Join(labtest.BinDir(t, 0), "pgbench")
	if _, err := os.Stat(pgbench); err != nil {
		t.Logf("this PostgreSQL has no pgbench: %v", err)
		return
	}
	in := labtest.Server(t, labtest.Options{})
	var out bytes.Buffer
	text, err := os.ReadFile(expressions)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		expr, want, _ := strings.Cut(l, " => ")
		if strings.HasPrefix(expr, "#") {
			out.WriteString(l + "\n")
			continue
		}
		got := askPgbench(t, pgbench, in.SocketDir, expr)
		if got != want && !*update {
			t.Errorf("%s: pgbench says %s, %s says %s", expr, got, expressions, want)
		}
		out.WriteString(expr + " => " + got + "\n")
	}
	if *update {
		if err := os.WriteFile(expressions, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func askPgbench(t *testing.T, pgbench, socket, expr string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.sql")
	if err := os.WriteFile(file, []byte(`\set x debug(`+expr+")\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pgbench, "-n", "-t", "1", "-h", socket, "-U", labtest.Superuser, "-f", file, "postgres")
	stderr, err := cmd.CombinedOutput()
	if err != nil {
		return "error"
	}
	// debug(debug(x)) prints twice; the last line is the outer one.
	got := "nothing"
	for _, l := range strings.Split(string(stderr), "\n") {
		if _, value, ok := strings.Cut(l, "): "); ok && strings.HasPrefix(l, "debug(") {
			got = value
		}
	}
	return got
}
