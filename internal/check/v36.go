package check

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/pgassay/pgassay"
)

// The limits of V36's warning; with fewer blocks a random order often is as
// lopsided.
const (
	maxOrderCorrelation = 0.3
	minBlocksToJudge    = 12
)

var infoV36 = Info{
	ID: "V36", Title: "Order as planned", Severity: pgassay.SeverityExperiment, Run: true,
	What:      "block, position, arm, load level and seed of every trial against the seeded plan, and that the trials were made in that order; from 12 blocks on, the correlation of an arm with its position",
	Threshold: "a trial differs; a correlation beyond 0.3 is a warning",
	Remedy:    "the run was not carried out as planned; repeat it",
}

// orderRealised compares what was made with the plan.
func (r *run) orderRealised() pgassay.CheckResult {
	c := infoV36.result()
	if len(r.Planned) == 0 || len(r.Trials) == 0 {
		return infoV36.unknown(c, "there is no plan, or no trial was made")
	}
	// A plan with repeats in it names a slot more than once: the first counts.
	type slot struct{ block, position int }
	rank := map[slot]int{}
	var planned []pgassay.TrialOrder
	for _, o := range r.Planned {
		if _, again := rank[slot{o.Block, o.Position}]; !again {
			rank[slot{o.Block, o.Position}] = len(planned)
			planned = append(planned, o)
		}
	}
	last, lastNumber, blocks := -1, 0, 0
	for i, rec := range r.Trials {
		o := rec.Order
		at, ok := rank[slot{o.Block, o.Position}]
		if !ok || planned[at].Arm != o.Arm || planned[at].Load != o.Load || planned[at].Seed != o.Seed {
			return infoV36.failed(c, fmt.Sprintf("trial %d (block %d, position %d) is not the one that the plan has there", o.Number, o.Block, o.Position))
		}
		if at < last || o.Number <= lastNumber || i > 0 && rec.Started.Before(r.Trials[i-1].Started) {
			return infoV36.failed(c, fmt.Sprintf("trial %d (block %d, position %d) was made out of its order", o.Number, o.Block, o.Position))
		}
		if at > last+1 {
			o := planned[last+1]
			return infoV36.failed(c, fmt.Sprintf("block %d, position %d was left out", o.Block, o.Position))
		}
		last, lastNumber, blocks = at, o.Number, max(blocks, o.Block)
	}
	worst, arm := r.orderCorrelation()
	numbers := []pgassay.Number{{Name: "trials", Value: float64(len(r.Trials))}, {Name: "largest correlation", Value: worst}}
	if blocks >= minBlocksToJudge && math.Abs(worst) > maxOrderCorrelation {
		c.Severity = pgassay.SeverityWarning
		return infoV36.failed(c, fmt.Sprintf("the position within the block and %s correlate with %.2f (limit 0.3)", strconv.Quote(r.Experiment.Arms[arm].Name), worst), numbers...)
	}
	text := fmt.Sprintf("all %d trials were made in the planned order", len(r.Trials))
	if last+1 < len(planned) {
		text += fmt.Sprintf(", %d of %d planned ones were not made", len(planned)-last-1, len(planned))
	}
	return infoV36.passed(c, text, numbers...)
}

// orderCorrelation is the largest correlation of an arm with its position over
// the valid trials.
func (r *run) orderCorrelation() (worst float64, arm int) {
	var positions []float64
	var arms []int
	for _, rec := range r.Trials {
		if rec.Outcome == pgassay.OutcomeValid {
			positions, arms = append(positions, float64(rec.Order.Position)), append(arms, rec.Order.Arm)
		}
	}
	for a := range r.Experiment.Arms {
		is := make([]float64, len(arms))
		for i := range arms {
			if arms[i] == a {
				is[i] = 1
			}
		}
		if rho := stat.Correlation(positions, is, nil); !math.IsNaN(rho) && math.Abs(rho) > math.Abs(worst) {
			worst, arm = rho, a
		}
	}
	return worst, arm
}
