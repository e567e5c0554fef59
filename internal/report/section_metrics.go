package report

import (
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

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
