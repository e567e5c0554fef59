package report

import (
	"slices"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// charts is the evidence in pictures.
func (v *view) charts() section {
	s := section{ID: "charts", Title: "Charts"}
	if len(v.e.Arms) > 1 {
		var l []legend
		for a := range v.e.Arms {
			item := legend{Style: &v.styles[a], Label: v.labels[a]}
			if a == v.e.Baseline {
				item.Full = "baseline"
			}
			l = append(l, item)
		}
		s.Blocks = append(s.Blocks, block{Legend: l})
	}
	means := "Points are means over blocks, bars their 95" + gap + "% intervals from trials."
	if !slices.ContainsFunc(v.Cells, func(c analyze.Cell) bool { return c.Blocks > 1 }) {
		means = "Points are single trials: one block has no interval."
	}
	figures := []*figure{v.loadFigure(pgassay.MetricTPS, "throughput-load", means)}
	if name := v.tail(); name != "" {
		caption := means
		if name != pgassay.MetricResponseP99 {
			caption += " P99 needs 10,000 transactions in a trial; this is the highest percentile that is known."
		}
		figures = append(figures, v.loadFigure(name, "latency-load", caption))
	}
	n := len(s.Blocks)
	for _, f := range append(figures, v.quantileFigure(), v.throughputTime(), v.deadRowsTime()) {
		if f != nil {
			s.Blocks = append(s.Blocks, block{Figure: f})
		}
	}
	if v.noDeadRows() {
		s.Blocks = append(s.Blocks, block{Text: "Dead rows over time at " + v.load() + " are not drawn: PostgreSQL counted none in these trials."})
	}
	if len(s.Blocks) == n {
		s.Blocks = nil
	}
	return s
}
