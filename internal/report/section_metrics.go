package report

import (
	"fmt"
	"strings"

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
	if len(s.Blocks) == n {
		s.Blocks = nil
	}
	return s
}

// value is the field of one metric of one cell: its mean and, below, how far
// the interval goes.
func (v *view) value(arm, load int, name pgassay.MetricName, n *notes) entry {
	c := v.cell(arm, load)
	m := metric(c, name)
	switch {
	case c == nil:
		return n.empty("not measured")
	case c.Dropped:
		return n.empty(orElse(c.Why, "no valid trial"))
	case m == nil:
		return n.empty("not measured")
	case !m.Known || !finite(m.Mean.Estimate):
		return n.empty(orElse(m.Why, "not known"))
	}
	return entry{Text: amount(unitOf(name), m.Mean.Estimate), Sub: spread(unitOf(name), m.Mean)}
}

func orElse(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

// column headings of the table of all metrics, in its order.
var metricColumns = []struct {
	name pgassay.MetricName
	head string
}{
	{pgassay.MetricRowsPerS, "Rows/s"}, {pgassay.MetricRows, "Rows in a trial"}, {pgassay.MetricTPS, "TPS"},
	{pgassay.MetricResponseP50, "P50"}, {pgassay.MetricResponseP95, "P95"}, {pgassay.MetricResponseP99, "P99"}, {pgassay.MetricResponseP999, "P99.9"},
	{pgassay.MetricErrorRate, "Errors"}, {pgassay.MetricServerCPU, "Server CPU / txn"}, {pgassay.MetricVacuumCPU, "Autovacuum CPU"},
	{pgassay.MetricClientCPU, "Client CPU / txn"}, {pgassay.MetricWALPerTxn, "WAL / txn"},
	{pgassay.MetricVacuums, "Autovacuum runs"}, {pgassay.MetricDeadRowsEnd, "Dead rows at end"},
}

// metrics shows every cell: one table per load level, arms as rows.
func (v *view) metrics() section {
	s := section{ID: "metrics", Title: "All metrics"}
	if len(v.Cells) == 0 {
		return s
	}
	s.Blocks = append(s.Blocks, block{Text: "Means over valid trials, one per block; “±” is half of the 95" + gap + "% interval. TPS are completed transactions per second, txn is a transaction. Latency is response time, its percentiles are taken within each trial."})
	for l := range v.e.Loads {
		t := &table{Caption: v.loadName(l), Columns: []column{{Text: "Arm"}, {Text: "Valid trials", Number: true}}}
		for _, m := range metricColumns {
			t.Columns = append(t.Columns, column{Text: m.head, Number: true})
		}
		var n notes
		for a := range v.e.Arms {
			row := []entry{v.swatch(a), text(v.trialCount(v.cell(a, l)))}
			for _, m := range metricColumns {
				e := v.value(a, l, m.name, &n)
				e.Text = strings.TrimSuffix(e.Text, gap+"/s") // the heading says it
				row = append(row, e)
			}
			t.Rows = append(t.Rows, row)
		}
		t.Notes = n.lines()
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	return s
}

func (v *view) trialCount(c *analyze.Cell) string {
	if c == nil {
		return unknown
	}
	return decimals(float64(c.Trials), 0)
}

// slices cuts the results two ways: pairs of factors at one load level, and
// the load levels of one arm.
func (v *view) slices() section {
	s := section{ID: "slices", Title: "Slices"}
	names := []pgassay.MetricName{v.e.Design.Primary.Metric}
	for _, m := range []pgassay.MetricName{pgassay.MetricTPS, v.tail(), pgassay.MetricDeadRowsEnd} {
		if m != "" && m != names[0] {
			names = append(names, m)
		}
	}
	if len(v.e.Factors) == 2 {
		s.Blocks = append(s.Blocks, block{Text: fmt.Sprintf("Both factors at %s. Colours are verdicts against the baseline.", v.load())})
		for _, m := range names {
			if t := v.matrix(m, v.e.Design.Primary.Load); t != nil {
				s.Blocks = append(s.Blocks, block{Table: t})
			}
		}
	}
	if len(v.e.Loads) > 1 {
		var inner []block
		for a := range v.e.Arms {
			t := &table{Caption: v.labels[a] + " at every load level", Columns: []column{{Text: "Load"}}}
			for _, m := range names {
				t.Columns = append(t.Columns, column{Text: titleOf(m), Number: true})
			}
			var n notes
			for l := range v.e.Loads {
				row := []entry{text(v.loadName(l))}
				for _, m := range names {
					row = append(row, v.value(a, l, m, &n))
				}
				t.Rows = append(t.Rows, row)
			}
			t.Notes = n.lines()
			inner = append(inner, block{Table: t})
		}
		s.Blocks = append(s.Blocks, block{Fold: &fold{Summary: "Load levels of one arm: " + plural(len(v.e.Arms), "table"), Blocks: inner}})
	}
	return s
}

// matrix shows a metric over two factors at one load level, coloured by the
// verdict against the baseline.
func (v *view) matrix(name pgassay.MetricName, load int) *table {
	first, second := v.e.Factors[0], v.e.Factors[1]
	short := shortNames(v.e.Factors)
	t := &table{Caption: titleOf(name),
		Columns: []column{{Text: short[0] + " ↓  " + short[1] + " →"}}}
	for _, l := range second.Levels {
		t.Columns = append(t.Columns, column{Text: oneLine(l), Number: true})
	}
	var n notes
	filled := false
	for i, l := range first.Levels {
		row := []entry{text(oneLine(l))}
		for j := range second.Levels {
			a := v.combination(i, j)
			if a < 0 {
				row = append(row, n.empty("no such arm"))
				continue
			}
			e := v.value(a, load, name, &n)
			if c := v.comparison(name, a, load); c != nil && !c.Neutral && e.Text != unknown {
				e.Tone = c.Verdict
			}
			if a == v.e.Baseline {
				e.Sub = strings.TrimSpace(e.Sub + " baseline")
			}
			filled = filled || e.Text != unknown
			row = append(row, e)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = n.lines()
	if !filled {
		return nil
	}
	return t
}

// combination is the arm with these levels of two factors, -1 when excluded.
func (v *view) combination(i, j int) int {
	for a, arm := range v.e.Arms {
		if len(arm.Levels) == 2 && arm.Levels[0] == i && arm.Levels[1] == j {
			return a
		}
	}
	return -1
}
