package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay"
)

// minCycles is how many of its own checkpoints an arm has to cover when the
// treatment acts through checkpoints; maxCycleDifference how far the counts of
// two arms may be apart when it does not.
const (
	minCycles          = 3
	maxCycleDifference = 1
)

var infoV11 = Info{
	ID: "V11", Title: "Whole checkpoint cycles", Severity: pgassay.SeverityExperiment, Run: true,
	What:      "checkpoints within the measurement, per trial (median of a cell)",
	Threshold: "a setting that acts through checkpoints: an arm has fewer than 3 finished; any other: checkpoints were requested and the arms' counts differ by more than 1",
	Remedy:    "measure longer, or make the cycle shorter (checkpoint_timeout, max_wal_size) when neither is what you compare",
}

// coversCycles looks whether the arms saw comparable parts of their checkpoint
// cycles.
func coversCycles(c contrast) finding {
	if slices.ContainsFunc(c.members(), func(arm int) bool {
		return !slices.ContainsFunc(c.cells[arm], func(f *facts) bool { return f.logged })
	}) {
		return unclear("checkpoints were not seen in every arm")
	}
	ended := func(f *facts) float64 { return float64(f.checkpoints) }
	fewest, most, few := math.Inf(1), 0.0, 0
	for _, arm := range c.members() {
		n := median(c.cells[arm], ended)
		if n < fewest {
			fewest, few = n, arm
		}
		most = math.Max(most, n)
	}
	numbers := []pgassay.Number{{Name: "fewest checkpoints", Value: fewest}, {Name: "most checkpoints", Value: most}}
	if slices.ContainsFunc(c.treated, func(t treated) bool { return t.known && t.rule.Through == ThroughCheckpoint }) {
		f := finding{margin: fewest, numbers: numbers, status: pgassay.CheckPassed,
			text: fmt.Sprintf("every arm finished at least %s checkpoints a trial (needed: %d)", count(fewest), minCycles)}
		if fewest < minCycles {
			f.status = pgassay.CheckFailed
			f.text = fmt.Sprintf("%s finished %s checkpoints a trial, and a setting that acts through checkpoints needs %d of the arm's own cycles", c.armName(few), count(fewest), minCycles)
		}
		return f
	}
	requested := c.any(func(f *facts) bool { return f.requested > 0 })
	f := finding{margin: -(most - fewest), numbers: numbers, status: pgassay.CheckPassed}
	switch {
	case !requested:
		f.text = "no checkpoint was requested during the measurement"
	case most-fewest <= maxCycleDifference:
		f.text = fmt.Sprintf("the arms finished %s to %s checkpoints a trial (may differ by %d)", count(fewest), count(most), maxCycleDifference)
	default:
		f.status = pgassay.CheckFailed
		f.text = fmt.Sprintf("the arms finished %s to %s checkpoints a trial, and they may differ by %d", count(fewest), count(most), maxCycleDifference)
	}
	return f
}
