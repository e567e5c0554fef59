package experiment

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// scalar is a kind of value: how it is described, checked, and written in the
// JSON Schema.
type scalar struct {
	says   string // "a duration such as 10s"
	check  func(text string) error
	schema map[string]any
}

// anyText accepts every value; says completes "want …".
func anyText(says string) *scalar {
	return &scalar{says: says, check: func(text string) error {
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("is empty")
		}
		return nil
	}, schema: map[string]any{"type": "string", "minLength": 1}}
}

// anyValue accepts text, numbers and booleans.
func anyValue(says string) *scalar {
	s := anyText(says)
	s.schema = map[string]any{"type": []string{"string", "number", "boolean"}}
	return s
}

// pattern accepts text that matches a regular expression as a whole.
func pattern(says, expr string) *scalar {
	re := regexp.MustCompile("^(?:" + expr + ")$")
	return &scalar{says: says, check: func(text string) error {
		if !re.MatchString(text) {
			return fmt.Errorf("is not %s", says)
		}
		return nil
	}, schema: map[string]any{"type": "string", "pattern": "^(?:" + expr + ")$"}}
}

// oneOf accepts a closed list of words.
func oneOf(words ...string) *scalar {
	return &scalar{says: "one of " + strings.Join(words, ", "), check: func(text string) error {
		for _, w := range words {
			if text == w {
				return nil
			}
		}
		return pgassay.WithHint(fmt.Errorf("is not a value that it takes"), didYouMean(text, words))
	}, schema: map[string]any{"enum": words}}
}

// integer accepts whole numbers from lo to hi, with underscores between digits.
func integer(lo, hi int64) *scalar {
	says := fmt.Sprintf("a whole number from %s to %s", grouped(lo), grouped(hi))
	return &scalar{says: says, check: func(text string) error {
		n, err := parseInteger(text)
		if err != nil {
			return fmt.Errorf("is not %s", says)
		}
		if n < lo || n > hi {
			return fmt.Errorf("is outside %s … %s", grouped(lo), grouped(hi))
		}
		return nil
	}, schema: map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": lo, "maximum": hi},
		map[string]any{"type": "string", "pattern": "^[0-9][0-9_]*$"}, // 300_000 is text to most YAML parsers
	}}}
}

// fraction accepts 0.05 and 5 %, both between lo and hi, ends excluded.
func fraction(lo, hi float64) *scalar {
	return &scalar{says: "a share such as 5% or 0.05", check: func(text string) error {
		f, err := parseFraction(text)
		if err != nil {
			return fmt.Errorf("is not a share such as 5%% or 0.05")
		}
		if !(f > lo && f < hi) {
			return fmt.Errorf("is not between %g%% and %g%%", lo*100, hi*100)
		}
		return nil
	}, schema: map[string]any{"anyOf": []any{
		map[string]any{"type": "number", "exclusiveMinimum": lo, "exclusiveMaximum": hi},
		map[string]any{"type": "string", "pattern": `^[0-9]+(?:\.[0-9]+)?%$`},
	}}}
}

// maxDuration is the longest time that a file may ask for.
const maxDuration = 30 * 24 * time.Hour

// duration accepts times with a unit, at least lo.
func duration(lo time.Duration) *scalar {
	return &scalar{says: "a duration such as 10s", check: func(text string) error {
		d, err := parseDuration(text)
		if err != nil {
			return err
		}
		if d < lo || d > maxDuration {
			return fmt.Errorf("is outside %s … %s", formatDuration(lo), formatDuration(maxDuration))
		}
		return nil
	}, schema: map[string]any{"type": "string", "pattern": `^(?:[0-9]+(?:\.[0-9]+)?(?:us|ms|s|m|min|h|d))+$`}}
}

// size accepts bytes with PostgreSQL's unit, at least lo.
func size(lo int64) *scalar {
	return &scalar{says: "a size such as 2GB", check: func(text string) error {
		n, err := parseSize(text)
		if err != nil {
			return err
		}
		if n < lo {
			return fmt.Errorf("is less than %s", formatQuantity(float64(lo), "B"))
		}
		return nil
	}, schema: map[string]any{"type": "string", "pattern": `^[0-9][0-9_]*(?:\.[0-9]+)?\s*(?:B|kB|MB|GB|TB)$`}}
}

func parseInteger(text string) (int64, error) {
	return strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
}

func parseFraction(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("not a share")
	}
	if percent {
		f /= 100
	}
	return f, nil
}

// durationUnits are those of the file's own times: PostgreSQL's, and m.
var durationUnits = map[string]time.Duration{
	"us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "m": time.Minute, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

var durationPart = regexp.MustCompile(`^([0-9][0-9_]*(?:\.[0-9]+)?)([a-z]+)`)

// parseDuration reads "10s", "1.5h" or "1h30m".
func parseDuration(text string) (time.Duration, error) {
	if strings.HasPrefix(text, "-") {
		return 0, fmt.Errorf("is negative")
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return 0, pgassay.WithHint(fmt.Errorf("has no unit"), "write "+text+"s for seconds")
	}
	var total float64
	for rest := text; rest != ""; {
		m := durationPart.FindStringSubmatch(rest)
		if m == nil {
			return 0, fmt.Errorf("is not a duration such as 10s")
		}
		u, ok := durationUnits[m[2]]
		if !ok {
			return 0, pgassay.WithHint(fmt.Errorf("has the unknown unit %s", m[2]), "units are us, ms, s, min (or m), h, d")
		}
		n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], "_", ""), 64)
		if err != nil {
			return 0, fmt.Errorf("is not a duration such as 10s")
		}
		total += n * float64(u)
		rest = rest[len(m[0]):]
	}
	if text == "" || total > float64(math.MaxInt64/2) {
		return 0, fmt.Errorf("is not a duration that can be run")
	}
	return time.Duration(math.Round(total)), nil
}

// formatDuration writes a duration in the greatest unit that divides it.
func formatDuration(d time.Duration) string {
	for _, u := range []string{"d", "h", "min", "s", "ms"} {
		if size := durationUnits[u]; d != 0 && d%size == 0 {
			return fmt.Sprintf("%d%s", d/size, u)
		}
	}
	return fmt.Sprintf("%gs", d.Seconds())
}

func parseSize(text string) (int64, error) {
	q, ok, err := parseQuantity(text)
	if err != nil {
		return 0, err
	}
	if !ok || q.unit.name == "" || q.unit.time {
		return 0, fmt.Errorf("is not a size such as 2GB")
	}
	bytes, _ := q.in("B")
	if bytes < 0 || bytes > 1<<60 {
		return 0, fmt.Errorf("is not a size that a machine has")
	}
	return int64(bytes), nil
}

// grouped writes a number with underscores, as the file accepts it.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "_" + s[i:]
	}
	return s
}
