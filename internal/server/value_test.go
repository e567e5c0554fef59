package server_test

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server"
)

// TestSameValue: one value can be written in many ways.
func TestSameValue(t *testing.T) {
	for _, c := range []struct {
		sentence, written, vartype, shown, unit string
		want                                    bool
	}{
		{"blocks", "128MB", "integer", "16384", "8kB", true},
		{"blocks by number", "16384", "integer", "16384", "8kB", true},
		{"other blocks", "128MB", "integer", "16385", "8kB", false},
		{"half a gigabyte", "0.5GB", "integer", "512", "MB", true},
		{"hexadecimal", "0x10", "integer", "16", "kB", true},
		{"octal", "010", "integer", "8", "", true},
		{"rounded to the unit", "1100B", "integer", "1", "kB", true},
		{"a minute", "1min", "integer", "60", "s", true},
		{"a day, not a hexadecimal digit", "1d", "integer", "86400", "s", true},
		{"bytes, not a hexadecimal digit", "8192B", "integer", "1", "8kB", true},
		{"microseconds", "1500us", "real", "1.5", "ms", true},
		{"spaces", " 20 ms ", "real", "20", "ms", true},
		{"an exponent", "2e-1", "real", "0.2", "", true},
		{"another share", "0.02", "real", "0.2", "", false},
		{"minus one", "-1", "integer", "-1", "kB", true},
		{"a unit that we do not know is not judged", "1fortnight", "integer", "5", "s", true},
		{"a boolean's beginning", "tr", "bool", "on", "", true},
		{"a boolean's number", "0", "bool", "off", "", true},
		{"the other boolean", "no", "bool", "on", "", false},
		{"an enum's case", "Local", "enum", "local", "", true},
		{"an enum's boolean", "true", "enum", "on", "", true},
		{"another boolean of an enum", "false", "enum", "on", "", false},
		{"a string", "a, b", "string", "a, b", "", true},
		{"another string", "a", "string", "b", "", false},
	} {
		is := pgassay.SettingState{Name: "x", Setting: c.shown, Unit: c.unit, VarType: c.vartype}
		if got := server.SameValue(c.written, is); got != c.want {
			t.Errorf("%s: %q against %q %s: got %v, want %v", c.sentence, c.written, c.shown, c.unit, got, c.want)
		}
	}
}

// FuzzQuote: a value of any content stays one value of one line in
// postgresql.conf.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a", "it's", `back\slash`, "two\nlines", `\'`, "'; include = 'x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := server.Quote(s)
		if len(q) < 2 || q[0] != '\'' || q[len(q)-1] != '\'' || strings.ContainsAny(q, "\n\r") {
			t.Fatalf("%q is not one quoted text on one line", q)
		}
		// guc-file.l: '([^'\\\n]|\\.|'')*' with escapes undone.
		var b strings.Builder
		in := q[1 : len(q)-1]
		for i := 0; i < len(in); i++ {
			switch {
			case in[i] == '\'':
				if i++; i == len(in) || in[i] != '\'' {
					t.Fatalf("%q ends in the middle", q)
				}
				b.WriteByte('\'')
			case in[i] == '\\':
				if i++; i == len(in) {
					t.Fatalf("%q ends with an open escape", q)
				}
				switch in[i] {
				case 'n':
					b.WriteByte('\n')
				case 'r':
					b.WriteByte('\r')
				default:
					b.WriteByte(in[i])
				}
			default:
				b.WriteByte(in[i])
			}
		}
		if b.String() != s {
			t.Errorf("%q came back as %q", s, b.String())
		}
	})
}
