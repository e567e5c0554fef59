package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/autovacuum"
)

// The functions of this file look whether a setting's precondition was met in
// at least one arm of a contrast.

// target is a table that a vacuum setting can act on.
type target struct {
	name string
	// low and high are the smallest and the largest trigger over the arms.
	low, high float64
}

// targets lists the tables that the treated setting can act on: the named one,
// or all; for a trigger setting only those whose trigger differs between the
// arms (by 5 %: that of a tiny table hardly depends on a scale factor).
func (c contrast) targets(t treated) []target {
	var out []target
	for _, arm := range c.members() {
		for _, f := range c.cells[arm] {
			for name, v := range f.tables.views {
				if t.table != "" && !sameTable(t.table, name) {
					continue
				}
				trigger := triggerOf(t.rule.Trigger, f.tables.rules.Thresholds(v.table, v.params))
				i := slices.IndexFunc(out, func(o target) bool { return o.name == name })
				if i < 0 {
					out = append(out, target{name, trigger, trigger})
					continue
				}
				out[i].low, out[i].high = math.Min(out[i].low, trigger), math.Max(out[i].high, trigger)
			}
		}
	}
	if t.rule.Trigger != TriggerAny {
		out = slices.DeleteFunc(out, func(o target) bool { return o.high-o.low < 0.05*o.low || math.IsInf(o.low, 1) })
	}
	slices.SortFunc(out, func(a, b target) int { return compareNames(a.name, b.name) })
	return out
}

func compareNames(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func triggerOf(t Trigger, th autovacuum.Thresholds) float64 {
	switch t {
	case TriggerDead:
		return th.Dead
	case TriggerInsert:
		return th.Insert
	case TriggerAnalyze:
		return th.Analyze
	}
	return 0
}

// made is the number of rows that a trial made for a trigger.
func (v tableView) made(t Trigger) float64 {
	switch t {
	case TriggerDead:
		return v.dead
	case TriggerInsert:
		return v.inserted
	}
	return v.modified
}

// fill is how often a trial made the rows that a trigger counts, on the table
// where it did so most often.
func (f *facts) fill(t Trigger, targets []target) float64 {
	if t == TriggerAny {
		return math.Max(f.fill(TriggerDead, targets), f.fill(TriggerInsert, targets))
	}
	most := 0.0
	for _, o := range targets {
		if v, ok := f.tables.views[o.name]; ok {
			th := triggerOf(t, f.tables.rules.Thresholds(v.table, v.params))
			most = math.Max(most, v.made(t)/math.Max(th, 1))
		}
	}
	return most
}

// finished counts the runs of a trigger that ended in the measurement.
func (f *facts) finished(t Trigger, targets []target) float64 {
	n := 0
	for _, m := range f.runs {
		if m.By(t) && slices.ContainsFunc(targets, func(o target) bool { return o.name == m.Event.Object }) {
			n++
		}
	}
	return float64(n)
}

// insertOnly says that no trial made a dead row while rows were inserted.
func (c contrast) insertOnly() bool {
	inserted := 0.0
	for _, cell := range c.cells {
		for _, f := range cell {
			for _, v := range f.tables.views {
				if v.dead > 0 {
					return false
				}
				inserted += v.inserted
			}
		}
	}
	return inserted > 0
}

// noDeadRows explains why a dead row setting cannot act on an insert-only load.
func (c contrast) noDeadRows(t treated) string {
	byInsert := 0
	for _, cell := range c.cells {
		for _, f := range cell {
			for _, m := range f.runs {
				if m.By(TriggerInsert) {
					byInsert++
				}
			}
		}
	}
	fired := "not even the insert trigger fired"
	if byInsert > 0 {
		fired = fmt.Sprintf("only the insert trigger fired: %s vacuums", count(float64(byInsert)))
	}
	return fmt.Sprintf("an insert-only load makes no dead rows, so %s could not have mattered (%s)", t, fired)
}

func (c contrast) sawTables() bool {
	return c.any(func(f *facts) bool { return len(f.tables.views) > 0 })
}

// inert explains why there is no table on which a trigger setting differs.
func inert(t treated) string {
	return fmt.Sprintf("no table's trigger differs between the arms: %s is overridden by storage parameters, or the tables are too small for it to count", t)
}

func triggerReached(c contrast, t treated) finding {
	if !c.sawTables() {
		return unclear("the tables' statistics were not seen")
	}
	targets := c.targets(t)
	if t.rule.Trigger == TriggerDead && c.insertOnly() {
		return bad(c.noDeadRows(t))
	}
	if len(targets) == 0 {
		return bad(inert(t))
	}
	arm, fill := c.best(func(f *facts) float64 { return f.fill(t.rule.Trigger, targets) })
	_, runs := c.best(func(f *facts) float64 { return f.finished(t.rule.Trigger, targets) })
	text := fmt.Sprintf("%s made %s times the rows of its trigger (%s)", c.armName(arm), count(fill), t.rule.Trigger)
	if fill <= 1 && runs == 0 {
		return bad(fmt.Sprintf("%s could not act: even %s, so no arm reached the trigger", t, text))
	}
	return good(text)
}

func vacuumSeen(c contrast, t treated) finding {
	targets := c.targets(t)
	arm, runs := c.best(func(f *facts) float64 { return f.finished(TriggerAny, targets) + f.finished(TriggerAnalyze, targets) })
	if runs == 0 && !c.any(func(f *facts) bool { return f.censored > 0 }) {
		return bad(fmt.Sprintf("%s could not act: autovacuum worked on no table in any arm", t))
	}
	return good(fmt.Sprintf("autovacuum worked on tables up to %s times a trial (%s)", count(runs), c.armName(arm)))
}

func costsMore(c contrast, t treated) finding {
	targets := c.targets(t)
	most, limit := 0.0, 0
	for _, cell := range c.cells {
		for _, f := range cell {
			for _, m := range f.runs {
				if !m.By(TriggerAny) || !slices.ContainsFunc(targets, func(o target) bool { return o.name == m.Event.Object }) {
					continue
				}
				p := f.tables.views[m.Event.Object].params
				if u := eventUnits(m.Event, p); u > most {
					most, limit = u, p.CostLimit
				}
			}
		}
	}
	if most == 0 {
		if c.any(func(f *facts) bool { return f.censored > 0 }) {
			return unclear("vacuums were at work, but none ended, so their cost is not known")
		}
		return bad(fmt.Sprintf("%s could not act: no vacuum ran in any arm", t))
	}
	text := fmt.Sprintf("the most expensive vacuum cost %s units with a limit of %s", count(most), count(float64(limit)))
	if most <= float64(limit) {
		return bad(fmt.Sprintf("%s could not act: %s, so none had to sleep", t, text))
	}
	return good(text)
}

// eventUnits is what a vacuum was charged for.
func eventUnits(e pgassay.Event, p autovacuum.Parameters) float64 {
	return e.Numbers["buffer_hits"]*float64(p.PageHit) + e.Numbers["buffer_misses"]*float64(p.PageMiss) + e.Numbers["buffer_dirtied"]*float64(p.PageDirty)
}

func severalPasses(c contrast, t treated) finding {
	most, seen := 0.0, false
	for _, cell := range c.cells {
		for _, f := range cell {
			for _, m := range f.runs {
				if n, ok := m.Event.Numbers["index_scans"]; ok {
					most, seen = math.Max(most, n), true
				}
			}
		}
	}
	switch {
	case !seen:
		return unclear("no vacuum ended, so the number of index scans is not known")
	case most < 2:
		return bad(fmt.Sprintf("%s could not act: no vacuum needed more than one scan of the indexes (most: %s)", t, count(most)))
	}
	return good(fmt.Sprintf("a vacuum scanned the indexes %s times", count(most)))
}

func workersBusy(c contrast, t treated) finding {
	most, fewest, seen := 0.0, math.Inf(1), false
	for _, cell := range c.cells {
		for _, f := range cell {
			if n, ok := inForce(f.settings)(t.name); ok {
				fewest = math.Min(fewest, n)
			}
			for _, s := range f.rec.Series {
				if s.Name == pgassay.SeriesAutovacuums && len(s.Value) > 0 {
					most, seen = math.Max(most, slices.Max(s.Value)), true
				}
			}
		}
	}
	switch {
	case !seen || math.IsInf(fewest, 1):
		return unclear("the number of workers at work was not seen")
	case most < fewest:
		return bad(fmt.Sprintf("%s could not act: at most %s workers were at work at once, and every arm allows %s", t, count(most), count(fewest)))
	}
	return good(fmt.Sprintf("all %s workers of the smaller arm were at work at once", count(fewest)))
}

func rowsUpdated(c contrast, t treated) finding {
	if !c.sawTables() {
		return unclear("the tables' statistics were not seen")
	}
	updated := 0.0
	for _, cell := range c.cells {
		for _, f := range cell {
			for name, v := range f.tables.views {
				if t.table == "" || sameTable(t.table, name) {
					updated = math.Max(updated, v.dead)
				}
			}
		}
	}
	if updated == 0 {
		return bad(fmt.Sprintf("%s could not act: no row of the table was updated in any arm", t))
	}
	return good(fmt.Sprintf("up to %s rows were updated in a trial", count(updated)))
}
