package report

import (
	"math"
	"strings"

	"github.com/pgassay/pgassay/internal/analyze"
)

// percentiles are the ticks of a percentile axis, up to the highest that a
// histogram can show.
var percentiles = []struct {
	q     float64
	label string
}{{0.5, "P50"}, {0.9, "P90"}, {0.95, "P95"}, {0.99, "P99"}, {0.999, "P99.9"}, {0.9999, "P99.99"}, {0.99999, "P99.999"}}

// tailPosition spreads the tail: each nine takes the same width.
func tailPosition(q float64) float64 { return -math.Log10(1 - q) }

// quantileFigure shows the whole latency distribution of each arm at the
// primary load level, as far as it is known; nil when none is.
func (v *view) quantileFigure() *figure {
	var xs, ys extent
	c := &chart{Columns: 3, Height: 260}
	for _, g := range v.panels {
		p := panel{Title: g.title}
		for _, a := range g.arms {
			l := v.quantileLine(g, a, v.cell(a, v.e.Design.Primary.Load), &xs, &ys)
			if len(l.Points) > 1 {
				p.Series = append(p.Series, l)
			}
		}
		if len(p.Series) > 0 {
			c.Panels = append(c.Panels, p)
		}
	}
	if len(c.Panels) == 0 {
		return nil
	}
	c.Y = logarithmic("latency (logarithmic)", "ns", ys.lo, ys.hi)
	c.X = axis{Name: "percentile of transactions", Min: 0, Max: xs.hi}
	for _, p := range percentiles {
		at := tailPosition(p.q)
		if p.q == 0.95 && xs.hi > 2.5 || at > xs.hi+1e-9 {
			continue
		}
		c.X.Ticks = append(c.X.Ticks, tick{At: clean(at), Label: p.label})
	}
	return &figure{File: "latency-percentiles", Title: "Latency percentiles at " + v.load(), Chart: c,
		Caption: "All valid trials of an arm together; a line ends where fewer than 100 transactions lie beyond it. Both axes are logarithmic: every step of a nine has the same width.",
		Alt:     "Chart of latency by percentile, one line per arm; the numbers are in the tables of all metrics."}
}

func (v *view) quantileLine(g group, arm int, cell *analyze.Cell, xs, ys *extent) line {
	l := v.styles[arm].line(v.labels[arm])
	l.Label, l.Symbol = v.within(g, arm), "none"
	if cell == nil {
		return l
	}
	for _, q := range cell.Quantiles {
		// The minimum is one transaction and would stretch the axis.
		if q.Value <= 0 || q.Quantile >= 1 || q.Quantile <= 0 {
			continue
		}
		x := clean(tailPosition(q.Quantile))
		l.Points = append(l.Points, []float64{x, clean(math.Log10(float64(q.Value)))})
		l.Texts = append(l.Texts, "P"+strings.TrimSuffix(decimals(q.Quantile*100, places0(q.Quantile*100)), ".0")+" "+amount("ns", float64(q.Value)))
		xs.add(x)
		ys.add(float64(q.Value))
	}
	return l
}
