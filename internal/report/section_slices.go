package report

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay"
)

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
		if len(inner) <= 3 {
			s.Blocks = append(s.Blocks, inner...)
		} else {
			s.Blocks = append(s.Blocks, block{Fold: &fold{Summary: "Load levels of one arm: " + plural(len(inner), "table"), Blocks: inner}})
		}
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
