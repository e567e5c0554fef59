package analyze_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
	"github.com/pgassay/pgassay/internal/load/hist"
)

// epoch is when every run of these tests began.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// experiment has the named arms, the first as baseline, one load level of 100
// clients and throughput as the primary metric.
func experiment(blocks int, arms ...string) *pgassay.Experiment {
	e := &pgassay.Experiment{
		Name: "test", Question: "Does it matter?",
		Loads: []pgassay.Load{{Name: "100 clients", Clients: 100}},
		Design: pgassay.Design{
			Kind: "factorial", Stop: pgassay.Stop{FixedBlocks: blocks}, Primary: pgassay.Primary{Metric: pgassay.MetricTPS},
			Detect: 0.05, Delta: 0.025, Alpha: 0.05, Reset: pgassay.ResetRestore,
		},
	}
	for _, name := range arms {
		e.Arms = append(e.Arms, pgassay.Arm{Name: name, Settings: []pgassay.Setting{{Name: "work_mem", Value: name}}})
	}
	return e
}

// factorial crosses the factors; the first level of each is the baseline.
func factorial(blocks int, factors ...pgassay.Factor) *pgassay.Experiment {
	e := experiment(blocks)
	e.Factors = factors
	levels := make([]int, len(factors))
	for {
		arm := pgassay.Arm{Levels: append([]int(nil), levels...)}
		for f, l := range levels {
			if arm.Name != "" {
				arm.Name += ", "
			}
			arm.Name += factors[f].Name + "=" + factors[f].Levels[l]
			arm.Settings = append(arm.Settings, pgassay.Setting{Name: factors[f].Name, Value: factors[f].Levels[l]})
		}
		e.Arms = append(e.Arms, arm)
		f := len(levels) - 1
		for ; f >= 0; f-- {
			if levels[f]++; levels[f] < len(factors[f].Levels) {
				break
			}
			levels[f] = 0
		}
		if f < 0 {
			return e
		}
	}
}

// trial is a valid trial of 10 s with the given throughput.
func trial(number, block, arm, load int, tps float64) *pgassay.TrialRecord {
	return &pgassay.TrialRecord{
		Order:   pgassay.TrialOrder{Number: number, Block: block, Arm: arm, Load: load, Attempt: 1},
		Outcome: pgassay.OutcomeValid, Started: epoch.Add(time.Duration(number) * time.Minute), MeasuredNS: 10e9,
		Scripts: []pgassay.ScriptResult{{Script: "s", Transactions: int64(tps*10 + 0.5), Rows: int64(tps*100 + 0.5)}},
		Use:     pgassay.ResourceUse{ClientCPUS: 1, BackendCPUS: 4, AutovacuumCPUS: 0.5},
	}
}

// trials makes one trial per block, arm and load; tps gives its throughput,
// and a negative one leaves the trial out.
func trials(e *pgassay.Experiment, blocks int, tps func(block, arm, load int) float64) []*pgassay.TrialRecord {
	var out []*pgassay.TrialRecord
	for b := 1; b <= blocks; b++ {
		for a := range e.Arms {
			for l := range e.Loads {
				if v := tps(b, a, l); v >= 0 {
					out = append(out, trial(len(out)+1, b, a, l, v))
				}
			}
		}
	}
	return out
}

// latencies encodes a distribution: pairs of a latency and how often it came.
func latencies(tb testing.TB, pairs ...int64) []pgassay.Histogram {
	tb.Helper()
	h := hist.New()
	for i := 0; i < len(pairs); i += 2 {
		for range pairs[i+1] {
			h.Record(pairs[i])
		}
	}
	encoded, err := h.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return []pgassay.Histogram{{Kind: "response", Encoded: encoded}}
}

func mustAnalyze(tb testing.TB, e *pgassay.Experiment, recs []*pgassay.TrialRecord, checks ...pgassay.CheckResult) *analyze.Result {
	tb.Helper()
	res, err := analyze.Analyze(analyze.Input{Experiment: e, Run: analyze.RunInfo{Complete: true, Target: "created"}, Trials: recs, RunChecks: checks})
	if err != nil {
		tb.Fatal(err)
	}
	return res
}

// comparison finds an arm's comparison with the baseline.
func comparison(tb testing.TB, res *analyze.Result, m pgassay.MetricName, arm, load int) pgassay.Comparison {
	tb.Helper()
	for _, c := range res.Comparisons {
		if c.Metric == m && c.Arm == arm && c.Load == load {
			return c
		}
	}
	tb.Fatalf("no comparison of arm %d on %s at load %d", arm, m, load)
	return pgassay.Comparison{}
}

// effect finds a factor's main effect.
func effect(tb testing.TB, res *analyze.Result, m pgassay.MetricName, factor, level string, load int) pgassay.Comparison {
	tb.Helper()
	for _, c := range res.MainEffects {
		if c.Metric == m && c.Factor == factor && c.Level == level && c.Load == load {
			return c
		}
	}
	tb.Fatalf("no main effect of %s=%s on %s at load %d", factor, level, m, load)
	return pgassay.Comparison{}
}

// metric finds a metric of a cell.
func metric(tb testing.TB, res *analyze.Result, arm, load int, m pgassay.MetricName) analyze.CellMetric {
	tb.Helper()
	for _, c := range res.Cells {
		if c.Arm != arm || c.Load != load {
			continue
		}
		for _, v := range c.Metrics {
			if v.Metric == m {
				return v
			}
		}
	}
	tb.Fatalf("no %s of arm %d at load %d", m, arm, load)
	return analyze.CellMetric{}
}

func failed(id string, sev pgassay.Severity, message string) pgassay.CheckResult {
	return pgassay.CheckResult{ID: id, Title: "title of " + id, Status: pgassay.CheckFailed, Severity: sev, Message: message, Remedy: fmt.Sprintf("Mend %s", id), Load: -1}
}
