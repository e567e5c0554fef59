// Package analyze turns the records of a run into what they mean. It is a
// function of its input: the same records always give the same result.
//
//  1. Trials are sorted by number and put into cells (arm × load); only valid
//     ones count, one per block. [Value] reads a metric from a trial.
//  2. Each cell gets the mean of its trials with a t interval. A trial is one
//     reading: seconds inside it are never readings (METHOD §0).
//  3. Two cells are compared within blocks: the log ratio of every block in
//     which both are valid, so that whatever moves the host from block to block
//     cancels. Metrics that can be zero are compared by their differences.
//  4. A factor's main effect is the mean of these over the other factors'
//     levels, again one number per block.
//  5. Comparisons form families; Holm's correction holds for each. A failed
//     check of severity "experiment" makes what it covers invalid. What is left
//     gets a verdict and a reason.
//  6. The answer is put in words, with what the experiment could have seen and
//     what it cannot speak of.
package analyze

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/pgassay/pgassay"
)

// Input is all that a result depends on. It is only read, and parts of it are
// shared with the result.
type Input struct {
	Experiment  *pgassay.Experiment
	Run         RunInfo
	Fingerprint pgassay.Fingerprint
	// Trials may come in any order and may hold failed ones.
	Trials []*pgassay.TrialRecord
	// RunChecks are the checks of the run as a whole; those of the trials are in
	// their records.
	RunChecks []pgassay.CheckResult
}

// Analyze computes the result of a run. Its error says that the input does not
// fit together: an order outside the experiment, a design without a valid alpha
// or an unknown primary metric. Missing or useless data is never an error.
func Analyze(in Input) (*Result, error) {
	if err := validate(in); err != nil {
		return nil, fmt.Errorf("analyze run: %w", err)
	}
	s := newStudy(in)
	res := &Result{
		Experiment:  in.Experiment,
		Run:         in.Run,
		Fingerprint: in.Fingerprint,
		Cells:       s.cellResults(),
		Comparisons: filled(s.comparisons()),
		MainEffects: filled(s.mainEffects()),
		Checks:      filled(s.checkSummaries()),
		Failures:    filled(s.failures()),
		Trials:      filled(s.trialSummaries()),
		Timelines:   s.timelines(),
		Missing:     s.missing(),
		NotTested:   filled(s.notTested()),
		Banners:     s.banners(),
	}
	s.settings(res)
	res.FactorVerdicts = s.factorVerdicts(res.MainEffects)
	res.Answer = s.answer(res)
	return res, nil
}

// filled makes an empty list of nothing, which JSON writes as [] and not null.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func validate(in Input) error {
	e := in.Experiment
	if e == nil {
		return errors.New("no experiment")
	}
	if len(e.Arms) == 0 || len(e.Loads) == 0 {
		return errors.New("experiment without arms or loads")
	}
	if e.Baseline < 0 || e.Baseline >= len(e.Arms) {
		return fmt.Errorf("baseline %d is none of %d arms", e.Baseline, len(e.Arms))
	}
	if p := e.Design.Primary; p.Load < 0 || p.Load >= len(e.Loads) {
		return fmt.Errorf("primary load %d is none of %d", p.Load, len(e.Loads))
	}
	if _, ok := pgassay.MetricByName(e.Design.Primary.Metric); !ok {
		return fmt.Errorf("unknown primary metric %q", e.Design.Primary.Metric)
	}
	if a := e.Design.Alpha; !(a > 0 && a < 1) {
		return fmt.Errorf("alpha %v is not between 0 and 1", a)
	}
	for i, r := range in.Trials {
		if r == nil {
			return fmt.Errorf("trial record %d is empty", i)
		}
		if o := r.Order; o.Arm < 0 || o.Arm >= len(e.Arms) || o.Load < 0 || o.Load >= len(e.Loads) {
			return fmt.Errorf("trial %d is for arm %d at load %d, which the experiment lacks", o.Number, o.Arm, o.Load)
		}
	}
	for _, a := range e.Arms {
		if len(a.Levels) != 0 && len(a.Levels) != len(e.Factors) {
			return fmt.Errorf("arm %q has %d levels for %d factors", a.Name, len(a.Levels), len(e.Factors))
		}
	}
	return nil
}

// study is the run while it is analysed.
type study struct {
	Input
	e *pgassay.Experiment
	// trials is in the order of the trials' numbers.
	trials []*pgassay.TrialRecord
	cells  [][]*cell // by arm, by load
	// blocks are those in which any trial is valid, ascending.
	blocks []int
	// grave are failed checks of severity "experiment".
	grave []pgassay.CheckResult
	// unit remembers detectable effects for a standard deviation of 1.
	unit map[designKey]float64
}

func newStudy(in Input) *study {
	s := &study{Input: in, e: in.Experiment, unit: map[designKey]float64{}}
	s.trials = slices.SortedStableFunc(slices.Values(in.Trials), func(a, b *pgassay.TrialRecord) int {
		return cmp.Compare(a.Order.Number, b.Order.Number)
	})
	s.fillCells()
	s.grave = s.graveChecks()
	return s
}
