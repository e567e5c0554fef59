package report

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay"
)

// effectFigure shows the primary comparison: each arm's effect against the
// baseline with its interval, and the band in which a difference would count
// as none. It returns nil when nothing was compared.
func (v *view) effectFigure() *figure {
	primary := v.e.Design.Primary
	p := panel{}
	c := &chart{Rows: true, Zero: new(float64)}
	var all extent
	absolute, known := false, false
	row := 0
	for a := range v.e.Arms {
		k := v.comparison(primary.Metric, a, primary.Load)
		if a == v.e.Baseline || k == nil {
			continue
		}
		name := v.labels[a]
		if k.Verdict == pgassay.Invalid { // its number would only mislead
			name += " (invalid)"
		}
		c.Y.Ticks = append(c.Y.Ticks, tick{At: float64(row), Label: name})
		if finite(k.Effect.Estimate) && k.Blocks > 0 && k.Verdict != pgassay.Invalid {
			absolute = absolute || k.Absolute
			l := v.styles[a].line(v.labels[a])
			if l.Label = verdictWord(k.Verdict); k.Verdict != pgassay.Inconclusive {
				l.Label = change(*k) + " " + l.Label
			}
			point := []float64{k.Effect.Estimate, float64(row)}
			all.add(k.Effect.Estimate)
			said := change(*k)
			if bounded(k.Effect) {
				known = true
				point = append(point, k.Effect.Low, k.Effect.High)
				all.add(k.Effect.Low, k.Effect.High)
				said += " (" + changeRange(*k) + "), " + verdictWord(k.Verdict)
			}
			l.Points, l.Texts = [][]float64{point}, []string{said}
			p.Series = append(p.Series, l)
		}
		row++
	}
	if !all.any {
		return nil
	}
	delta := v.e.Design.Delta
	caption := fmt.Sprintf("Points are estimates, bars their %s intervals.", percent(1-v.e.Design.Alpha))
	if !known {
		caption = "Points are estimates. They have no interval, so nothing can be claimed."
	}
	if !absolute && delta > 0 {
		all.add(-1.4*delta, 1.4*delta)
		p.Spans = []span{{"band", -delta, delta}}
		caption += fmt.Sprintf(" The shaded band is ±%s: what lies within it counts as no difference.", percent(delta))
	}
	all.add(0)
	c.X = effectAxis(primary.Metric, absolute, all)
	c.Y.Min, c.Y.Max = -0.6, float64(row)-0.4
	c.Height = 34*row + 10
	c.Panels = []panel{p}
	m, _ := pgassay.MetricByName(primary.Metric)
	caption += " " + better(m)
	return &figure{File: "effect", Title: fmt.Sprintf("Effect on %s at %s, against %s", lower(titleOf(primary.Metric)), v.load(), v.labels[v.e.Baseline]),
		Caption: caption, Chart: c, Alt: "Chart of each arm's effect with its interval; the numbers are in the table of verdicts."}
}

// effectAxis is a linear axis with zero in it.
func effectAxis(name pgassay.MetricName, absolute bool, all extent) axis {
	a := axis{Name: "change of " + lower(titleOf(name)), Unit: unitOf(name)}
	if all.hi <= all.lo { // no arm differs at all, say because nobody had an error
		width := 1.0
		if !absolute || a.Unit == "1" {
			width = 0.01
		}
		all.lo, all.hi = all.lo-width, all.hi+width
	}
	step := roundStep((all.hi - all.lo) / 5)
	first, last := int(math.Floor(all.lo/step+1e-9)), int(math.Ceil(all.hi/step-1e-9))
	for i := first; i <= last; i++ {
		at := clean(float64(i) * step)
		label := decimals(at*100, places0(at*100)) + gap + "%"
		if absolute {
			label = tickLabel(a.Unit, at)
		}
		if at > 0 {
			label = "+" + label
		}
		a.Ticks = append(a.Ticks, tick{At: at, Label: label})
	}
	a.Min, a.Max = a.Ticks[0].At, a.Ticks[len(a.Ticks)-1].At
	return a
}

// better says which way is good for a metric.
func better(m pgassay.Metric) string {
	switch m.Direction {
	case pgassay.HigherIsBetter:
		return "Right of zero is better."
	case pgassay.LowerIsBetter:
		return "Left of zero is better."
	}
	return "Neither side is better as such."
}
