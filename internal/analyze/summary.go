package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/stats"
)

// results are all results of checks: the run's, then those of every trial, with
// the trial's number.
func (s *study) results() []pgassay.CheckResult {
	out := slices.Clone(s.RunChecks)
	for _, r := range s.trials {
		for _, c := range r.Checks {
			c.Trial = r.Order.Number
			out = append(out, c)
		}
	}
	return out
}

// graveness orders results from the worst to a pass.
func graveness(c pgassay.CheckResult) int {
	switch {
	case c.Status == pgassay.CheckPassed:
		return 4
	case c.Status == pgassay.CheckNotEvaluated:
		return 3
	case c.Severity == pgassay.SeverityExperiment:
		return 0
	case c.Severity == pgassay.SeverityTrial:
		return 1
	}
	return 2
}

// checkSummaries counts each check, V1 first; the message is the worst result's.
func (s *study) checkSummaries() []CheckSummary {
	var out []CheckSummary
	worst := map[string]int{}
	for _, c := range s.results() {
		k := slices.IndexFunc(out, func(x CheckSummary) bool { return x.ID == c.ID })
		if k < 0 {
			k = len(out)
			out = append(out, CheckSummary{ID: c.ID, Title: c.Title})
			worst[c.ID] = 5
		}
		switch c.Status {
		case pgassay.CheckPassed:
			out[k].Passed++
		case pgassay.CheckFailed:
			out[k].Failed++
		default:
			out[k].NotEvaluated++
		}
		if g := graveness(c); g < worst[c.ID] {
			worst[c.ID], out[k].Severity, out[k].Message = g, c.Severity, c.Message
		}
	}
	slices.SortStableFunc(out, func(a, b CheckSummary) int {
		return cmp.Or(cmp.Compare(checkNumber(a.ID), checkNumber(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// failures lists what failed: the gravest first, then by check and trial.
func (s *study) failures() []pgassay.CheckResult {
	out := slices.DeleteFunc(s.results(), func(c pgassay.CheckResult) bool { return c.Status != pgassay.CheckFailed })
	slices.SortStableFunc(out, func(a, b pgassay.CheckResult) int {
		return cmp.Or(cmp.Compare(graveness(a), graveness(b)), cmp.Compare(checkNumber(a.ID), checkNumber(b.ID)), cmp.Compare(a.Trial, b.Trial))
	})
	return out
}

// trialSummaries lists every trial, also those that do not count.
func (s *study) trialSummaries() []TrialSummary {
	tps, _ := pgassay.MetricByName(pgassay.MetricTPS)
	var out []TrialSummary
	for _, r := range s.trials {
		t := TrialSummary{
			Order: r.Order, Outcome: r.Outcome, Reason: r.Reason, Started: r.Started, Phases: r.Phases,
			Transactions: r.TotalTransactions(),
		}
		if v := read(r, tps, latency{}); v.absent == present {
			t.TPS = v.v
		}
		if n := vacuumRuns(r); n.absent == present {
			t.Vacuums = int(n.v)
		}
		out = append(out, t)
	}
	return out
}

// missing counts what the samplers could not see over the valid trials.
func (s *study) missing() []string {
	var texts []string
	n, trials := map[string]int{}, 0
	for _, r := range s.trials {
		if r.Outcome != pgassay.OutcomeValid {
			continue
		}
		trials++
		for _, text := range r.Missing {
			if n[text] == 0 {
				texts = append(texts, text)
			}
			n[text]++
		}
	}
	var out []string
	for _, text := range texts {
		if n[text] >= trials {
			out = append(out, sentence(text+" (in all trials)"))
			continue
		}
		out = append(out, sentence(fmt.Sprintf("%s (in %d of %s)", text, n[text], plural(trials, "trial"))))
	}
	return out
}

// timelines picks the trial of every cell whose throughput is nearest to the
// mean; of two that are equally near, the earlier block's.
func (s *study) timelines() []Timeline {
	i := slices.IndexFunc(pgassay.Metrics, func(m pgassay.Metric) bool { return m.Name == pgassay.MetricTPS })
	var out []Timeline
	for a, row := range s.cells {
		for l, c := range row {
			if len(c.trials) == 0 {
				continue
			}
			x, _ := c.values(i)
			mean, best, least := stats.Mean(x), c.trials[0], -1.0
			for _, v := range c.trials {
				d := max(v.value[i].v-mean, mean-v.value[i].v)
				if v.value[i].absent == present && (least < 0 || d < least) {
					best, least = v, d
				}
			}
			r := best.rec
			out = append(out, Timeline{
				Arm: a, Load: l, Trial: r.Order, Length: r.MeasuredNS, Series: r.Series, Events: r.Events, Missing: r.Missing,
			})
		}
	}
	return out
}
