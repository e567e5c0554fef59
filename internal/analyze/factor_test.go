package analyze_test

import (
	"math"
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
)

var (
	scaleFactor = pgassay.Factor{Kind: pgassay.FactorSetting, Name: "scale_factor", Levels: []string{"0.2", "0.1", "0.02"}}
	costDelay   = pgassay.Factor{Kind: pgassay.FactorSetting, Name: "cost_delay", Levels: []string{"20ms", "10ms", "1ms"}}
)

// grid is a 3×3 with two blocks. Against 0.2, scale factor 0.02 gives the
// ratios 1.1¹, 1.1², 1.1³ over the three delays in block 1 (mean of the logs:
// 2·ln 1.1) and the same twice over in block 2 (4·ln 1.1): the main effect is
// 1.1³-1 = 33.1 %. 0.1 gives 1 throughout. The delay 1ms gives 2 in all rows of
// block 1 and 8 in block 2: √16-1 = 300 %.
func grid(block, arm, _ int) float64 {
	scale, delay := arm/3, arm%3
	y := 1000.0
	if scale == 2 {
		y *= math.Pow(1.1, float64((delay+1)*block))
	}
	if delay == 2 {
		y *= []float64{2, 8}[block-1]
	}
	return y
}

func TestMainEffects(t *testing.T) {
	e := factorial(2, scaleFactor, costDelay)
	recs := trials(e, 2, grid)
	for _, r := range recs { // exact throughput, without rounding to transactions
		r.MeasuredNS = 1e9
		r.Scripts[0].Transactions = int64(math.Round(1e9 * grid(r.Order.Block, r.Order.Arm, 0)))
	}
	res := mustAnalyze(t, e, recs)
	for _, row := range []struct {
		factor, level string
		want          float64
	}{
		{"scale_factor", "0.02", math.Pow(1.1, 3) - 1},
		{"scale_factor", "0.1", 0},
		// The ratios of the delay within scale factor 0.02 contain its own steps:
		// 10ms against 20ms is 1, 1, 1.1 in block 1 (mean log ⅓·ln 1.1) and ⅔·ln 1.1
		// in block 2; 1ms is 2·(1.1²)^⅓ and 8·(1.1⁴)^⅓.
		{"cost_delay", "10ms", math.Pow(1.1, 0.5) - 1},
		{"cost_delay", "1ms", 4*1.1 - 1},
	} {
		c := effect(t, res, pgassay.MetricTPS, row.factor, row.level, 0)
		near(t, row.factor+"="+row.level, c.Effect.Estimate, row.want, 1e-6)
		if c.Blocks != 2 || c.Arm != -1 || c.Base != -1 || !c.Primary || c.Family != 4 {
			t.Errorf("%s=%s: got %+v", row.factor, row.level, c)
		}
	}
	if len(res.FactorVerdicts) != 2 || res.FactorVerdicts[0].Factor != "scale_factor" {
		t.Errorf("got %+v want one verdict per factor", res.FactorVerdicts)
	}
}

// noisy is a grid of four blocks in which only the delay matters: 1ms is 20 %
// faster. The noise is fixed.
func noisy(block, arm, _ int) float64 {
	y := 10_000 * (1 + 0.004*float64((7*arm+5*block+arm*block)%5-2))
	if arm%3 == 2 {
		y *= 1.2
	}
	return y
}

// insertOnly is the check of an insert-only load: the scale factor was not
// exercised.
func insertOnly() pgassay.CheckResult {
	c := failed("V13", pgassay.SeverityExperiment, "an insert-only load makes no dead rows, so the vacuum scale factor could not have mattered")
	c.Factor = "scale_factor"
	return c
}

// TestOneFactorInvalid: a check of one factor takes its verdict away and leaves
// the other's; arms that differ in both keep theirs.
func TestOneFactorInvalid(t *testing.T) {
	e := factorial(4, scaleFactor, costDelay)
	res := mustAnalyze(t, e, trials(e, 4, noisy), insertOnly())
	if c := effect(t, res, pgassay.MetricTPS, "scale_factor", "0.02", 0); c.Verdict != pgassay.Invalid || c.Checks[0] != "V13" || !strings.Contains(c.Reason, "(V13)") {
		t.Errorf("scale factor: got %s, %q", c.Verdict, c.Reason)
	}
	if c := effect(t, res, pgassay.MetricTPS, "cost_delay", "1ms", 0); c.Verdict != pgassay.Improved || c.Family != 2 {
		t.Errorf("cost delay: got %s over %d, %q", c.Verdict, c.Family, c.Reason)
	}
	for _, row := range []struct {
		what string
		arm  int
		want pgassay.Verdict
	}{
		{"0.02, 20ms differs from the baseline in the scale factor only", 6, pgassay.Invalid},
		{"0.2, 1ms differs in the delay only", 2, pgassay.Improved},
		{"0.02, 1ms differs in both", 8, pgassay.Improved},
	} {
		if c := comparison(t, res, pgassay.MetricTPS, row.arm, 0); c.Verdict != row.want {
			t.Errorf("%s: got %s, %q want %s", row.what, c.Verdict, c.Reason, row.want)
		}
	}
	want := []string{
		"scale_factor: no verdict, this experiment could not have answered: an insert-only load makes no dead rows, so the vacuum scale factor could not have mattered (V13).",
		"cost_delay: 1ms instead of 20ms raised throughput by ",
	}
	for i, v := range res.FactorVerdicts {
		if !strings.HasPrefix(v.Sentence, want[i]) {
			t.Errorf("got %q want %q…", v.Sentence, want[i])
		}
	}
	if !strings.HasSuffix(res.FactorVerdicts[1].Sentence, "at 100 clients, on average over scale_factor.") {
		t.Errorf("got %q", res.FactorVerdicts[1].Sentence)
	}
}

// TestPublished: one block and an insert-only load, as in the published grid.
// Nothing can be claimed, and the answer says why for each factor.
func TestPublished(t *testing.T) {
	e := factorial(1, scaleFactor, costDelay)
	res := mustAnalyze(t, e, trials(e, 1, noisy), insertOnly())
	if res.Answer.Verdict != pgassay.Inconclusive {
		t.Errorf("got %s", res.Answer.Verdict)
	}
	text := strings.Join(res.Answer.Sentences, " ")
	for _, want := range []string{"No difference in throughput could be claimed at 100 clients.", "one block has no interval", "(V13)"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %q want %q", text, want)
		}
	}
	if v := res.FactorVerdicts[1]; v.Verdict != pgassay.Inconclusive || !strings.Contains(v.Sentence, "one block has no interval") {
		t.Errorf("cost delay: got %+v", v)
	}
	for _, c := range res.Cells {
		if c.Metrics[0].Mean.Known() || c.Metrics[0].Why != "one trial has no interval" {
			t.Fatalf("got an interval from one trial: %+v", c.Metrics[0])
		}
	}
	if len(res.Timelines) != 9 {
		t.Errorf("got %d timelines want 9", len(res.Timelines))
	}
}

// TestMissingCombinations: a main effect is taken from the blocks and
// combinations that are whole.
func TestMissingCombinations(t *testing.T) {
	for _, row := range []struct {
		what    string
		missing func(block, arm int) bool
		blocks  int
		note    string
		verdict pgassay.Verdict
	}{
		{"one trial of block 2 leaves three blocks", func(b, a int) bool { return b == 2 && a == 2 }, 3, "", pgassay.Improved},
		{"an arm that never worked leaves two of three combinations", func(_, a int) bool { return a == 5 }, 4, "without 1 of 3 combinations", pgassay.Improved},
		{"two arms that never worked leave too few", func(_, a int) bool { return a == 5 || a == 8 }, 0, "no block has a valid trial", pgassay.Inconclusive},
	} {
		e := factorial(4, scaleFactor, costDelay)
		res := mustAnalyze(t, e, trials(e, 4, func(b, a, l int) float64 {
			if row.missing(b, a) {
				return -1
			}
			return noisy(b, a, l)
		}))
		c := effect(t, res, pgassay.MetricTPS, "cost_delay", "1ms", 0)
		if c.Blocks != row.blocks || c.Verdict != row.verdict || !strings.Contains(c.Reason, row.note) {
			t.Errorf("%s: got %d blocks, %s, %q", row.what, c.Blocks, c.Verdict, c.Reason)
		}
	}
}

// TestLoadsTogether: Load -1 is the mean over the levels within a block. The
// ratio is 1.21 at the first level and 1 at the second: 1.1 together.
func TestLoadsTogether(t *testing.T) {
	e := factorial(2, pgassay.Factor{Kind: pgassay.FactorSetting, Name: "f", Levels: []string{"off", "on"}})
	e.Loads = append(e.Loads, pgassay.Load{Name: "200 clients", Clients: 200})
	res := mustAnalyze(t, e, trials(e, 2, func(_, a, l int) float64 {
		if a == 1 && l == 0 {
			return 12_100
		}
		return 10_000
	}))
	near(t, "together", effect(t, res, pgassay.MetricTPS, "f", "on", -1).Effect.Estimate, 0.1, 1e-12)
	if c := effect(t, res, pgassay.MetricTPS, "f", "on", -1); c.Primary {
		t.Error("all loads together: got primary, want exploratory")
	}
}
