package report

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// view is a result with the looks and names that all sections share.
type view struct {
	*analyze.Result
	e      *pgassay.Experiment
	styles []style
	labels []string
	// panels groups the arms of charts that compare them: each group has the
	// baseline and a handful of others, with what they have in common.
	panels []group
}

type group struct {
	title string
	arms  []int
}

func newView(r *analyze.Result) *view {
	v := &view{Result: r, e: r.Experiment, styles: styles(r.Experiment), labels: labels(r.Experiment)}
	v.panels = v.groups()
	return v
}

// crowd is the most arms that one panel can show and still be read.
const crowd = 6

// groups puts all arms into one panel, or, when they are too many, one panel
// per level of the first factor, or a few arms each.
func (v *view) groups() []group {
	all := make([]int, len(v.e.Arms))
	for a := range all {
		all[a] = a
	}
	if len(all) <= crowd {
		return []group{{arms: all}}
	}
	var out []group
	add := func(title string, arms []int) {
		if len(arms) == 0 {
			return
		}
		if !slices.Contains(arms, v.e.Baseline) {
			arms = append(arms, v.e.Baseline)
		}
		out = append(out, group{title, arms})
	}
	var named []int
	byLevel := map[int][]int{}
	for a, arm := range v.e.Arms {
		if len(arm.Levels) > 1 {
			byLevel[arm.Levels[0]] = append(byLevel[arm.Levels[0]], a)
		} else if a != v.e.Baseline || len(byLevel) == 0 && len(arm.Levels) == 1 {
			named = append(named, a)
		}
	}
	for l := range len(byLevel) {
		name := shortNames(v.e.Factors)[0] + " = " + v.e.Factors[0].Levels[l]
		for n := 0; n < len(byLevel[l]); n += crowd {
			add(name, slices.Clone(byLevel[l][n:min(n+crowd, len(byLevel[l]))]))
		}
	}
	for n := 0; n < len(named); n += crowd - 1 {
		part := slices.Clone(named[n:min(n+crowd-1, len(named))])
		add("", part)
	}
	return out
}

// within is an arm's label in a panel of a group: what the panel's title says
// already is left out.
func (v *view) within(g group, arm int) string {
	levels := v.e.Arms[arm].Levels
	switch {
	case arm == v.e.Baseline && len(v.e.Arms) > 1:
		return "baseline"
	case g.title == "" || len(levels) < 2:
		return v.labels[arm]
	}
	var parts []string
	for f, l := range levels[1:] {
		parts = append(parts, v.e.Factors[f+1].Levels[l])
	}
	return oneLine(strings.Join(parts, " · "))
}

func (v *view) cell(arm, load int) *analyze.Cell {
	for i := range v.Cells {
		if v.Cells[i].Arm == arm && v.Cells[i].Load == load {
			return &v.Cells[i]
		}
	}
	return nil
}

// metric finds a metric of a cell, nil when there is none of that name.
func metric(c *analyze.Cell, name pgassay.MetricName) *analyze.CellMetric {
	if c == nil {
		return nil
	}
	for i := range c.Metrics {
		if c.Metrics[i].Metric == name {
			return &c.Metrics[i]
		}
	}
	return nil
}

func (v *view) comparison(m pgassay.MetricName, arm, load int) *pgassay.Comparison {
	for i := range v.Comparisons {
		c := &v.Comparisons[i]
		if c.Metric == m && c.Arm == arm && c.Load == load {
			return c
		}
	}
	return nil
}

// swatch is the field that names an arm.
func (v *view) swatch(arm int) entry {
	e := entry{Text: v.labels[arm], Style: &v.styles[arm]}
	if arm == v.e.Baseline && len(v.e.Arms) > 1 {
		e.Sub = "baseline"
	}
	return e
}

func (v *view) load() string { return v.loadName(v.e.Design.Primary.Load) }

func (v *view) loadName(l int) string {
	if l < 0 || l >= len(v.e.Loads) {
		return "all loads"
	}
	return oneLine(v.e.Loads[l].Name)
}

// tails are the percentiles a tail chart may show, the highest first.
var tails = []pgassay.MetricName{pgassay.MetricResponseP99, pgassay.MetricResponseP95, pgassay.MetricResponseP90, pgassay.MetricResponseP50}

// tail is the highest percentile up to P99 that every cell with valid trials
// knows, or else the one most cells know; "" when none knows any.
func (v *view) tail() pgassay.MetricName {
	best, most := pgassay.MetricName(""), 0
	for _, name := range tails {
		n := 0
		for i := range v.Cells {
			if m := metric(&v.Cells[i], name); m != nil && m.Known {
				n++
			}
		}
		if n > most {
			best, most = name, n
		}
	}
	return best
}
