package check_test

import (
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		text, base string
		want       float64
		err        string
	}{
		{"128MB", "8kB", 16384, ""},
		{"1GB", "MB", 1024, ""},
		{"1s", "ms", 1000, ""},
		{"1.5ms", "ms", 1.5, ""},
		{"5min", "s", 300, ""},
		{"20", "ms", 20, ""},
		{"-1", "kB", -1, ""},
		{"1e3", "", 1000, ""},
		{" 64 MB ", "kB", 65536, ""},
		{"128KB", "8kB", 0, `read "128KB": unknown unit "KB"`},
		{"1s", "kB", 0, `read "1s": the setting's unit is "kB"`},
		{"5ms", "", 0, `read "5ms": the setting's unit is ""`},
		{"much", "kB", 0, `read "much": not a number`},
	} {
		got, err := check.Number(c.text, c.base)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%q in %q: got %v, %v, want %v, %s", c.text, c.base, got, err, c.want, c.err)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		why, requested string
		state          pgassay.SettingState
		want           bool
	}{
		{"units", "128MB", pgassay.SettingState{Setting: "16384", Unit: "8kB", VarType: "integer"}, true},
		{"another value", "128MB", pgassay.SettingState{Setting: "16385", Unit: "8kB", VarType: "integer"}, false},
		{"rounding of integers", "1.4ms", pgassay.SettingState{Setting: "1", Unit: "ms", VarType: "integer"}, true},
		{"trailing zeros", "0.20", pgassay.SettingState{Setting: "0.2", VarType: "real"}, true},
		{"booleans have several spellings", "false", pgassay.SettingState{Setting: "off", VarType: "bool"}, true},
		{"and two values", "yes", pgassay.SettingState{Setting: "off", VarType: "bool"}, false},
		{"enums may be booleans", "true", pgassay.SettingState{Setting: "on", VarType: "enum"}, true},
		{"enums ignore case", "REMOTE_WRITE", pgassay.SettingState{Setting: "remote_write", VarType: "enum"}, true},
		{"an enum's value that is no boolean", "local", pgassay.SettingState{Setting: "on", VarType: "enum"}, false},
		{"wal_buffers -1 is replaced by the server", "-1", pgassay.SettingState{Name: "wal_buffers", Setting: "512", Unit: "8kB", VarType: "integer"}, true},
		{"text", "a,b", pgassay.SettingState{Setting: "a,b", VarType: "string"}, true},
	} {
		if got, err := check.Matches(c.requested, c.state); err != nil || got != c.want {
			t.Errorf("%s: got %v, %v, want %v", c.why, got, err, c.want)
		}
	}
}

// FuzzNumber: whatever is read twice is the same, and a unit scales a number.
func FuzzNumber(f *testing.F) {
	f.Add("128MB", "8kB")
	f.Add("1e3", "ms")
	f.Add("-1", "")
	f.Fuzz(func(t *testing.T, text, base string) {
		v, err := check.Number(text, base)
		if err != nil {
			return
		}
		again, err := check.Number(" "+text+" ", base)
		if err != nil || again != v && v == v {
			t.Errorf("%q in %q: %v, with spaces %v, %v", text, base, v, again, err)
		}
	})
}
