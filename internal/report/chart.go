package report

import (
	"math"
	"strings"
)

// chart describes a picture as data for charts/src/option.js. Positions are on
// linear axes: where Log is set they are logarithms to the base of 10.
type chart struct {
	Panels []panel `json:"panels"`
	X      axis    `json:"x"`
	Y      axis    `json:"y"`
	// Columns is the most panels side by side; Stacked panels stand below each
	// other and share one x axis.
	Columns int  `json:"columns"`
	Stacked bool `json:"stacked,omitempty"`
	// Height is that of one panel's plot, in pixels.
	Height int `json:"height"`
	// Time says that x is seconds of a trial.
	Time bool `json:"time,omitempty"`
	// Rows says that the points stand in named rows and vary along x.
	Rows bool     `json:"rows,omitempty"`
	Zero *float64 `json:"zero,omitempty"`
}

type axis struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Log   bool    `json:"log,omitempty"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Ticks []tick  `json:"ticks"`
}

type tick struct {
	At    float64 `json:"at"`
	Label string  `json:"label"`
}

type panel struct {
	Title  string `json:"title,omitempty"`
	Series []line `json:"series"`
	Spans  []span `json:"spans,omitempty"`
}

// line is one series: points are x, y and, where an interval is known, its
// limits. Label stands at its end, Texts replace the numbers of its tooltip.
type line struct {
	Name   string      `json:"name"`
	Label  string      `json:"label,omitempty"`
	Light  string      `json:"light"`
	Dark   string      `json:"dark"`
	Symbol string      `json:"symbol"`
	Dash   bool        `json:"dash,omitempty"`
	Hollow bool        `json:"hollow,omitempty"`
	Step   bool        `json:"step,omitempty"`
	Points [][]float64 `json:"points"`
	Texts  []string    `json:"texts,omitempty"`
}

// span is something that lasted: "warmup", "checkpoint", "autovacuum", or the
// "band" of no difference.
type span struct {
	Kind string  `json:"kind"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

func (s style) line(name string) line {
	return line{Name: name, Light: s.Light, Dark: s.Dark, Symbol: s.Symbol, Dash: s.Dash, Hollow: s.Dash}
}

// linear is an axis over lo to hi with about five round ticks. It starts at
// zero unless the values are all far from it; zero says whether it does.
func linear(name, unit string, lo, hi float64) (a axis, zero bool) {
	zero = lo >= 0 && lo < 0.6*hi || hi <= 0
	if zero {
		lo = math.Min(lo, 0)
		hi = math.Max(hi, 0)
	}
	if hi-lo <= math.Abs(hi)*1e-9 {
		pad := math.Abs(lo) * 0.05
		if lo == 0 {
			pad = 1
		}
		lo, hi = lo-pad, hi+pad
		if zero {
			lo = math.Max(lo, 0)
		}
	}
	step := roundStep((hi - lo) / 4)
	a = axis{Name: name, Unit: unit, Min: math.Floor(lo/step+1e-9) * step, Max: math.Ceil(hi/step-1e-9) * step}
	for i := 0; i <= 20; i++ {
		at := a.Min + float64(i)*step
		if at > a.Max+step/2 {
			break
		}
		a.Ticks = append(a.Ticks, tick{At: clean(at), Label: tickLabel(unit, at)})
	}
	a.Min, a.Max = clean(a.Min), clean(a.Max)
	return a, zero
}

// roundStep is the next 1, 2 or 5 times a power of ten.
func roundStep(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*p*1.0001 {
			return m * p
		}
	}
	return 10 * p
}

// clean takes the noise of binary fractions out of a position.
func clean(v float64) float64 {
	if v == 0 {
		return 0
	}
	p := math.Pow(10, 11-math.Ceil(math.Log10(math.Abs(v))))
	if c := math.Round(v*p) / p; !math.IsInf(c, 0) && !math.IsNaN(c) {
		return c
	}
	return v
}

// logarithmic is an axis over lo to hi (both above 0) with ticks at 1, 2 and 5
// times the powers of ten.
func logarithmic(name, unit string, lo, hi float64) axis {
	a := axis{Name: name, Unit: unit, Log: true}
	factors := []float64{1, 2, 5}
	if hi/lo > 1e3 {
		factors = []float64{1}
	}
	var at []float64
	for p := math.Floor(math.Log10(lo)) - 1; p <= math.Ceil(math.Log10(hi))+1; p++ {
		for _, f := range factors {
			at = append(at, f*math.Pow(10, p))
		}
	}
	first, last := 0, len(at)-1
	for first+1 < len(at) && at[first+1] <= lo*1.0001 {
		first++
	}
	for last > 0 && at[last-1] >= hi*0.9999 {
		last--
	}
	if first == last { // one value, just on a tick
		first, last = first-1, last+1
	}
	for _, v := range at[first : last+1] {
		a.Ticks = append(a.Ticks, tick{At: clean(math.Log10(v)), Label: tickLabel(unit, v)})
	}
	a.Min, a.Max = a.Ticks[0].At, a.Ticks[len(a.Ticks)-1].At
	return a
}

// clock is the axis of a trial's time, from and to a round number.
func clock(xs extent) axis {
	if xs.hi <= xs.lo { // a single look at the trial
		xs.lo, xs.hi = math.Min(xs.lo, 0), math.Max(xs.hi, 1)
	}
	step := roundStep((xs.hi - xs.lo) / 16)
	return axis{Name: "seconds of the measurement", Unit: "s", Min: math.Floor(xs.lo/step+0.15) * step, Max: math.Ceil(xs.hi/step-0.15) * step, Ticks: []tick{}}
}

func tickLabel(unit string, v float64) string {
	if v = clean(v); v == 0 {
		return "0"
	}
	if unit == "1/s" { // the axis has it in its name
		unit = ""
	}
	s := scaleOf(unit, v)
	return strings.TrimSuffix(decimals(v/s.by, places0(v/s.by))+gap+s.suffix, gap)
}

// places0 is the number of decimals that a round number needs.
func places0(v float64) int {
	for n := 0; n < 9; n++ {
		p := math.Pow(10, float64(n))
		if math.Abs(v*p-math.Round(v*p)) < 1e-6*math.Max(1, math.Abs(v*p)) {
			return n
		}
	}
	return 9
}

// extent collects the least and the largest finite value.
type extent struct {
	lo, hi float64
	any    bool
}

func (e *extent) add(values ...float64) {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if !e.any {
			e.lo, e.hi, e.any = v, v, true
		}
		e.lo, e.hi = math.Min(e.lo, v), math.Max(e.hi, v)
	}
}
