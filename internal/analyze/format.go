package analyze

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

// noun is a metric's name within a sentence.
func noun(m pgassay.Metric) string {
	if q, ok := strings.CutPrefix(m.Title, "Latency "); ok {
		return q + " latency"
	}
	if len(m.Title) > 1 && m.Title[1] >= 'A' && m.Title[1] <= 'Z' { // WAL
		return m.Title
	}
	return strings.ToLower(m.Title[:1]) + m.Title[1:]
}

// metricNoun is noun by name.
func metricNoun(name pgassay.MetricName) string {
	m, _ := pgassay.MetricByName(name)
	return noun(m)
}

// plural counts things: "1 trial", "2 trials".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(float64(n)) + " " + thing + "s"
}

// count writes a number with separators between thousands and as many digits
// as are worth reading: three, or all before the point.
func count(v float64) string {
	digits := 0
	if a := math.Abs(v); a > 0 && a < 100 && v != math.Trunc(v) {
		digits = min(6, 2-int(math.Floor(math.Log10(a))))
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', digits, 64)
	whole, fraction, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + fraction
	}
	if v < 0 && strings.Trim(whole, "0.,") != "" {
		return "-" + whole
	}
	return whole
}

// scaled writes v in the largest of the units that leaves it at 1 or above.
func scaled(v float64, units []string, steps []float64) string {
	for i, step := range steps {
		if math.Abs(v) >= step || i == len(steps)-1 {
			return count(v/step) + " " + units[i]
		}
	}
	return ""
}

// amount writes a metric's value with its unit, as people say it.
func amount(m pgassay.Metric, v float64) string {
	seconds := func(v float64) string {
		if v == 0 {
			return "0 s"
		}
		return scaled(v, []string{"s", "ms", "µs", "ns"}, []float64{1, 1e-3, 1e-6, 1e-9})
	}
	switch m.Unit {
	case "1/s":
		return count(v) + " /s"
	case "ns":
		return seconds(v / 1e9)
	case "s":
		return seconds(v)
	case "B":
		return size(v)
	case "1":
		return percent(v)
	}
	return count(v)
}

// size writes bytes in PostgreSQL's units, which are powers of 1024.
func size(v float64) string {
	return scaled(v, []string{"TB", "GB", "MB", "kB", "B"}, []float64{1 << 40, 1 << 30, 1 << 20, 1 << 10, 1})
}

// percent writes a fraction as a percentage: one digit after the point below
// 100 %, two below 1 %.
func percent(v float64) string {
	p := 100 * v
	digits := 1
	switch a := math.Abs(p); {
	case a >= 99.95:
		digits = 0
	case a > 0 && a < 0.995:
		digits = 2
	}
	s := strconv.FormatFloat(p, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = "0"
	}
	return s + " %"
}

// signed is percent with its sign, for limits on both sides of zero.
func signed(v float64) string {
	if s := percent(v); v > 0 && s != "0 %" {
		return "+" + s
	}
	return percent(v)
}

// change puts an effect whose interval excludes zero into words: "raised
// throughput by 5.2 % (95 % interval 3.1 % to 7.4 %)".
func change(c pgassay.Comparison) string {
	m, _ := pgassay.MetricByName(c.Metric)
	verb, est, low, high := "raised", c.Effect.Estimate, c.Effect.Low, c.Effect.High
	if est < 0 {
		verb, est, low, high = "lowered", -est, -high, -low
	}
	write := percent
	if c.Absolute {
		write = func(v float64) string { return amount(m, v) }
	}
	return fmt.Sprintf("%s %s by %s (%s interval %s to %s)", verb, noun(m), write(est), percentLevel(c.Effect.Level), write(low), write(high))
}

// between is an interval on both sides of zero: "95 % interval -1.2 % to +3 %".
func between(c pgassay.Comparison) string {
	m, _ := pgassay.MetricByName(c.Metric)
	write := signed
	if c.Absolute {
		write = func(v float64) string { return amount(m, v) }
	}
	return fmt.Sprintf("%s interval %s to %s", percentLevel(c.Effect.Level), write(c.Effect.Low), write(c.Effect.High))
}

// detectable is a detectable effect in words, "" when it is not known.
func detectable(c pgassay.Comparison) string {
	switch m, _ := pgassay.MetricByName(c.Metric); {
	case c.Detectable <= 0:
		return ""
	case c.Absolute:
		return amount(m, c.Detectable)
	case c.Detectable >= 1: // a drop can never be as large: say it as a factor
		return fmt.Sprintf("×%.3g", 1+c.Detectable)
	}
	return percent(c.Detectable)
}

func percentLevel(level float64) string {
	return strconv.FormatFloat(100*level, 'g', 4, 64) + " %"
}

// quoted names an arm within a sentence.
func (s *study) quoted(arm int) string { return strconv.Quote(s.e.Arms[arm].Name) }

// list joins names as people do: "a, b and c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// sentence makes a message start with a capital and end with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
