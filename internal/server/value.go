package server

import (
	"math"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
)

// sameValue says whether a value as written in postgresql.conf is what
// pg_settings shows. What it cannot read it does not judge: the server has
// accepted it.
func sameValue(written string, is pgassay.SettingState) bool {
	written = strings.TrimSpace(written)
	switch is.VarType {
	case "bool":
		b, ok := parseBool(written)
		return !ok || b == (is.Setting == "on")
	case "enum":
		if strings.EqualFold(written, is.Setting) {
			return true
		}
		// Several spellings mean the same; only two of pg_settings' own words
		// are certain to differ.
		a, okA := parseBool(written)
		b, okB := parseBool(is.Setting)
		return !okA || !okB || a == b
	case "integer", "real":
		want, okW := inUnit(written, is.Unit)
		got, err := strconv.ParseFloat(is.Setting, 64)
		if !okW || err != nil {
			return true
		}
		slack := 1e-6 * math.Max(1, math.Abs(want)) // real settings are shown with six digits
		if is.VarType == "integer" {
			slack = 0.5 // they are rounded to the base unit
		}
		return math.Abs(want-got) <= slack
	}
	return dial.RedactSetting(is.Name, written) == is.Setting // as ReadSettings shows it
}

// parseBool reads a boolean as bool.c does: any unambiguous beginning of true,
// false, yes, no, on, off, and 1 and 0.
func parseBool(s string) (value, ok bool) {
	s = strings.ToLower(s)
	switch {
	case s == "":
		return false, false
	case s == "1", s == "on", strings.HasPrefix("true", s), strings.HasPrefix("yes", s):
		return true, true
	case s == "0", strings.HasPrefix("false", s), strings.HasPrefix("no", s), len(s) >= 2 && strings.HasPrefix("off", s):
		return false, true
	}
	return false, false
}

// units are guc.c's: bytes of memory and seconds of time.
var units = map[string]float64{
	"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40,
	"us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400,
}

// inUnit reads a number with an optional unit and converts it to the setting's
// own unit, such as "8kB" or "ms".
func inUnit(s, base string) (float64, bool) {
	end := 0
	for end < len(s) && strings.IndexByte("0123456789.+-xXeEabcdefABCDEF", s[end]) >= 0 {
		end++
	}
	// An e, a b or a d may be a digit, an exponent or a unit.
	for ; end > 0; end-- {
		n, ok := parseNumber(s[:end])
		if !ok {
			continue
		}
		unit := strings.TrimSpace(s[end:])
		if unit == "" {
			return n, true
		}
		from, okF := units[unit]
		count, name := splitUnit(base)
		to, okT := units[name]
		return n * from / (count * to), okF && okT
	}
	return 0, false
}

func parseNumber(s string) (float64, bool) {
	if i, err := strconv.ParseInt(s, 0, 64); err == nil && !strings.ContainsAny(s, "oO_") {
		return float64(i), true // also hexadecimal and octal
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// splitUnit splits "8kB" into 8 and kB.
func splitUnit(base string) (count float64, name string) {
	digits := len(base) - len(strings.TrimLeft(base, "0123456789"))
	if digits == 0 {
		return 1, base
	}
	count, _ = strconv.ParseFloat(base[:digits], 64) // digits only
	return count, base[digits:]
}
