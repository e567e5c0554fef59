package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/internal/server"
)

// TestStatements: a script is cut where the server would cut it.
func TestStatements(t *testing.T) {
	for _, c := range []struct {
		sentence, text string
		want           []string // line:text, and the data of COPY behind a bar
		fails          string
	}{
		{"empty statements are none", " ;; \n;", nil, ""},
		{"two statements and a comment", "SELECT 1; -- one; two\nSELECT 2", []string{"1:SELECT 1", "2:SELECT 2"}, ""},
		{"a comment inside stays", "SELECT /* ; */ 1 -- ;\n, 2;", []string{"1:SELECT /* ; */ 1 -- ;\n, 2"}, ""},
		{"a comment only is none", "/* a; /* nested; */ b */ ; -- end", nil, ""},
		{"quotes hide semicolons", `SELECT ';', ";", 'it''s;';SELECT 2`, []string{`1:SELECT ';', ";", 'it''s;'`, "1:SELECT 2"}, ""},
		{"only E strings have escapes", `SELECT E'\';', 'a\'; SELECT 2`, []string{`1:SELECT E'\';', 'a\'`, "1:SELECT 2"}, ""},
		{"dollar quotes hide everything", "DO $x$ BEGIN; $$;$$ END $x$;\nSELECT a$b;", []string{"1:DO $x$ BEGIN; $$;$$ END $x$", "2:SELECT a$b"}, ""},
		{"names end with letters that are no marks of a quote", `SELECT some'\';SELECT 2`, []string{`1:SELECT some'\'`, "1:SELECT 2"}, ""},
		{"brackets hide semicolons", "CREATE RULE r AS ON INSERT TO t DO ALSO (SELECT 1; SELECT 2);\nSELECT 3", []string{"1:CREATE RULE r AS ON INSERT TO t DO ALSO (SELECT 1; SELECT 2)", "2:SELECT 3"}, ""},
		{"the body of a function in SQL", "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END;SELECT 3",
			[]string{"1:CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END", "1:SELECT 3"}, ""},
		{"a procedure too, and a transaction is none", "CREATE PROCEDURE p() BEGIN ATOMIC SELECT 1; END; BEGIN; SELECT 2; END", []string{"1:CREATE PROCEDURE p() BEGIN ATOMIC SELECT 1; END", "1:BEGIN", "1:SELECT 2", "1:END"}, ""},
		{"a parameter is no dollar quote", "SELECT $1;SELECT 2", []string{"1:SELECT $1", "1:SELECT 2"}, ""},
		{"lines count", "\n\nSELECT\n1;\n\nSELECT 2", []string{"3:SELECT\n1", "6:SELECT 2"}, ""},
		{"the data of COPY", "COPY t FROM stdin;\n1\t;\n2\tx\n\\.\nSELECT 3;", []string{"1:COPY t FROM stdin|1\t;\n2\tx\n", "5:SELECT 3"}, ""},
		{"COPY without rows", "COPY t FROM stdin;\n\\.\nSELECT 1", []string{"1:COPY t FROM stdin", "3:SELECT 1"}, ""},
		{"comments before COPY, as pg_dump writes them", "--\n-- Data for Name: t; Type: TABLE DATA\n--\n\nCOPY public.t (a, \"from stdin\") FROM stdin; -- x\n1\t;\n\\.\n\n\n--\nSELECT 1;", []string{"5:COPY public.t (a, \"from stdin\") FROM stdin|1\t;\n", "11:SELECT 1"}, ""},
		{"COPY from elsewhere has no data", "COPY (SELECT 'from stdin') TO '/x';SELECT 1;", []string{"1:COPY (SELECT 'from stdin') TO '/x'", "1:SELECT 1"}, ""},
		{"COPY in capitals, with options and the line ends of Windows", "Copy t From StdIn With (Format csv);\r\n1\r\n\\.\r\nSELECT 1", []string{"1:Copy t From StdIn With (Format csv)|1\r\n", "4:SELECT 1"}, ""},
		{"data on the line of COPY", "COPY t FROM stdin; SELECT 1;\n\\.\n", nil, "next line"},
		{"pg_dump's own commands behind comments", "-- x\n\n\\restrict abc\n-- y\nSELECT 1;", []string{"5:SELECT 1"}, ""},
		{"pg_dump's own commands are passed over", "\\restrict abc\nSELECT 1;\n\\unrestrict abc\n", []string{"2:SELECT 1"}, ""},
		{"psql's commands are refused", "SELECT 1;\n\\i other.sql\n", nil, `line 2: \i`},
		{"an open quote", "SELECT 1;\nSELECT\n'x", nil, "line 3: a quote ' is not closed"},
		{"an open dollar quote", "DO $x$ $$", nil, "a quote $x$ is not closed"},
		{"an open comment", "\n/* x /* */", nil, "line 2: a comment /* is not closed"},
		{"an open comment inside", "SELECT\n/* x", nil, "line 2: a comment"},
		{"data without an end", "COPY t FROM stdin;\n1\n", nil, "lacks its last line"},
	} {
		lines, texts, data, err := server.Statements(c.text)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: got error %v, want %q", c.sentence, err, c.fails)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.sentence, err)
			continue
		}
		var got []string
		for i := range texts {
			s := fmt.Sprintf("%d:%s", lines[i], texts[i])
			if data[i] != "" {
				s += "|" + data[i]
			}
			got = append(got, s)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.sentence, got, c.want)
		}
	}
}

// FuzzStatements: statements come from the text in its order, each at its line,
// and nothing is lost: between them are only blanks, semicolons, comments, the
// ends of data and pg_dump's own commands.
func FuzzStatements(f *testing.F) {
	for _, s := range []string{"", "SELECT 1;", "$$;$$", "E'\\'';", "COPY t FROM stdin;\n1\n\\.\n", "/*/**/*/;--\n;", "\\x", "a$b$;$b$",
		"create function f() begin atomic case;end;end;1", "(;);", "-- c\n\\restrict x\n1", "copy t from stdin -- ;\n;\n\\.\n2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines, texts, data, err := server.Statements(text)
		if err != nil {
			return
		}
		rest, line := text, 1
		skip := func(n int) {
			line += strings.Count(rest[:n], "\n")
			rest = rest[n:]
		}
		for i, s := range texts {
			skip(gap(rest))
			if s == "" || !strings.HasPrefix(rest, s) {
				t.Fatalf("statement %d is %q, want what %q begins with", i, s, rest)
			}
			if lines[i] != line {
				t.Fatalf("statement %q is at line %d, want %d", s, lines[i], line)
			}
			skip(len(s))
			if data[i] != "" {
				first := strings.IndexByte(rest, '\n') + 1
				if !strings.HasPrefix(rest[first:], data[i]+`\.`) {
					t.Fatalf("data %q is not what follows line %d", data[i], line)
				}
				skip(first + len(data[i]))
			}
		}
		if n := gap(rest); n != len(rest) {
			t.Fatalf("lost: %q", rest[n:])
		}
	})
}

// gap measures what may stand between statements.
func gap(s string) int {
	all := len(s)
	for {
		s = strings.TrimLeft(s, " \t\n\r\f\v;")
		switch {
		case strings.HasPrefix(s, "--"), strings.HasPrefix(s, `\restrict`), strings.HasPrefix(s, `\unrestrict`), strings.HasPrefix(s, `\.`):
			_, s, _ = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*"):
			depth := 1
			for s = s[2:]; depth > 0; {
				opened, closed := strings.Index(s, "/*"), strings.Index(s, "*/")
				if opened >= 0 && opened < closed {
					depth, s = depth+1, s[opened+2:]
				} else {
					depth, s = depth-1, s[closed+2:]
				}
			}
		default:
			return all - len(s)
		}
	}
}
