package experiment

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// unit is one of PostgreSQL's units (guc.c): its size in bytes or microseconds.
type unit struct {
	name string
	size float64
	time bool
}

// units lists PostgreSQL's units, the greatest of each kind first.
var units = []unit{
	{"TB", 1 << 40, false}, {"GB", 1 << 30, false}, {"MB", 1 << 20, false}, {"kB", 1 << 10, false}, {"B", 1, false},
	{"d", 86_400e6, true}, {"h", 3_600e6, true}, {"min", 60e6, true}, {"s", 1e6, true}, {"ms", 1e3, true}, {"us", 1, true},
}

// misspelt maps what people write, in lower case, to PostgreSQL's spelling.
var misspelt = map[string]string{
	"b": "B", "byte": "B", "bytes": "B", "k": "kB", "kb": "kB", "kib": "kB", "m": "MB or min", "mb": "MB", "mib": "MB", "g": "GB", "gb": "GB", "gib": "GB",
	"t": "TB", "tb": "TB", "tib": "TB", "us": "us", "µs": "us", "usec": "us", "ms": "ms", "msec": "ms", "millis": "ms", "s": "s", "sec": "s", "secs": "s",
	"second": "s", "seconds": "s", "min": "min", "mins": "min", "minute": "min", "minutes": "min", "h": "h", "hr": "h", "hour": "h", "hours": "h",
	"d": "d", "day": "d", "days": "d",
}

func unitByName(name string) (unit, bool) {
	for _, u := range units {
		if u.name == name {
			return u, true
		}
	}
	return unit{}, false
}

// quantity is a number with one of PostgreSQL's units, or none (name "").
type quantity struct {
	number float64
	unit   unit
}

var quantityForm = regexp.MustCompile(`^([+-]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?)\s*([A-Za-zµ]*)$`)

// errUnit says that a number is followed by a unit PostgreSQL does not have.
type errUnit struct{ got, want string }

func (e *errUnit) Error() string {
	if e.want == "" {
		return fmt.Sprintf("PostgreSQL has no unit %s", e.got)
	}
	return fmt.Sprintf("PostgreSQL spells it %s, not %s", e.want, e.got)
}

// parseQuantity reads a number with or without a unit, by PostgreSQL's rules
// (units are case-sensitive) plus underscores between digits. ok is false when
// the text is not a number at all.
func parseQuantity(text string) (q quantity, ok bool, err error) {
	m := quantityForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return q, false, nil
	}
	q.number, err = strconv.ParseFloat(strings.ReplaceAll(m[1], "_", ""), 64)
	if err != nil || math.IsInf(q.number, 0) {
		return q, false, nil
	}
	if m[2] == "" {
		return q, true, nil
	}
	u, known := unitByName(m[2])
	if !known {
		return q, true, &errUnit{m[2], misspelt[strings.ToLower(m[2])]}
	}
	q.unit = u
	return q, true, nil
}

// baseUnit reads pg_settings.unit, which may have a number in front ("8kB").
// ok is false for "" and what is unknown.
func baseUnit(name string) (unit, bool) {
	i := strings.IndexFunc(name, func(r rune) bool { return r < '0' || r > '9' })
	if i < 0 {
		return unit{}, false
	}
	u, ok := unitByName(name[i:])
	if !ok {
		return unit{}, false
	}
	if i > 0 {
		n, err := strconv.Atoi(name[:i])
		if err != nil {
			return unit{}, false
		}
		u.size *= float64(n)
	}
	return u, true
}

// in converts a quantity into a setting's unit; a bare number is in it already.
func (q quantity) in(base string) (float64, error) {
	if q.unit.name == "" {
		return q.number, nil
	}
	b, ok := baseUnit(base)
	switch {
	case !ok:
		return 0, fmt.Errorf("it takes a number without a unit")
	case b.time != q.unit.time && b.time:
		return 0, fmt.Errorf("it takes a time (us, ms, s, min, h, d), not a size")
	case b.time != q.unit.time:
		return 0, fmt.Errorf("it takes a size (B, kB, MB, GB, TB), not a time")
	}
	return q.number * q.unit.size / b.size, nil
}

// formatQuantity writes n times a setting's unit as PostgreSQL's SHOW does: in
// the greatest unit of which it is a whole multiple, else in the unit itself.
func formatQuantity(n float64, base string) string {
	b, ok := baseUnit(base)
	if !ok || n == 0 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	total := n * b.size
	for _, u := range units {
		if v := total / u.size; u.time == b.time && v == math.Trunc(v) && v*u.size == total && math.Abs(v) < 1<<53 {
			return strconv.FormatFloat(v, 'f', -1, 64) + u.name
		}
	}
	if _, plain := unitByName(base); plain {
		return strconv.FormatFloat(n, 'f', -1, 64) + base
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// canonical writes a value so that two spellings of the same quantity compare
// equal: bytes or microseconds, and numbers in their shortest form.
func canonical(value string) string {
	q, ok, err := parseQuantity(value)
	if !ok || err != nil {
		return strings.TrimSpace(value)
	}
	if q.unit.name == "" {
		return strconv.FormatFloat(q.number, 'g', -1, 64)
	}
	if q.unit.time {
		return strconv.FormatFloat(q.number*q.unit.size, 'g', -1, 64) + "us"
	}
	return strconv.FormatFloat(q.number*q.unit.size, 'g', -1, 64) + "B"
}
