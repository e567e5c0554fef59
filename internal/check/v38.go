package check

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay"
)

// The limits of V38.
const (
	maxRepeatDifference = 3
	minFisherP          = 0.05
)

var infoV38 = Info{
	ID: "V38", Title: "Repeats balanced", Severity: pgassay.SeverityExperiment, Run: true,
	What:      "invalid and failed trials of each arm",
	Threshold: "two arms differ by more than 3, and Fisher's exact test says that it is no accident (p ≤ 0.05)",
	Remedy:    "what makes the trials of one arm invalid is an effect of that arm: look at the reasons",
}

// repeatsBalanced compares how often the arms' trials did not count.
func (r *run) repeatsBalanced() pgassay.CheckResult {
	c := infoV38.result()
	if len(r.Experiment.Arms) < 2 || len(r.Trials) == 0 {
		return infoV38.unknown(c, "fewer than two arms have trials")
	}
	bad, all := make([]int, len(r.Experiment.Arms)), make([]int, len(r.Experiment.Arms))
	for _, rec := range r.Trials {
		if rec.Outcome == pgassay.OutcomeInterrupted {
			continue
		}
		all[rec.Order.Arm]++
		if rec.Outcome != pgassay.OutcomeValid {
			bad[rec.Order.Arm]++
		}
	}
	most, least := 0, 0
	for a := range bad {
		if bad[a] > bad[most] {
			most = a
		}
		if bad[a] < bad[least] {
			least = a
		}
	}
	d := bad[most] - bad[least]
	p := fisher(bad[most], all[most], bad[least], all[least])
	numbers := []pgassay.Number{{Name: "difference", Value: float64(d)}, {Name: "p", Value: p}}
	text := fmt.Sprintf("%d of %d trials of %q did not count and %d of %d of %q", bad[most], all[most], r.Experiment.Arms[most].Name,
		bad[least], all[least], r.Experiment.Arms[least].Name)
	switch {
	case d == 0:
		return infoV38.passed(c, fmt.Sprintf("in every arm %d trials did not count", bad[most]), numbers...)
	case d > maxRepeatDifference && p <= minFisherP:
		return infoV38.failed(c, fmt.Sprintf("%s (p = %.2g)", text, p), numbers...)
	}
	return infoV38.passed(c, text+" (may differ by 3, or by accident)", numbers...)
}

// fisher is the two-sided p-value of Fisher's exact test for a of n against b
// of m: the sum of the hypergeometric probabilities not above that of a.
func fisher(a, n, b, m int) float64 {
	k := a + b
	logP := func(x int) float64 { return logChoose(n, x) + logChoose(m, k-x) - logChoose(n+m, k) }
	seen, p := logP(a), 0.0
	for x := max(0, k-m); x <= min(n, k); x++ {
		if l := logP(x); l <= seen+1e-9 {
			p += math.Exp(l)
		}
	}
	return math.Min(p, 1)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
