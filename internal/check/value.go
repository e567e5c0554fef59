package check

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

// units holds PostgreSQL's units: bytes for memory, microseconds for time.
var units = map[string]struct {
	memory bool
	size   float64
}{
	"B": {true, 1}, "kB": {true, 1 << 10}, "MB": {true, 1 << 20}, "GB": {true, 1 << 30}, "TB": {true, 1 << 40},
	"us": {false, 1}, "ms": {false, 1e3}, "s": {false, 1e6}, "min": {false, 60e6}, "h": {false, 3600e6}, "d": {false, 86400e6},
}

// Number reads a numeric setting as PostgreSQL does: a number, then perhaps a
// unit (case matters). The result is in base, a unit as pg_settings writes it,
// such as "ms" or "8kB"; "" is a setting without a unit. A number without a
// unit is in base already.
func Number(text, base string) (float64, error) {
	v, unit, err := split(text)
	if err != nil || unit == "" {
		return v, err
	}
	from, known := units[unit]
	if !known {
		return 0, fmt.Errorf("read %q: unknown unit %q", text, unit)
	}
	factor, name, err := split(base)
	if base == "" || (err != nil && name == "") {
		factor, name = 1, base
	}
	to, known := units[name]
	if !known || to.memory != from.memory {
		return 0, fmt.Errorf("read %q: the setting's unit is %q", text, base)
	}
	return v * from.size / (to.size * factor), nil
}

// split parts a number from its unit; a unit alone counts once ("ms" as a base
// unit) and is reported with the error.
func split(text string) (v float64, unit string, err error) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("+-.0123456789eE", r) })
	if end < 0 {
		end = len(text)
	}
	unit = strings.TrimSpace(text[end:])
	if v, err = strconv.ParseFloat(text[:end], 64); err != nil {
		return 0, "", fmt.Errorf("read %q: not a number", text)
	}
	return v, unit, nil
}

// Bool reads a boolean as PostgreSQL does; ok is false for anything else.
func Bool(text string) (on, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "on", "true", "yes", "1", "t", "y":
		return true, true
	case "off", "false", "no", "0", "f", "n":
		return false, true
	}
	return false, false
}

// Matches says whether what the server has in force is what was requested.
// Integers are compared after the server's rounding; -1 matches what the server
// puts in its place for wal_buffers. A share such as 25% cannot be compared:
// that is an error.
func Matches(requested string, s pgassay.SettingState) (bool, error) {
	switch s.VarType {
	case "bool":
		want, ok1 := Bool(requested)
		got, ok2 := Bool(s.Setting)
		return ok1 && ok2 && want == got, nil
	case "integer", "real":
		want, err := Number(requested, s.Unit)
		if err != nil {
			return false, err
		}
		got, err := strconv.ParseFloat(s.Setting, 64)
		if err != nil {
			return false, fmt.Errorf("read %s: %w", s.Name, err)
		}
		if s.Name == "wal_buffers" && want == -1 {
			return true, nil
		}
		if s.VarType == "integer" {
			want = math.RoundToEven(want)
		}
		return math.Abs(want-got) <= 1e-9*math.Max(math.Abs(want), 1), nil
	case "enum":
		if on, ok := Bool(requested); ok {
			if got, ok := Bool(s.Setting); ok {
				return on == got, nil
			}
		}
		return strings.EqualFold(strings.TrimSpace(requested), s.Setting), nil
	}
	return strings.TrimSpace(requested) == s.Setting, nil
}

// Lookup gives the numbers of settings as written in an experiment, each in its
// base unit, for [autovacuum.Read]. Only settings of the table of rules and
// booleans (0 and 1) can be looked up.
func Lookup(settings []pgassay.Setting) func(name string) (float64, bool) {
	return func(name string) (float64, bool) {
		for _, s := range settings {
			if s.Name != name {
				continue
			}
			if v, err := Number(s.Value, ruleUnit(name)); err == nil {
				return v, true
			}
			return number(Bool(s.Value))
		}
		return 0, false
	}
}

func number(on, ok bool) (float64, bool) {
	if on {
		return 1, ok
	}
	return 0, ok
}

// inForce is Lookup for what the server says.
func inForce(settings map[string]pgassay.SettingState) func(name string) (float64, bool) {
	return func(name string) (float64, bool) {
		s, ok := settings[name]
		if !ok {
			return 0, false
		}
		if v, err := strconv.ParseFloat(s.Setting, 64); err == nil {
			return v, true
		}
		return number(Bool(s.Setting))
	}
}
