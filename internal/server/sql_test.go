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
		{"two statements and a comment", "SELECT 1; -- one; two\nSELECT 2", []string{"1:SELECT 1", "1:-- one; two\nSELECT 2"}, ""},
		{"a comment only is none", "/* a; /* nested; */ b */ ; -- end", nil, ""},
		{"quotes hide semicolons", `SELECT ';', ";", 'it''s;';SELECT 2`, []string{`1:SELECT ';', ";", 'it''s;'`, "1:SELECT 2"}, ""},
		{"only E strings have escapes", `SELECT E'\';', 'a\'; SELECT 2`, []string{`1:SELECT E'\';', 'a\'`, "1:SELECT 2"}, ""},
		{"dollar quotes hide everything", "DO $x$ BEGIN; $$;$$ END $x$;\nSELECT a$b;", []string{"1:DO $x$ BEGIN; $$;$$ END $x$", "2:SELECT a$b"}, ""},
		{"a parameter is no dollar quote", "SELECT $1;SELECT 2", []string{"1:SELECT $1", "1:SELECT 2"}, ""},
		{"lines count", "\n\nSELECT\n1;\n\nSELECT 2", []string{"3:SELECT\n1", "6:SELECT 2"}, ""},
		{"the data of COPY", "COPY t FROM stdin;\n1\t;\n2\tx\n\\.\nSELECT 3;", []string{"1:COPY t FROM stdin|1\t;\n2\tx\n", "5:SELECT 3"}, ""},
		{"COPY without rows", "COPY t FROM stdin;\n\\.\nSELECT 1", []string{"1:COPY t FROM stdin", "3:SELECT 1"}, ""},
		{"pg_dump's own commands are passed over", "\\restrict abc\nSELECT 1;\n\\unrestrict abc\n", []string{"2:SELECT 1"}, ""},
		{"psql's commands are refused", "SELECT 1;\n\\i other.sql\n", nil, `line 2: \i`},
		{"an open quote", "SELECT 1;\nSELECT 'x", nil, "line 2: a quote ' is not closed"},
		{"an open comment", "/* x", nil, "not closed"},
		{"data without an end", "COPY t FROM stdin;\n1\n", nil, "does not end"},
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

// FuzzStatements: statements come from the text in its order, each at its line.
func FuzzStatements(f *testing.F) {
	for _, s := range []string{"", "SELECT 1;", "$$;$$", "E'\\'';", "COPY t FROM stdin;\n1\n\\.\n", "/*/**/*/;--\n;", "\\x", "a$b$;$b$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines, texts, data, err := server.Statements(text)
		if err != nil {
			return
		}
		at, all := 0, strings.Split(text, "\n")
		for i, s := range texts {
			if strings.TrimSpace(s) == "" {
				t.Fatalf("statement %d is empty", i)
			}
			n := strings.Index(text[at:], s)
			if n < 0 {
				t.Fatalf("statement %q is not in the rest of the text", s)
			}
			if first, _, _ := strings.Cut(s, "\n"); lines[i] < 1 || lines[i] > len(all) || !strings.Contains(all[lines[i]-1], first) {
				t.Fatalf("statement %q is not at line %d", s, lines[i])
			}
			at += n + len(s)
			if !strings.Contains(text, data[i]) {
				t.Fatalf("data %q is not in the text", data[i])
			}
		}
	})
}
