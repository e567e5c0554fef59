package report

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay"
)

const readVerdicts = "Each field is the change against the baseline with its interval below. “~”: nothing can be claimed, because the interval holds no change, or would hold it once the number of comparisons is taken into account. Equivalent: the whole interval lies within ±%s."

// verdicts are the comparisons as tables: the metric that decides at every
// load level, then all other metrics at the load level that decides.
func (v *view) verdicts() section {
	s := section{ID: "verdicts", Title: "Verdicts"}
	if len(v.Comparisons) == 0 {
		return s
	}
	s.Blocks = append(s.Blocks, block{Text: fmt.Sprintf(readVerdicts, percent(v.e.Design.Delta))})
	s.Blocks = append(s.Blocks, block{Table: v.verdictTable()})
	switch t := v.priceTable(); {
	case t == nil:
	case t.all(pgassay.Invalid):
		s.Blocks = append(s.Blocks, block{Text: "No other metric was judged at " + v.load() + ": every comparison there is invalid for the reasons above. The means stand below, without a claim."})
	default:
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	return s
}

func (v *view) verdictTable() *table {
	primary := v.e.Design.Primary
	t := &table{Caption: fmt.Sprintf("%s against the baseline, by load level", titleOf(primary.Metric)), Columns: []column{{Text: "Arm"}}}
	var n notes
	for l := range v.e.Loads {
		head := column{Text: v.loadName(l), Number: true, Primary: l == primary.Load}
		if head.Primary {
			head.Text += " (primary)"
		}
		t.Columns = append(t.Columns, head)
	}
	for a := range v.e.Arms {
		row := []entry{v.swatch(a)}
		for l := range v.e.Loads {
			if a == v.e.Baseline {
				e := v.value(a, l, primary.Metric, &n)
				e.Key = l == primary.Load
				row = append(row, e)
				continue
			}
			row = append(row, v.effect(v.comparison(primary.Metric, a, l), words, &n))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = n.lines()
	if len(v.e.Loads) > 1 {
		t.Notes = append([]string{"The primary column decides; the others are exploratory."}, t.Notes...)
	}
	return t
}

// words and signs say a verdict behind and before a change.
func words(v pgassay.Verdict, change string) string { return change + " " + verdictWord(v) }

func signs(v pgassay.Verdict, change string) string {
	return map[pgassay.Verdict]string{pgassay.Improved: "✓", pgassay.Regressed: "✗", pgassay.Equivalent: "≈"}[v] + gap + change
}

// effect is the field of one comparison; say joins its verdict and its change.
func (v *view) effect(c *pgassay.Comparison, say func(pgassay.Verdict, string) string, n *notes) entry {
	if c == nil {
		return n.empty("not compared")
	}
	e := entry{Tone: c.Verdict, Key: c.Primary, Sub: changeRange(*c)}
	reason := reasonOf(c)
	switch {
	case c.Verdict == pgassay.Invalid:
		e.Text, e.Sub = "invalid", ""
		e.Mark = n.empty(reason).Mark
	case !finite(c.Effect.Estimate) || c.Blocks == 0:
		return n.empty(reason)
	case c.Neutral:
		e.Text, e.Tone = change(*c), ""
		if e.Sub == "" {
			e.Mark = n.empty(reason).Mark
		}
	case c.Verdict == pgassay.Inconclusive:
		e.Text = "~"
		if e.Sub == "" {
			e.Mark = n.empty(reason).Mark
		}
	default:
		e.Text = say(c.Verdict, change(*c))
	}
	return e
}

// reasonOf is why a comparison ended as it did. That it is exploratory is said
// by the table, not in every note below it.
func reasonOf(c *pgassay.Comparison) string {
	if c.Reason != "" || len(c.Checks) == 0 {
		return strings.TrimSuffix(c.Reason, " (exploratory)")
	}
	return "checks " + strings.Join(c.Checks, ", ") + " failed"
}

// prices are the metrics of the table of what else changed; all others are in
// results.csv.
var prices = []pgassay.MetricName{
	pgassay.MetricTPS, pgassay.MetricRowsPerS, pgassay.MetricResponseP50, pgassay.MetricResponseP95, pgassay.MetricResponseP99, pgassay.MetricResponseP999,
	pgassay.MetricErrorRate, pgassay.MetricServerCPU, pgassay.MetricWALPerTxn, pgassay.MetricVacuums, pgassay.MetricDeadRowsEnd,
}

// priceTable shows what else changed at the primary load level.
func (v *view) priceTable() *table {
	primary := v.e.Design.Primary
	t := &table{Caption: fmt.Sprintf("What else changed at %s (exploratory)", v.load()), Columns: []column{{Text: "Arm"}}}
	var shown []pgassay.MetricName
	for _, name := range prices {
		if name == primary.Metric {
			continue
		}
		for a := range v.e.Arms {
			c := v.comparison(name, a, primary.Load)
			if c != nil && c.Blocks > 0 && finite(c.Effect.Estimate) {
				shown = append(shown, name)
				t.Columns = append(t.Columns, column{Text: titleOf(name), Number: true})
				break
			}
		}
	}
	if len(shown) == 0 {
		return nil
	}
	var n notes
	for a := range v.e.Arms {
		if a == v.e.Baseline {
			continue
		}
		row := []entry{v.swatch(a)}
		for _, m := range shown {
			row = append(row, v.effect(v.comparison(m, a, primary.Load), signs, &n))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = append([]string{"✓ better, ✗ worse, ≈ equivalent; without a sign the metric has no better direction."}, n.lines()...)
	return t
}
