package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/experiment/plan"
)

func drawDesign(t *rapid.T) plan.Design {
	d := plan.Design{
		Arms: rapid.IntRange(1, 9).Draw(t, "arms"), Loads: rapid.IntRange(1, 4).Draw(t, "loads"),
		Blocks: rapid.IntRange(1, 7).Draw(t, "blocks"), Seed: rapid.Uint64().Draw(t, "seed"), MaxAttempts: plan.MaxAttempts,
	}
	d.Baseline = rapid.IntRange(0, d.Arms-1).Draw(t, "baseline")
	return d
}

// carryOut follows the plan to its end; outcome says what comes of each order.
func carryOut(t interface{ Fatalf(string, ...any) }, d plan.Design, outcome func(pgassay.TrialOrder) pgassay.Outcome) (plan.History, *plan.Stop) {
	var h plan.History
	for {
		step, stop := plan.Next(d, h)
		if stop != nil {
			return h, stop
		}
		if len(step.Orders) != 1 {
			t.Fatalf("a step has %d orders, want 1", len(step.Orders))
		}
		h = append(h, plan.Done{Order: step.Orders[0], Outcome: outcome(step.Orders[0])})
		if len(h) > 10_000 {
			t.Fatalf("the plan never ends")
		}
	}
}

func valid(pgassay.TrialOrder) pgassay.Outcome { return pgassay.OutcomeValid }

// TestEveryCellOnce: when all is valid, each cell is made once per block, with
// one seed per block, and the realised order is the planned one.
func TestEveryCellOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t)
		h, stop := carryOut(t, d, valid)
		if !stop.Complete || len(h) != d.Arms*d.Loads*d.Blocks {
			t.Fatalf("%d trials, %+v", len(h), stop)
		}
		type cell struct{ block, arm, load int }
		seen, seeds := map[cell]bool{}, map[int]uint64{}
		for i, done := range h {
			o := done.Order
			if seen[cell{o.Block, o.Arm, o.Load}] {
				t.Fatalf("%+v is made twice", o)
			}
			seen[cell{o.Block, o.Arm, o.Load}] = true
			if s, ok := seeds[o.Block]; ok && s != o.Seed {
				t.Fatalf("block %d has two seeds", o.Block)
			}
			seeds[o.Block] = o.Seed
			if o != plan.Planned(d)[i] {
				t.Fatalf("trial %d is %+v, planned %+v", i+1, o, plan.Planned(d)[i])
			}
		}
		distinct := map[uint64]bool{}
		for _, s := range seeds {
			distinct[s] = true
		}
		if len(distinct) != d.Blocks {
			t.Fatalf("%d seeds for %d blocks", len(distinct), d.Blocks)
		}
	})
}

// TestBalance: over a pair of blocks every cell has the same mean position.
func TestBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t)
		d.Blocks = 2 * rapid.IntRange(1, 4).Draw(t, "pairs")
		n := d.Arms * d.Loads
		sum := map[[3]int]int{}
		for _, o := range plan.Planned(d) {
			sum[[3]int{(o.Block - 1) / 2, o.Arm, o.Load}] += o.Position
		}
		for cell, positions := range sum {
			if positions != n-1 {
				t.Fatalf("pair, arm, load %v: positions sum to %d, want %d", cell, positions, n-1)
			}
		}
	})
}

// TestPrefix: more blocks do not change the order of those before.
func TestPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t)
		longer := d
		longer.Blocks += rapid.IntRange(1, 5).Draw(t, "more")
		short := plan.Planned(d)
		if diff := cmp.Diff(short, plan.Planned(longer)[:len(short)]); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestResume: whatever came of the trials, stopping anywhere (also in the
// middle of a trial) and going on gives the order that was to come.
func TestResume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t)
		outcomes := rapid.SliceOfN(rapid.SampledFrom([]pgassay.Outcome{
			pgassay.OutcomeValid, pgassay.OutcomeValid, pgassay.OutcomeValid, pgassay.OutcomeValid, pgassay.OutcomeInvalid, pgassay.OutcomeFailed,
		}), 300, 300).Draw(t, "outcomes")
		h, end := carryOut(t, d, func(o pgassay.TrialOrder) pgassay.Outcome { return outcomes[o.Number%len(outcomes)] })
		cut := rapid.IntRange(0, len(h)).Draw(t, "cut")
		step, stop := plan.Next(d, slices.Clone(h[:cut]))
		if cut == len(h) {
			if stop == nil || *stop != *end {
				t.Fatalf("after the end: %+v, %+v", step, stop)
			}
			return
		}
		if stop != nil || step.Orders[0] != h[cut].Order {
			t.Fatalf("after %d trials: %+v %+v, want %+v", cut, step, stop, h[cut].Order)
		}
		broken := append(slices.Clone(h[:cut]), plan.Done{Order: h[cut].Order, Outcome: pgassay.OutcomeInterrupted})
		again, stop := plan.Next(d, broken)
		want := h[cut].Order
		want.Number++
		if stop != nil || again.Orders[0] != want {
			t.Fatalf("after an interruption: %+v %+v, want %+v", again, stop, want)
		}
	})
}

// TestRedo follows one bad slot through its repeats.
func TestRedo(t *testing.T) {
	d := plan.Design{Arms: 3, Loads: 2, Blocks: 2, Seed: 7, MaxAttempts: plan.MaxAttempts}
	bad := plan.Planned(d)[4]
	h, stop := carryOut(t, d, func(o pgassay.TrialOrder) pgassay.Outcome {
		if o.Block == bad.Block && o.Position == bad.Position {
			return pgassay.OutcomeInvalid
		}
		return pgassay.OutcomeValid
	})
	for i, want := range []struct{ number, attempt int }{{5, 1}, {6, 2}, {7, 3}} {
		got := h[4+i].Order
		if got.Number != want.number || got.Attempt != want.attempt || got.Position != bad.Position || got.Arm != bad.Arm || got.Load != bad.Load || got.Seed != bad.Seed {
			t.Errorf("order %d: got %+v, want number %d attempt %d of the same slot", 5+i, got, want.number, want.attempt)
		}
	}
	if h[7].Order.Position != bad.Position+1 || h[7].Order.Number != 8 {
		t.Errorf("after the drop: %+v", h[7].Order)
	}
	want := "all 12 trials of 2 blocks are done, 1 of them dropped after 3 attempts each"
	if stop.Reason != want || !stop.Complete {
		t.Errorf("got %+v, want %q", stop, want)
	}
}

func TestStops(t *testing.T) {
	d := plan.Design{Arms: 2, Loads: 1, Blocks: 8, Seed: 1, MaxAttempts: plan.MaxAttempts}
	for _, c := range []struct {
		why      string
		outcome  func(pgassay.TrialOrder) pgassay.Outcome
		trials   int
		reason   string
		complete bool
	}{
		{"two of the first eight trials, a quarter, are still fit", func(o pgassay.TrialOrder) pgassay.Outcome {
			if o.Block >= 4 && o.Block <= 5 && o.Position == 1 && o.Attempt == 1 {
				return pgassay.OutcomeFailed
			}
			return pgassay.OutcomeValid
		}, 18, "all 16 trials of 8 blocks are done", true},
		{"more than a quarter is not", func(o pgassay.TrialOrder) pgassay.Outcome {
			if o.Position == 0 && o.Attempt == 1 {
				return pgassay.OutcomeInvalid
			}
			return pgassay.OutcomeValid
		}, 8, "host unfit: 3 of 5 trials (60 %) had to be repeated, the limit is 25 %", false},
	} {
		h, stop := carryOut(t, d, c.outcome)
		if len(h) != c.trials || stop.Reason != c.reason || stop.Complete != c.complete {
			t.Errorf("%s: %d trials, %+v, want %d, %q, %v", c.why, len(h), stop, c.trials, c.reason, c.complete)
		}
	}
	if _, stop := plan.Next(plan.Design{}, nil); stop == nil || !strings.Contains(stop.Reason, "nothing") {
		t.Errorf("an empty design: %+v", stop)
	}
}
