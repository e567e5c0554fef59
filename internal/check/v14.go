package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay"
)

var infoV14 = Info{
	ID: "V14", Title: "Vacuum had work", Severity: pgassay.SeverityExperiment, Run: true,
	What:      "rows made within the measurement for the treated trigger (dead rows, inserts or changes), as a multiple of the trigger, per trial (median of a cell)",
	Threshold: "below 3 in every arm of the comparison; below 3 in some arms is a warning",
	Remedy:    "measure longer or use fewer rows, so that the arm with the largest trigger crosses it three times; pgassay check computes what is needed",
}

// minFills is how many times over a trial has to make the rows of a trigger.
const minFills = 3

// vacuumHadWork compares the rows made with the trigger.
func vacuumHadWork(c contrast) finding {
	ts, others := c.vacuumTreated()
	if len(ts) == 0 {
		return unclear("no treated setting acts through vacuum")
	}
	if !c.sawTables() {
		return unclear("the tables' statistics were not seen")
	}
	var best finding
	for i, t := range ts {
		f := c.workOf(t)
		if i == 0 || f.margin > best.margin {
			best = f
		}
	}
	return softened(best, others)
}

func (c contrast) workOf(t treated) finding {
	targets := c.targets(t)
	if t.rule.Trigger != TriggerAny && len(targets) == 0 && !(t.rule.Trigger == TriggerDead && c.insertOnly()) {
		return bad(inert(t))
	}
	low, high := math.Inf(1), math.Inf(-1)
	var short []string
	rich := -1
	for _, arm := range c.members() {
		m := median(c.cells[arm], func(f *facts) float64 { return f.fill(t.rule.Trigger, targets) })
		low = math.Min(low, m)
		if m > high {
			high, rich = m, arm
		}
		if m < minFills {
			short = append(short, c.armName(arm))
		}
	}
	numbers := []pgassay.Number{{Name: "least", Value: low}, {Name: "most", Value: high}}
	f := finding{margin: high, numbers: numbers, status: pgassay.CheckPassed}
	what := string(t.rule.Trigger)
	if t.rule.Trigger == TriggerAny {
		what = "dead rows or inserts"
	}
	switch {
	case high < minFills:
		f.status = pgassay.CheckFailed
		f.text = fmt.Sprintf("no arm made %d times the rows of its trigger (%s); the most is %s times, in %s", minFills, what, count(high), c.armName(rich))
		if t.rule.Trigger == TriggerDead && c.insertOnly() {
			f.text = fmt.Sprintf("0 dead rows were made, and %d times the trigger is needed: %s", minFills, c.noDeadRows(t))
		}
	case len(short) > 0:
		f.status, f.severity = pgassay.CheckFailed, pgassay.SeverityWarning
		f.text = fmt.Sprintf("%d of %d arms made less than %d times the rows of their trigger (%s; the least is %s times): they put vacuum off beyond the trial, so its cost is not in their results (%s)",
			len(short), len(c.cells), minFills, what, count(low), joinFew(short))
	default:
		f.text = fmt.Sprintf("every arm made at least %s times the rows of its trigger (%s; needed: %d)", count(low), what, minFills)
	}
	return f
}

// joinFew lists up to three names.
func joinFew(names []string) string {
	names = slices.Clone(names)
	more := ""
	if len(names) > 3 {
		more = fmt.Sprintf(" and %d more", len(names)-3)
		names = names[:3]
	}
	text := ""
	for i, n := range names {
		if i > 0 {
			text += "; "
		}
		text += n
	}
	return text + more
}
