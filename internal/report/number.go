package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

const (
	minus   = "−"      // U+2212, as wide as a plus
	unknown = "–"      // what is not known
	gap     = "\u00a0" // between a number and its unit
)

// decimals writes v with n decimals, grouped thousands and a true minus sign.
// A value that is not finite is not a number to print.
func decimals(v float64, n int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return unknown
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', n, 64)
	whole, part, _ := strings.Cut(s, ".")
	var b strings.Builder
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	if part != "" {
		b.WriteString("." + part)
	}
	if v < 0 && strings.Trim(s, "0.") != "" {
		return minus + b.String()
	}
	return b.String()
}

// places is the number of decimals that give v n significant digits.
func places(v float64, n int) int {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return min(max(n-1-int(math.Floor(math.Log10(math.Abs(v)))), 0), 9)
}

// significant rounds v to n significant digits.
func significant(v float64, n int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return decimals(v, 0)
	}
	step := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-float64(n-1))
	rounded := math.Round(v/step) * step
	return decimals(rounded, places(rounded, n))
}

// scale is how a unit is shown near v: divide by it and append the suffix.
type scale struct {
	by     float64
	suffix string
	digits int // significant ones
	whole  bool
}

// steps are the larger and smaller forms of a unit, largest first.
var steps = map[string][]scale{
	"ns": {{by: 1e9, suffix: "s"}, {by: 1e6, suffix: "ms"}, {by: 1e3, suffix: "µs"}, {by: 1, suffix: "ns"}},
	"s":  {{by: 1, suffix: "s"}, {by: 1e-3, suffix: "ms"}, {by: 1e-6, suffix: "µs"}},
	"B":  {{by: 1 << 40, suffix: "TB"}, {by: 1 << 30, suffix: "GB"}, {by: 1 << 20, suffix: "MB"}, {by: 1 << 10, suffix: "kB"}, {by: 1, suffix: "B"}},
}

// scaleOf chooses the form of a metric's unit for a value of v's size.
func scaleOf(unit string, v float64) scale {
	v = math.Abs(v)
	for i, s := range steps[unit] {
		if v >= s.by || i == len(steps[unit])-1 {
			if v == 0 {
				s = steps[unit][0]
				if unit == "ns" || unit == "B" {
					s = steps[unit][len(steps[unit])-1]
				}
			}
			s.digits = 3
			return s
		}
	}
	switch unit {
	case "1/s":
		return scale{by: 1, suffix: "/s", digits: 4}
	case "1":
		return scale{by: 0.01, suffix: "%", digits: 3}
	}
	return scale{by: 1, digits: 3, whole: true}
}

func (s scale) text(v float64) string {
	n := significant(v/s.by, s.digits)
	if s.whole && (v == math.Trunc(v) || math.Abs(v) >= 100) {
		n = decimals(v, 0)
	}
	if s.suffix == "" || n == unknown {
		return n
	}
	return n + gap + s.suffix
}

// amount writes a value of a metric's unit, such as "12.3 ms".
func amount(unit string, v float64) string { return scaleOf(unit, v).text(v) }

// spread writes the interval of a mean next to its estimate: "± 0.4", or both
// limits where they are not symmetric; "" when it is not known.
func spread(unit string, i pgassay.Interval) string {
	if !bounded(i) {
		return ""
	}
	s := scaleOf(unit, i.Estimate)
	up, down := i.High-i.Estimate, i.Estimate-i.Low
	if up == 0 && down == 0 {
		return ""
	}
	if math.Abs(up-down) <= 0.02*math.Max(math.Abs(up), math.Abs(down)) {
		return "±" + gap + significant(up/s.by, 2)
	}
	return significant(i.Low/s.by, 3) + " to " + significant(i.High/s.by, 3)
}

// signed puts a plus before what is above zero once it is rounded.
func signed(text string) string {
	number, _, _ := strings.Cut(text, gap)
	if strings.HasPrefix(text, minus) || text == unknown || strings.Trim(number, "0.") == "" {
		return text
	}
	return "+" + text
}

// percentPlaces is the number of decimals for percentages up to v (a fraction).
func percentPlaces(v float64) int {
	switch v = math.Abs(v); {
	case v >= 1:
		return 0
	case v >= 0.01:
		return 1
	}
	return 2
}

// percent writes a fraction as a percentage without a sign of its own.
func percent(v float64) string {
	s := decimals(v*100, percentPlaces(v))
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + gap + "%"
}

// change writes an effect's estimate: relative ones in percent, absolute ones
// in the metric's unit, always with a sign.
func change(c pgassay.Comparison) string {
	if c.Absolute {
		return signed(amount(unitOf(c.Metric), c.Effect.Estimate))
	}
	p := decimals(c.Effect.Estimate*100, percentPlaces(c.Effect.Estimate))
	if p == unknown {
		return p
	}
	return signed(p) + gap + "%"
}

// changeRange writes an effect's interval, "" when it is not known or has no
// width (no trial had an error, say).
func changeRange(c pgassay.Comparison) string {
	e := c.Effect
	if !bounded(e) || e.Low == e.High {
		return ""
	}
	if c.Absolute {
		s := scaleOf(unitOf(c.Metric), math.Max(math.Abs(e.Low), math.Abs(e.High)))
		low, high := significant(e.Low/s.by, 3), significant(e.High/s.by, 3)
		return strings.TrimSuffix(signed(low)+" to "+signed(high)+gap+s.suffix, gap)
	}
	n := percentPlaces(math.Max(math.Abs(e.Low), math.Abs(e.High)))
	return signed(decimals(e.Low*100, n)) + " to " + signed(decimals(e.High*100, n)) + gap + "%"
}

func unitOf(name pgassay.MetricName) string {
	m, _ := pgassay.MetricByName(name)
	return m.Unit
}

func titleOf(name pgassay.MetricName) string {
	if m, ok := pgassay.MetricByName(name); ok {
		return m.Title
	}
	return string(name)
}

// duration writes a length of time in the two largest units that it has.
func duration(d time.Duration) string {
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%d%sh %d%smin", h, gap, m, gap)
	case m > 0 && s == 0:
		return fmt.Sprintf("%d%smin", m, gap)
	case m > 0:
		return fmt.Sprintf("%d%smin %d%ss", m, gap, s, gap)
	}
	return fmt.Sprintf("%d%ss", s, gap)
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return decimals(float64(n), 0) + " " + thing + "s"
}
