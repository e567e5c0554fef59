package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// factors has one verdict per factor, and the main effects behind it.
func (v *view) factors() section {
	s := section{ID: "factors", Title: "Factors"}
	if len(v.FactorVerdicts) > 0 {
		t := &table{Caption: "One verdict per factor on the primary metric", Columns: []column{{Text: "Factor"}, {Text: "Verdict"}, {Text: "Why"}}}
		for _, f := range v.FactorVerdicts {
			t.Rows = append(t.Rows, []entry{code(oneLine(f.Factor)), {Text: badgeText[f.Verdict], Tone: f.Verdict}, text(whyOf(f))})
		}
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	if t := v.mainEffectTable(); t != nil {
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	return s
}

// whyOf is a factor's sentence without what stands beside it: its name and, of
// an invalid one, that it could not have answered.
func whyOf(f analyze.FactorVerdict) string {
	why := strings.TrimPrefix(oneLine(f.Sentence), oneLine(f.Factor)+": ")
	return sentence(strings.TrimPrefix(why, "no verdict, this experiment could not have answered: "))
}

// mainEffectTable shows each level of each factor against its base level,
// averaged over the other factors, on the primary metric.
func (v *view) mainEffectTable() *table {
	primary := v.e.Design.Primary
	t := &table{Caption: fmt.Sprintf("Main effects on %s: each level against the factor's base level, averaged over the other factors", lower(titleOf(primary.Metric))),
		Columns: []column{{Text: "Factor"}, {Text: "Level"}}}
	var loads []int
	for l := range v.e.Loads {
		loads = append(loads, l)
	}
	if len(loads) > 1 {
		loads = append(loads, -1)
	}
	for _, l := range loads {
		head := column{Text: v.loadName(l), Number: true, Primary: l == primary.Load}
		if head.Primary {
			head.Text += " (primary)"
		}
		t.Columns = append(t.Columns, head)
	}
	var n notes
	for _, f := range v.e.Factors {
		for _, level := range f.Levels {
			var effects []*pgassay.Comparison
			base := ""
			for _, l := range loads {
				c := v.mainEffect(primary.Metric, f.Name, level, l)
				if c != nil {
					base = c.BaseLevel
				}
				effects = append(effects, c)
			}
			if base == "" { // it is the base level itself
				continue
			}
			row := []entry{code(oneLine(f.Name)), text(oneLine(level + " against " + base))}
			for _, c := range effects {
				if c != nil && c.Verdict == pgassay.Invalid && v.explained(f.Name, reasonOf(c)) {
					row = append(row, entry{Text: "invalid", Tone: c.Verdict, Key: c.Primary})
					continue
				}
				row = append(row, v.effect(c, words, &n))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Notes = n.lines()
	return t
}

// explained says whether the factor's verdict gives this reason already.
func (v *view) explained(factor, reason string) bool {
	return slices.ContainsFunc(v.FactorVerdicts, func(f analyze.FactorVerdict) bool {
		return f.Factor == factor && strings.Contains(f.Sentence, reason)
	})
}

func (v *view) mainEffect(m pgassay.MetricName, factor, level string, load int) *pgassay.Comparison {
	for i := range v.MainEffects {
		c := &v.MainEffects[i]
		if c.Metric == m && c.Factor == factor && c.Level == level && c.Load == load {
			return c
		}
	}
	return nil
}
