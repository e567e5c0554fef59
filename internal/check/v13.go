package check

import (
	"fmt"

	"github.com/pgassay/pgassay"
)

// minRuns is how many vacuums of the treated trigger have to end in a trial of
// at least one arm.
const minRuns = 3

var infoV13 = Info{
	ID: "V13", Title: "Autovacuum ran", Severity: pgassay.SeverityExperiment, Run: true,
	What:      "autovacuum runs that ended within the measurement and were started by the treated trigger, per trial (median of a cell)",
	Threshold: "fewer than 3 in every arm of the comparison; runs that had not ended are listed as censored",
	Remedy:    "measure longer, use fewer rows or a lower trigger or a shorter autovacuum_naptime; pgassay check computes what is needed",
}

// vacuumRan counts the runs that exercised the treated setting.
func vacuumRan(c contrast) finding {
	ts, others := c.vacuumTreated()
	if len(ts) == 0 {
		return unclear("no treated setting acts through vacuum")
	}
	if !c.sawTables() {
		return unclear("the tables' statistics were not seen")
	}
	var best finding
	for i, t := range ts {
		f := c.runsOf(t)
		if i == 0 || f.margin > best.margin {
			best = f
		}
	}
	return softened(best, others)
}

// vacuumTreated parts what differs into what acts through vacuum and the rest.
func (c contrast) vacuumTreated() (ts []treated, others bool) {
	for _, t := range c.treated {
		if t.known && t.rule.Through == ThroughVacuum {
			ts = append(ts, t)
		} else {
			others = true
		}
	}
	return ts, others
}

// softened makes a failure a warning when the arms also differ in something
// that needs no vacuum: that may be what the comparison shows.
func softened(f finding, others bool) finding {
	if f.status == pgassay.CheckFailed && others {
		f.severity = pgassay.SeverityWarning
		f.text += "; the arms also differ in what does not act through vacuum"
	}
	return f
}

func (c contrast) runsOf(t treated) finding {
	targets := c.targets(t)
	arm, runs := c.best(func(f *facts) float64 { return f.finished(t.rule.Trigger, targets) })
	censored, total := 0, 0
	for _, cell := range c.cells {
		for _, f := range cell {
			censored += f.censored
			total += len(f.runs)
		}
	}
	numbers := []pgassay.Number{{Name: "runs per trial", Value: runs}, {Name: "censored runs", Value: float64(censored)}}
	f := finding{status: pgassay.CheckPassed, margin: runs, numbers: numbers}
	f.text = fmt.Sprintf("%s finished %s autovacuum runs a trial that exercise %s (needed: %d)", c.armName(arm), count(runs), t, minRuns)
	if runs < minRuns {
		f.status = pgassay.CheckFailed
		who := "no arm"
		if len(c.cells) == 2 {
			who = "neither of the two arms" // of this comparison; a third one may have
		}
		f.text = fmt.Sprintf("%s finished %d autovacuum runs a trial that exercise %s; the most is %s, in %s", who, minRuns, t, count(runs), c.armName(arm))
		if t.rule.Trigger == TriggerDead && c.insertOnly() {
			f.text = fmt.Sprintf("0 autovacuum runs a trial exercise %s (needed: %d): %s", t, minRuns, c.noDeadRows(t))
		}
	}
	if censored > 0 {
		f.text += fmt.Sprintf("; %d runs had not ended (censored)", censored)
	}
	return f
}
