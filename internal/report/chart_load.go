package report

import (
	"math"

	"github.com/pgassay/pgassay"
)

// loadFigure shows a metric against the number of clients, with the interval
// of each mean; with one load level the arms stand in rows instead. It returns
// nil when no cell knows the metric.
func (v *view) loadFigure(name pgassay.MetricName, file, caption string) *figure {
	if len(v.e.Loads) < 2 {
		return v.rowsFigure(name, file, caption)
	}
	unit := unitOf(name)
	var all extent
	positions := v.positions()
	c := &chart{Columns: 3, Height: 250}
	for _, g := range v.panels {
		p := panel{Title: g.title}
		for k, a := range g.arms {
			l := v.styles[a].line(v.labels[a])
			l.Label = v.within(g, a)
			for load := range v.e.Loads {
				m := metric(v.cell(a, load), name)
				if m == nil || !m.Known || !finite(m.Mean.Estimate) {
					continue
				}
				// Side by side, so that intervals do not hide each other.
				x := positions[load] + (float64(k)-float64(len(g.arms)-1)/2)*dodge(positions, len(g.arms))
				point := []float64{clean(x), m.Mean.Estimate}
				all.add(m.Mean.Estimate)
				said := v.loadName(load) + ", " + amount(unit, m.Mean.Estimate)
				if bounded(m.Mean) {
					point = append(point, m.Mean.Low, m.Mean.High)
					all.add(m.Mean.Low, m.Mean.High)
					said += " (" + amount(unit, m.Mean.Low) + " to " + amount(unit, m.Mean.High) + ")"
				}
				l.Points = append(l.Points, point)
				l.Texts = append(l.Texts, said)
			}
			if len(l.Points) > 0 {
				p.Series = append(p.Series, l)
			}
		}
		if len(p.Series) > 0 {
			c.Panels = append(c.Panels, p)
		}
	}
	if !all.any {
		return nil
	}
	var zero bool
	c.Y, zero = linear(axisName(name), unit, math.Max(all.lo, 0), all.hi)
	if !zero {
		caption += " The axis does not start at zero."
	}
	c.X = axis{Name: "clients"}
	for l, at := range positions {
		c.X.Ticks = append(c.X.Ticks, tick{At: clean(at), Label: decimals(float64(v.e.Loads[l].Clients), 0)})
	}
	margin := 3.5 * dodge(positions, 7)
	c.X.Min, c.X.Max = clean(positions[0]-margin), clean(positions[len(positions)-1]+margin)
	return &figure{File: file, Title: titleOf(name) + " against load", Caption: caption, Chart: c,
		Alt: "Chart of " + titleOf(name) + " at each number of clients, one line per arm; the numbers are in the tables of all metrics."}
}

// positions are the load levels on a logarithmic axis of clients; when two are
// the same number they stand one after the other.
func (v *view) positions() []float64 {
	out := make([]float64, len(v.e.Loads))
	for l, load := range v.e.Loads {
		out[l] = math.Log2(float64(max(load.Clients, 1)))
		if l > 0 && out[l] <= out[l-1] {
			for k := range out {
				out[k] = float64(k)
			}
			return out
		}
	}
	return out
}

// dodge is the distance between arms at one load level.
func dodge(positions []float64, arms int) float64 {
	nearest := positions[len(positions)-1] - positions[0]
	for l := 1; l < len(positions); l++ {
		nearest = math.Min(nearest, positions[l]-positions[l-1])
	}
	nearest = math.Min(nearest, 0.4*(positions[len(positions)-1]-positions[0]))
	return 0.35 * nearest / float64(max(arms, 4))
}

// rowsFigure shows a metric at the only load level, one arm per row.
func (v *view) rowsFigure(name pgassay.MetricName, file, caption string) *figure {
	unit := unitOf(name)
	var all extent
	p := panel{}
	c := &chart{Rows: true, Height: 30*len(v.e.Arms) + 10}
	for a := range v.e.Arms {
		c.Y.Ticks = append(c.Y.Ticks, tick{At: float64(a), Label: v.labels[a]})
		m := metric(v.cell(a, 0), name)
		if m == nil || !m.Known || !finite(m.Mean.Estimate) {
			continue
		}
		l := v.styles[a].line(v.labels[a])
		point := []float64{m.Mean.Estimate, float64(a)}
		all.add(m.Mean.Estimate)
		said := amount(unit, m.Mean.Estimate)
		if bounded(m.Mean) {
			point = append(point, m.Mean.Low, m.Mean.High)
			all.add(m.Mean.Low, m.Mean.High)
			said += " " + spread(unit, m.Mean)
		}
		l.Points, l.Texts, l.Label = [][]float64{point}, []string{said}, amount(unit, m.Mean.Estimate)
		p.Series = append(p.Series, l)
	}
	if !all.any {
		return nil
	}
	var zero bool
	c.X, zero = linear(axisName(name), unit, math.Max(all.lo, 0), all.hi)
	if !zero {
		caption += " The axis does not start at zero."
	}
	c.Y.Min, c.Y.Max = -0.6, float64(len(v.e.Arms))-0.4
	c.Panels = []panel{p}
	return &figure{File: file, Title: titleOf(name) + " at " + v.loadName(0), Caption: caption, Chart: c,
		Alt: "Chart of " + titleOf(name) + " for each arm; the numbers are in the tables of all metrics."}
}

func axisName(name pgassay.MetricName) string {
	switch name {
	case pgassay.MetricTPS:
		return "transactions per second"
	case pgassay.MetricRowsPerS:
		return "rows per second"
	}
	return titleOf(name)
}

// bounded says that an interval can be drawn and written: all of it is finite.
func bounded(i pgassay.Interval) bool {
	return finite(i.Low) && finite(i.Estimate) && finite(i.High)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
