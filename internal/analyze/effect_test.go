package analyze_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
	"github.com/pgassay/pgassay/internal/stats"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tol {
		t.Errorf("%s: got %.10g want %.10g", what, got, want)
	}
}

// TestByHand: four blocks, base 1000 /s throughout, the other arm 1100, 1120,
// 1080, 1100. With t(0.975, 3) = 3.18245, the logs have mean 0.0952275 and sd
// 0.0148473; the p-value follows from the closed form for three degrees of
// freedom, 1-2/π·(θ+sinθcosθ) with tanθ = t/√3.
func TestByHand(t *testing.T) {
	e := experiment(4, "base", "new")
	y := []float64{1100, 1120, 1080, 1100}
	res := mustAnalyze(t, e, trials(e, 4, func(b, a, _ int) float64 {
		if a == 0 {
			return 1000
		}
		return y[b-1]
	}))
	c := comparison(t, res, pgassay.MetricTPS, 1, 0)
	near(t, "estimate", c.Effect.Estimate, 0.09990907963719525, 1e-12)
	near(t, "low", c.Effect.Low, 0.07422782134787072, 1e-9)
	near(t, "high", c.Effect.High, 0.12620429244735457, 1e-9)
	near(t, "sd", c.LogSD, 0.01484733534838513, 1e-12)
	near(t, "Hodges-Lehmann", c.HodgesLehmann, 0.1, 1e-12)
	near(t, "p", c.P, 0.001022393165361457, 1e-9)
	near(t, "p of a family of one", c.PAdjusted, c.P, 0)
	near(t, "detectable", c.Detectable, math.Expm1(stats.Detectable(c.LogSD, 4, 0.05, 0.9)), 1e-12)
	if c.Verdict != pgassay.Improved || !c.Primary || c.Blocks != 4 || c.Family != 1 {
		t.Errorf("got %+v want the primary comparison improved", c)
	}
	m := metric(t, res, 1, 0, pgassay.MetricTPS)
	near(t, "mean", m.Mean.Estimate, 1100, 0)
	near(t, "mean's low", m.Mean.Low, 1074.0154347274934, 1e-6)
	near(t, "mean's high", m.Mean.High, 1125.9845652725066, 1e-6)
	want := `"new" raised throughput by 10.0 % (95 % interval 7.4 % to 12.6 %) at 100 clients, compared with the baseline "base": from 1,000 /s to 1,100 /s, in 4 blocks.`
	if got := res.Answer.Sentences[0]; got != want || res.Answer.Verdict != pgassay.Improved {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestDriftCancels: what multiplies both arms of a block leaves no trace in the
// effect, however much it scatters the cells.
func TestDriftCancels(t *testing.T) {
	e := experiment(4, "base", "new")
	y := []float64{1100, 1120, 1080, 1100}
	calm := trials(e, 4, func(b, a, _ int) float64 { return []float64{1000, y[b-1]}[a] })
	drift := []float64{1, 0.5, 2, 3}
	wild := trials(e, 4, func(b, a, _ int) float64 { return []float64{1000, y[b-1]}[a] * drift[b-1] })
	x, z := comparison(t, mustAnalyze(t, e, calm), pgassay.MetricTPS, 1, 0), comparison(t, mustAnalyze(t, e, wild), pgassay.MetricTPS, 1, 0)
	near(t, "low", z.Effect.Low, x.Effect.Low, 1e-12)
	near(t, "high", z.Effect.High, x.Effect.High, 1e-12)
}

// TestVerdicts has one experiment per row: the other arm's change in each block.
func TestVerdicts(t *testing.T) {
	for _, row := range []struct {
		what    string
		changes []float64
		want    pgassay.Verdict
		reason  string
		answer  string // in the answer
	}{
		{"a loss in every block", []float64{0.90, 0.91, 0.89, 0.90}, pgassay.Regressed, "excludes 0", `"new" lowered throughput by 10.0 % (95 % interval 8.7 % to 11.3 %)`},
		{"within one percent throughout", []float64{1.004, 0.997, 1.002, 0.998}, pgassay.Equivalent, "within ±2.5 %", `"new" gave the same throughput as the baseline "base" at 100 clients, within ±2.5 %.`},
		{"both ways", []float64{1.1, 0.9, 1.05, 0.97}, pgassay.Inconclusive, "the interval includes 0; 4 blocks could have seen", "With 4 blocks this experiment could have seen a change of"},
		{"one block", []float64{1.5}, pgassay.Inconclusive, "one block has no interval", "one block has no interval"},
		{"two blocks are enough when they agree", []float64{1.300, 1.301}, pgassay.Improved, "excludes 0", "raised throughput by 30.0 %"},
		{"a small gain that is certain is a gain", []float64{1.010, 1.011, 1.0105, 1.0100}, pgassay.Improved, "the change is smaller than the margin of 2.5 %", "That is certain but small"},
		{"nothing was measured", nil, pgassay.Inconclusive, "no block has a valid trial of both arms", "There is nothing to compare"},
	} {
		e := experiment(4, "base", "new")
		res := mustAnalyze(t, e, trials(e, len(row.changes), func(b, a, _ int) float64 {
			if a == 0 {
				return 100_000
			}
			return 100_000 * row.changes[b-1]
		}))
		c := comparison(t, res, pgassay.MetricTPS, 1, 0)
		if c.Verdict != row.want || !strings.Contains(c.Reason, row.reason) {
			t.Errorf("%s: got %s, %q want %s, %q", row.what, c.Verdict, c.Reason, row.want, row.reason)
		}
		if res.Answer.Verdict != row.want || !strings.Contains(strings.Join(res.Answer.Sentences, " "), row.answer) {
			t.Errorf("%s: got the answer %s %q want %q", row.what, res.Answer.Verdict, res.Answer.Sentences, row.answer)
		}
	}
}

// TestLatencyDirection: a higher P99 is worse, a lower one better.
func TestLatencyDirection(t *testing.T) {
	e := experiment(4, "base", "slow", "fast")
	e.Design.Primary.Metric = pgassay.MetricResponseP99
	recs := trials(e, 4, func(int, int, int) float64 { return 2_000 })
	for _, r := range recs {
		tail := []int64{10e6, 15e6, 5e6}[r.Order.Arm] + int64(r.Order.Block)*10_000
		r.Histograms = latencies(t, 1e6, 19_000, tail, 1_000)
	}
	res := mustAnalyze(t, e, recs)
	slow, fast := comparison(t, res, pgassay.MetricResponseP99, 1, 0), comparison(t, res, pgassay.MetricResponseP99, 2, 0)
	if slow.Verdict != pgassay.Regressed || fast.Verdict != pgassay.Improved {
		t.Errorf("got slow %s, fast %s want regressed, improved", slow.Verdict, fast.Verdict)
	}
	near(t, "fast", fast.Effect.Estimate, -0.5, 0.005)
	if want := `"fast" lowered P99 latency by`; !strings.HasPrefix(res.Answer.Sentences[0], want) {
		t.Errorf("got %q want %q…", res.Answer.Sentences[0], want)
	}
	if want := "Of the others, 1 arm got worse."; res.Answer.Sentences[1] != want {
		t.Errorf("got %q want %q", res.Answer.Sentences[1], want)
	}
}

// TestAbsolute: metrics that can be zero are compared by differences; four
// blocks with dead rows 0 against 100, 120, 80, 100 differ by 100 ± 26.
func TestAbsolute(t *testing.T) {
	e := experiment(4, "base", "lazy")
	recs := trials(e, 4, func(int, int, int) float64 { return 1000 })
	for _, r := range recs {
		dead := int64(0)
		if r.Order.Arm == 1 {
			dead = []int64{100, 120, 80, 100}[r.Order.Block-1]
		}
		r.Before.Relations = []pgassay.Relation{{Schema: "public", Name: "t"}}
		r.After.Relations = []pgassay.Relation{{Schema: "public", Name: "t", DeadRows: dead}}
	}
	res := mustAnalyze(t, e, recs)
	c := comparison(t, res, pgassay.MetricDeadRowsEnd, 1, 0)
	near(t, "estimate", c.Effect.Estimate, 100, 0)
	near(t, "low", c.Effect.Low, 74.0154347274934, 1e-6)
	if !c.Absolute || c.Verdict != pgassay.Regressed || !strings.HasSuffix(c.Reason, "(exploratory)") {
		t.Errorf("got %+v want an absolute, exploratory loss", c)
	}
	if c := comparison(t, res, pgassay.MetricErrorRate, 1, 0); c.Verdict != pgassay.Equivalent || !strings.HasPrefix(c.Reason, "the same in every block") {
		t.Errorf("no errors in any trial: got %s, %q", c.Verdict, c.Reason)
	}
	if c := comparison(t, res, pgassay.MetricVacuumCPU, 1, 0); !c.Neutral || c.Verdict != pgassay.Inconclusive {
		t.Errorf("autovacuum CPU has no good direction: got %+v", c)
	}
}

// TestHolmFamilies: three arms on the primary metric are one family; the
// exploratory ones of another metric are another. The weak arm's own p-value is
// below alpha, its corrected one is not.
func TestHolmFamilies(t *testing.T) {
	e := experiment(4, "base", "none1", "none2", "weak")
	noise := [][]float64{{1, 1, 1, 1}, {1.03, 0.97, 1.01, 0.98}, {0.96, 1.02, 1.03, 0.98}, {1.02, 1.05, 1.01, 1.035}}
	res := mustAnalyze(t, e, trials(e, 4, func(b, a, _ int) float64 { return 10_000 * noise[a][b-1] }))
	c := comparison(t, res, pgassay.MetricTPS, 3, 0)
	if !(c.P < 0.05) || !(c.PAdjusted > 0.05) || math.Abs(c.PAdjusted-3*c.P) > 1e-12 || c.Family != 3 {
		t.Fatalf("got p %v, adjusted %v over %d: the example does not show what it should", c.P, c.PAdjusted, c.Family)
	}
	if c.Verdict != pgassay.Inconclusive || !strings.Contains(c.Reason, "excludes 0, but not after the correction for 3 comparisons") {
		t.Errorf("got %s, %q", c.Verdict, c.Reason)
	}
}

// TestSymmetry: exchanging the arms inverts the ratio and keeps the p-value, and
// another unit of throughput changes nothing.
func TestSymmetry(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(rt, "blocks")
		y := rapid.SliceOfN(rapid.Float64Range(1e8, 1e9), 2*n, 2*n).Draw(rt, "tps")
		unit := rapid.Float64Range(1, 100).Draw(rt, "unit")
		e := experiment(n, "a", "b")
		one := comparison(t, mustAnalyze(t, e, trials(e, n, func(b, a, _ int) float64 { return y[2*(b-1)+a] })), pgassay.MetricTPS, 1, 0)
		turned := comparison(t, mustAnalyze(t, e, trials(e, n, func(b, a, _ int) float64 { return y[2*(b-1)+1-a] })), pgassay.MetricTPS, 1, 0)
		scaled := comparison(t, mustAnalyze(t, e, trials(e, n, func(b, a, _ int) float64 { return unit * y[2*(b-1)+a] })), pgassay.MetricTPS, 1, 0)
		close := func(a, b float64) bool { return math.Abs(a-b) < 1e-6*(1+math.Abs(a)) }
		if !close(math.Log1p(one.Effect.Estimate), -math.Log1p(turned.Effect.Estimate)) || !close(one.P, turned.P) {
			rt.Fatalf("turned round: %+v became %+v", one, turned)
		}
		if !close(one.Effect.Estimate, scaled.Effect.Estimate) || !close(one.P, scaled.P) || one.Verdict != scaled.Verdict {
			rt.Fatalf("in another unit: %+v became %+v", one, scaled)
		}
		if mirror := map[pgassay.Verdict]pgassay.Verdict{pgassay.Improved: pgassay.Regressed, pgassay.Regressed: pgassay.Improved}; mirror[one.Verdict] != "" && mirror[one.Verdict] != turned.Verdict {
			rt.Fatalf("%s turned round is %s", one.Verdict, turned.Verdict)
		}
	})
}

// simulate makes an A/B experiment with lognormal noise and a drift that both
// arms of a block share.
func simulate(rng *rand.Rand, arms []string, sd, ratio float64) (*pgassay.Experiment, []*pgassay.TrialRecord) {
	e := experiment(4, arms...)
	drift := make([]float64, 5)
	for b := range drift {
		drift[b] = 0.3 * rng.NormFloat64()
	}
	return e, trials(e, 4, func(b, a, _ int) float64 {
		y := 50_000 * math.Exp(drift[b]+sd*rng.NormFloat64())
		if a == 1 {
			y *= ratio
		}
		return y
	})
}

// TestFalseClaims: with identical arms the primary comparison claims something
// in about 5 % of experiments, and with two arms against one baseline not more
// often. The standard error of a rate of 5 % over 2,000 is 0.5 %.
func TestFalseClaims(t *testing.T) {
	for _, row := range []struct {
		what      string
		arms      []string
		low, high float64
	}{
		{"two arms", []string{"a", "b"}, 0.037, 0.063},
		{"three arms, any claim", []string{"a", "b", "c"}, 0.025, 0.06},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		claims, n := 0, 2000
		for range n {
			e, recs := simulate(rng, row.arms, 0.03, 1)
			switch mustAnalyze(t, e, recs).Answer.Verdict {
			case pgassay.Improved, pgassay.Regressed:
				claims++
			}
		}
		rate := float64(claims) / float64(n)
		t.Logf("%s: %.2f %% false claims", row.what, 100*rate)
		if rate < row.low || rate > row.high {
			t.Errorf("%s: got %v want %v to %v", row.what, rate, row.low, row.high)
		}
	}
}

// TestKnownEffect: +10 % is found with the right sign nearly always at 1.5 %
// noise, and an effect of the detectable size in about 90 % of experiments.
func TestKnownEffect(t *testing.T) {
	const sd = 0.015
	planned := math.Exp(stats.Detectable(sd*math.Sqrt2, 4, 0.05, 0.9))
	for _, row := range []struct {
		what             string
		ratio, low, high float64
	}{
		{"ten percent more", 1.10, 0.99, 1},
		{"the detectable effect", planned, 0.87, 0.93},
	} {
		rng := rand.New(rand.NewPCG(3, 4))
		right, n := 0, 1000
		for range n {
			e, recs := simulate(rng, []string{"a", "b"}, sd, row.ratio)
			if mustAnalyze(t, e, recs).Answer.Verdict == pgassay.Improved {
				right++
			}
		}
		rate := float64(right) / float64(n)
		t.Logf("%s (×%.3f): found in %.1f %%", row.what, row.ratio, 100*rate)
		if rate < row.low || rate > row.high {
			t.Errorf("%s: got %v want %v to %v", row.what, rate, row.low, row.high)
		}
	}
}

// TestInputErrors: an input that does not fit together is an error; missing data is not.
func TestInputErrors(t *testing.T) {
	for _, row := range []struct {
		what  string
		spoil func(*analyze.Input)
		want  string
	}{
		{"no experiment", func(in *analyze.Input) { in.Experiment = nil }, "no experiment"},
		{"no arms", func(in *analyze.Input) { in.Experiment.Arms = nil }, "without arms"},
		{"a baseline beyond the arms", func(in *analyze.Input) { in.Experiment.Baseline = 2 }, "baseline 2"},
		{"a primary load beyond the loads", func(in *analyze.Input) { in.Experiment.Design.Primary.Load = 1 }, "primary load 1"},
		{"an unknown primary metric", func(in *analyze.Input) { in.Experiment.Design.Primary.Metric = "speed" }, `"speed"`},
		{"no alpha", func(in *analyze.Input) { in.Experiment.Design.Alpha = 0 }, "alpha 0"},
		{"a trial of an arm that is not there", func(in *analyze.Input) { in.Trials[0].Order.Arm = 9 }, "arm 9"},
		{"an empty record", func(in *analyze.Input) { in.Trials[0] = nil }, "record 0"},
		{"levels that are no factor's", func(in *analyze.Input) { in.Experiment.Arms[0].Levels = []int{0} }, "1 levels for 0 factors"},
	} {
		e := experiment(4, "base", "new")
		in := analyze.Input{Experiment: e, Trials: trials(e, 1, func(int, int, int) float64 { return 1 })}
		row.spoil(&in)
		if _, err := analyze.Analyze(in); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v want %q", row.what, err, row.want)
		}
	}
}
