package analyze_test

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
)

// TestCoverage: which comparisons of three arms at two loads a failed check
// makes invalid.
func TestCoverage(t *testing.T) {
	type at struct{ arm, load int }
	everything := []at{{1, 0}, {1, 1}, {2, 0}, {2, 1}}
	for _, row := range []struct {
		what  string
		arms  []int
		load  int
		fac   string
		sev   pgassay.Severity
		cover []at
	}{
		{"the whole run", nil, -1, "", pgassay.SeverityExperiment, everything},
		{"one load", nil, 1, "", pgassay.SeverityExperiment, []at{{1, 1}, {2, 1}}},
		{"one arm", []int{2}, -1, "", pgassay.SeverityExperiment, []at{{2, 0}, {2, 1}}},
		{"the baseline alone takes all with it", []int{0}, -1, "", pgassay.SeverityExperiment, everything},
		{"a contrast of the baseline with one arm", []int{0, 1}, -1, "", pgassay.SeverityExperiment, []at{{1, 0}, {1, 1}}},
		{"two arms but not the baseline", []int{1, 2}, 0, "", pgassay.SeverityExperiment, []at{{1, 0}, {2, 0}}},
		{"what the arms differ in", nil, -1, "work_mem", pgassay.SeverityExperiment, everything},
		{"something the arms do not differ in", nil, -1, "jit", pgassay.SeverityExperiment, nil},
		{"a warning", nil, -1, "", pgassay.SeverityWarning, nil},
	} {
		e := experiment(4, "a", "b", "c")
		e.Loads = append(e.Loads, pgassay.Load{Name: "200 clients", Clients: 200})
		check := failed("V3", row.sev, "it could not bind")
		check.Arms, check.Load, check.Factor = row.arms, row.load, row.fac
		res := mustAnalyze(t, e, trials(e, 4, func(b, a, l int) float64 { return 1000 + float64((b*7+a*3+l)%5) }), check)
		for _, p := range everything {
			want := false
			for _, q := range row.cover {
				want = want || p == q
			}
			c := comparison(t, res, pgassay.MetricTPS, p.arm, p.load)
			if got := c.Verdict == pgassay.Invalid; got != want {
				t.Errorf("%s: arm %d at load %d: got %s, %q", row.what, p.arm, p.load, c.Verdict, c.Reason)
			} else if want && (c.Reason != "it could not bind (V3)" && c.Reason != "it could not bind (V3) (exploratory)" || len(c.Checks) != 1) {
				t.Errorf("%s: got the reason %q", row.what, c.Reason)
			}
		}
	}
}

// TestInvalidAnswer: the answer names the check and its remedy.
func TestInvalidAnswer(t *testing.T) {
	e := experiment(4, "a", "b")
	res := mustAnalyze(t, e, trials(e, 4, func(b, a, _ int) float64 { return 1000 + 100*float64(a) }), failed("V35", pgassay.SeverityExperiment, "the host was restarted."))
	want := []string{"This experiment could not have answered its question: the host was restarted (V35).", "Mend V35."}
	if res.Answer.Verdict != pgassay.Invalid || len(res.Answer.Sentences) != 2 || res.Answer.Sentences[0] != want[0] || res.Answer.Sentences[1] != want[1] {
		t.Errorf("got %s %q want %q", res.Answer.Verdict, res.Answer.Sentences, want)
	}
}

// TestTrialCheck: a grave check of one valid trial speaks of its cell; of a
// trial that does not count it says nothing about the comparison.
func TestTrialCheck(t *testing.T) {
	for _, row := range []struct {
		what    string
		outcome pgassay.Outcome
		want    pgassay.Verdict
	}{
		{"a valid trial with too few transactions", pgassay.OutcomeValid, pgassay.Invalid},
		{"an invalid trial", pgassay.OutcomeInvalid, pgassay.Improved},
	} {
		e := experiment(4, "a", "b")
		recs := trials(e, 4, func(b, a, _ int) float64 { return float64(10_000*(10+a) + b) })
		recs[1].Outcome = row.outcome
		recs[1].Checks = []pgassay.CheckResult{failed("V22", pgassay.SeverityExperiment, "1,200 transactions, fewer than 2,000")}
		res := mustAnalyze(t, e, recs)
		if c := comparison(t, res, pgassay.MetricTPS, 1, 0); c.Verdict != row.want {
			t.Errorf("%s: got %s, %q", row.what, c.Verdict, c.Reason)
		}
		if len(res.Failures) != 1 || res.Failures[0].Trial != 2 {
			t.Errorf("%s: got failures %+v want the one of trial 2", row.what, res.Failures)
		}
	}
}

// TestOnlyValidTrialsCount: what is not valid is listed and changes no number;
// the cell of a block without a valid trial drops this block of the contrast.
func TestOnlyValidTrialsCount(t *testing.T) {
	e := experiment(4, "a", "b")
	y := func(b, a, _ int) float64 { return 10_000 * (1 + 0.1*float64(a)) * (1 + 0.001*float64(b*a)) }
	recs := trials(e, 4, y)
	clean := comparison(t, mustAnalyze(t, e, recs), pgassay.MetricTPS, 1, 0)
	for i, o := range []pgassay.Outcome{pgassay.OutcomeInvalid, pgassay.OutcomeFailed, pgassay.OutcomeInterrupted} {
		bad := trial(100+i, 2, 1, 0, 1)
		bad.Outcome, bad.Reason = o, "because"
		recs = append(recs, bad)
	}
	res := mustAnalyze(t, e, recs)
	if got := comparison(t, res, pgassay.MetricTPS, 1, 0); got.Effect != clean.Effect {
		t.Errorf("with bad trials: got %+v want %+v", got.Effect, clean.Effect)
	}
	if len(res.Trials) != 11 || res.Trials[10].Outcome != pgassay.OutcomeInterrupted || res.Trials[10].Reason != "because" {
		t.Errorf("got %d trials listed, want all 11", len(res.Trials))
	}

	var dropped []*pgassay.TrialRecord
	for _, r := range recs {
		if r.Order.Arm == 1 && r.Order.Block == 2 && r.Outcome == pgassay.OutcomeValid {
			continue
		}
		dropped = append(dropped, r)
	}
	if c := comparison(t, mustAnalyze(t, e, dropped), pgassay.MetricTPS, 1, 0); c.Blocks != 3 {
		t.Errorf("a dropped cell: got %d blocks want 3", c.Blocks)
	}

	var lost []*pgassay.TrialRecord
	for _, r := range recs {
		if r.Order.Arm == 1 && r.Outcome == pgassay.OutcomeValid {
			continue
		}
		lost = append(lost, r)
	}
	res = mustAnalyze(t, e, lost)
	if c := res.Cells[1]; !c.Dropped || c.Why != "1 trial invalid, 1 trial failed, 1 trial interrupted; the last: because" {
		t.Errorf("a cell without a valid trial: got %+v", c)
	}
	if len(res.Timelines) != 1 {
		t.Errorf("got %d timelines want that of the other cell", len(res.Timelines))
	}
}

// TestTooFewForP99: one trial below 10,000 transactions makes P99 unknown for
// its cell, with the reason; P95 stays known.
func TestTooFewForP99(t *testing.T) {
	e := experiment(2, "a", "b")
	recs := trials(e, 2, func(int, int, int) float64 { return 1000 })
	for _, r := range recs {
		r.Histograms = latencies(t, 1e6, 9_900, 20e6, 100)
	}
	recs[3].Histograms = latencies(t, 1e6, 9_899, 20e6, 100)
	res := mustAnalyze(t, e, recs)
	m := metric(t, res, 1, 0, pgassay.MetricResponseP99)
	if want := "P99 latency needs 10,000 transactions in a trial, there were 9,999"; m.Known || m.Why != want || len(m.Values) > 0 {
		t.Errorf("got %+v want %q", m, want)
	}
	if m := metric(t, res, 0, 0, pgassay.MetricResponseP99); !m.Known {
		t.Errorf("the other arm has enough: got %+v", m)
	}
	if m := metric(t, res, 1, 0, pgassay.MetricResponseP95); !m.Known {
		t.Errorf("P95: got %+v", m)
	}
	if c := comparison(t, res, pgassay.MetricResponseP99, 1, 0); c.Blocks != 0 || !strings.HasPrefix(c.Reason, "P99 latency needs") {
		t.Errorf("got %+v", c)
	}
	if m := metric(t, res, 0, 0, pgassay.MetricResponseP999); m.Known {
		t.Errorf("P99.9 from 10,000 transactions: got %+v", m)
	}
}

// TestUnseen: what a sampler missed in one trial costs that block only.
func TestUnseen(t *testing.T) {
	e := experiment(3, "a", "b")
	recs := trials(e, 3, func(b, a, _ int) float64 { return 1000 + float64(a*b) })
	recs[0].Use.ClientCPUS = -1
	res := mustAnalyze(t, e, recs)
	m := metric(t, res, 0, 0, pgassay.MetricClientCPU)
	if !m.Known || len(m.Values) != 2 || m.Why != "the client's CPU time could not be read in 1 of 3 trials" {
		t.Errorf("got %+v", m)
	}
	if c := comparison(t, res, pgassay.MetricClientCPU, 1, 0); c.Blocks != 2 {
		t.Errorf("got %d blocks want 2", c.Blocks)
	}
	if c := res.Cells[0]; c.NoLatency != "no latency histogram was recorded" || len(c.Quantiles) > 0 {
		t.Errorf("no histogram: got %+v", c)
	}
	recs[1].Histograms = []pgassay.Histogram{{Kind: "response", Encoded: []byte("broken")}}
	if c := mustAnalyze(t, e, recs).Cells[1]; !strings.Contains(c.NoLatency, "cannot be read") && !strings.Contains(c.NoLatency, "no latency histogram") {
		t.Errorf("a broken histogram: got %q", c.NoLatency)
	}
}
