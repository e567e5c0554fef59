package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/load/script"
)

const tpcb = `\set aid random(1, 100000 * :scale)
\set bid random(1, 1 * :scale)
\set tid random(1, 10 * :scale)
\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
`

// statements compiles a script and returns the SQL of each command, parts
// joined by |.
func statements(t *testing.T, text string, vars ...string) []string {
	t.Helper()
	s, err := script.Parse("test.sql", text)
	if err != nil {
		t.Fatal(err)
	}
	var shared []pgassay.Variable
	for _, v := range vars {
		shared = append(shared, pgassay.Variable{Name: v, Value: "1"})
	}
	p, err := script.Compile([]script.Unit{{Script: s, Weight: 1}}, shared)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, st := range p.Statements() {
		var parts []string
		for _, part := range st.Parts {
			parts = append(parts, part.SQL)
		}
		out = append(out, strings.Join(parts, "|"))
	}
	return out
}

// TestSplit holds the cutting of SQL against psql's rules.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		says, text string
		want       []string
	}{
		{"a semicolon ends a statement", "SELECT 1; SELECT 2;", []string{"SELECT 1", "SELECT 2"}},
		{"the last one needs none", "SELECT 1", []string{"SELECT 1"}},
		{"empty statements are dropped", ";; SELECT 1;;", []string{"SELECT 1"}},
		{"several lines are one statement", "SELECT\n 1;", []string{"SELECT\n 1"}},
		{"quotes hide semicolons and variables", "SELECT 'a;:v''', \":v;\", :v;", []string{"SELECT 'a;:v''', \":v;\", $1"}},
		{"an E string has backslash escapes", `SELECT E'\';:v', :v;`, []string{`SELECT E'\';:v', $1`}},
		{"a plain string has none", `SELECT '\', :v;`, []string{`SELECT '\', $1`}},
		{"dollar quotes with a tag", "SELECT $x$ ; $$ :v $x$, :v;", []string{"SELECT $x$ ; $$ :v $x$, $1"}},
		{"a dollar within a name quotes nothing", "SELECT a$b$c, :v;", []string{"SELECT a$b$c, $1"}},
		{"line comments are dropped", "-- no; :x\nSELECT 1 -- ; :x\n+ 1;", []string{"SELECT 1 \n+ 1"}},
		{"block comments nest and stay", "SELECT /* ; /* :x */ ; */ :v;", []string{"SELECT /* ; /* :x */ ; */ $1"}},
		{"casts and slices with numbers are no variables", "SELECT :v::int, a[1:2], b := 1;", []string{"SELECT $1::int, a[1:2], b := 1"}},
		{"an escaped colon is a colon", `SELECT a[1\:v];`, []string{"SELECT a[1:v]"}},
		{"each use is a parameter of its own", "SELECT :v, :v;", []string{"SELECT $1, $2"}},
		{`\; sends statements together`, `SELECT 1 \; SELECT :v;`, []string{"SELECT 1|SELECT $1"}},
		{"parentheses hide semicolons", "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);", []string{"CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)"}},
		{"a function's body is one statement", "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END; SELECT 2;",
			[]string{"CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END", "SELECT 2"}},
		{"BEGIN and END are statements elsewhere", "BEGIN; END;", []string{"BEGIN", "END"}},
		{"a command ends an open statement", "SELECT 1\n\\set x 1\nSELECT :x;", []string{"SELECT 1", "SELECT $1"}},
		{"a command may follow on the line", `SELECT 1; \set x 1`, []string{"SELECT 1"}},
		{"a command goes on after a backslash", "\\set x \\\n  1 + \\\n  2\nSELECT :x;", []string{"SELECT $1"}},
		{"windows line ends", "\\set x 1\r\nSELECT :x;\r\n", []string{"SELECT $1"}},
	} {
		if diff := cmp.Diff(c.want, statements(t, c.text, "v")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.says, diff)
		}
	}
}

// TestErrors writes the errors of the scripts in testdata/errors.txt, which are
// separated by a line of dashes, and compares them with errors.golden.
func TestErrors(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "errors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, one := range strings.Split(string(text), "----\n") {
		s, err := script.Parse("bad.sql", one)
		if err == nil {
			_, err = script.Compile([]script.Unit{{Script: s, Weight: 1}}, []pgassay.Variable{{Name: "batch", Value: "10"}})
		}
		if err == nil {
			t.Errorf("no error for\n%s", one)
			continue
		}
		out.WriteString(err.Error() + "\n\n")
	}
	golden(t, "errors.golden", out.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestVariables: what a script reads and sets.
func TestVariables(t *testing.T) {
	s, err := script.Parse("tpcb", tpcb)
	if err != nil {
		t.Fatal(err)
	}
	used, set := s.Variables()
	if diff := cmp.Diff([]string{"aid", "bid", "delta", "scale", "tid"}, used); diff != "" {
		t.Errorf("used (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"aid", "bid", "delta", "tid"}, set); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
}

// FuzzParse: no text panics, and what was parsed is printed as a script that
// prints the same and compiles to the same statements.
func FuzzParse(f *testing.F) {
	f.Add(tpcb)
	f.Add("\\if :x > 1 and not :x is null\nSELECT 1 \\; SELECT 'a' || :x;\n\\elif case when ~1 & 2 then 1 else - -2 end\n\\sleep :x ms\n\\else\n\\endif")
	f.Add("\\set x -9223372036854775808 % mod(3, 2) # hash(1.5e3)\nSELECT a[1\\:x], $$ ; $$, E'\\'' /* /* */ */;")
	if text, err := os.ReadFile("testdata/errors.txt"); err == nil {
		for _, one := range strings.Split(string(text), "----\n") {
			f.Add(one)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := script.Parse("fuzz", text)
		if err != nil {
			if len(err.Error()) == 0 {
				t.Fatal("an error without a text")
			}
			return
		}
		printed := s.String()
		again, err := script.Parse("fuzz", printed)
		if err != nil {
			t.Fatalf("%q was printed as %q, which does not parse: %v", text, printed, err)
		}
		if again.String() != printed {
			t.Fatalf("%q was printed as %q and then as %q", text, printed, again.String())
		}
		if diff := cmp.Diff(programOf(s), programOf(again), cmp.AllowUnexported(script.StatementPart{})); diff != "" {
			t.Fatalf("the printed script is another program (-first +printed):\n%s", diff)
		}
	})
}

// programOf compiles a script with all its variables defined; errors are part
// of the program.
func programOf(s *script.Script) []script.Statement {
	var vars []pgassay.Variable
	used, _ := s.Variables()
	for _, v := range used {
		vars = append(vars, pgassay.Variable{Name: v, Value: "1"})
	}
	p, err := script.Compile([]script.Unit{{Script: s, Weight: 1}}, vars)
	if err != nil {
		return []script.Statement{{Script: err.Error()}}
	}
	var out []script.Statement
	for _, st := range p.Statements() {
		st.Line = 0
		parts := st.Parts
		st.Parts = nil
		for _, p := range parts {
			st.Parts = append(st.Parts, script.StatementPart{SQL: p.SQL, Pieces: p.Pieces})
		}
		out = append(out, st)
	}
	return out
}
