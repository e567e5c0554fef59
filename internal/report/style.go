package report

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay"
)

// style is how an arm looks in every chart and table of a report.
type style struct {
	Light, Dark string // colours on a light and on a dark page
	Symbol      string // of its points
	Dash        bool
}

// hues are after Okabe and Ito (2008), safe for colour-blind readers: the first
// of each pair for a light page, the second for a dark one.
var hues = [][2]string{
	{"#0072b2", "#4ba3e3"}, {"#c65102", "#f0803c"}, {"#00845f", "#2cc295"},
	{"#a8508a", "#e39bc4"}, {"#b07800", "#f2b632"}, {"#3d8fc4", "#7ccbf5"},
}

var symbols = []string{"circle", "rect", "triangle", "diamond", "pin", "arrow"}

// baselineStyle is neutral: what the others are seen against.
var baselineStyle = style{Light: "#4a5462", Dark: "#c3cad4", Symbol: "circle", Dash: true}

// styles gives each arm its look. Combinations of two or more factors get the
// hue of the first factor's level, and shade and symbol of the second's; other
// arms a hue of their own.
func styles(e *pgassay.Experiment) []style {
	out := make([]style, len(e.Arms))
	next := 0
	for a, arm := range e.Arms {
		switch {
		case a == e.Baseline:
			out[a] = baselineStyle
		case len(arm.Levels) > 1 && len(e.Factors[0].Levels) <= len(hues):
			hue := hues[arm.Levels[0]%len(hues)]
			n := len(e.Factors[1].Levels)
			t := 0.0
			if n > 1 {
				t = 1 - 2*float64(arm.Levels[1])/float64(n-1)
			}
			out[a] = style{Light: shade(hue[0], 0.30*t), Dark: shade(hue[1], -0.30*t), Symbol: symbols[arm.Levels[1]%len(symbols)]}
		default:
			hue := hues[next%len(hues)]
			out[a] = style{Light: hue[0], Dark: hue[1], Symbol: symbols[next/len(hues)%len(symbols)]}
			next++
		}
	}
	return out
}

// shade mixes a colour with white (t above 0) or black (below).
func shade(hex string, t float64) string {
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return hex
	}
	mix := func(c int) int {
		if t > 0 {
			return c + int(float64(255-c)*t)
		}
		return c + int(float64(c)*t)
	}
	return fmt.Sprintf("#%02x%02x%02x", mix(r), mix(g), mix(b))
}

// labels gives each arm a short name: the levels of a combination, the name of
// a named arm. Where two would be the same, both keep their full names.
func labels(e *pgassay.Experiment) []string {
	out := make([]string, len(e.Arms))
	seen := map[string]int{}
	for a, arm := range e.Arms {
		out[a] = arm.Name
		if len(arm.Levels) > 0 {
			var parts []string
			for f, l := range arm.Levels {
				parts = append(parts, e.Factors[f].Levels[l])
			}
			out[a] = strings.Join(parts, " · ")
		}
		out[a] = oneLine(out[a])
		seen[out[a]]++
	}
	for a := range out {
		if seen[out[a]] > 1 {
			out[a] = oneLine(e.Arms[a].Name)
		}
	}
	return out
}

// armHeading says what the labels of combinations stand for.
func armHeading(e *pgassay.Experiment) string {
	if len(e.Factors) == 0 {
		return "Arm"
	}
	return strings.Join(shortNames(e.Factors), " · ")
}

// shortNames are the factors' names without the words that all start with.
func shortNames(factors []pgassay.Factor) []string {
	var names []string
	for _, f := range factors {
		names = append(names, f.Name)
	}
	if len(names) < 2 {
		return names
	}
	prefix := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	prefix = prefix[:strings.LastIndexByte(prefix, '_')+1]
	for i, n := range names {
		names[i] = strings.TrimPrefix(n, prefix)
	}
	return names
}

// oneLine takes line breaks and control characters out of the user's text.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}), " ")
}
