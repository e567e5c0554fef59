package lab_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/lab"
)

func twoArms(blocks int) *pgassay.Experiment {
	setting := func(v string) []pgassay.Setting { return []pgassay.Setting{{Name: "work_mem", Value: v}} }
	return &pgassay.Experiment{
		Name: "e",
		Arms: []pgassay.Arm{
			{Name: "small", Settings: setting("4MB"), Treatment: setting("4MB")},
			{Name: "large", Settings: setting("8MB"), Treatment: setting("8MB")},
		},
		Loads:    []pgassay.Load{{Name: "1 client", Clients: 1}, {Name: "4 clients", Clients: 4}},
		Workload: pgassay.Workload{Scripts: []pgassay.Script{{Name: "s", Text: "SELECT 1", Weight: 1}}, Warmup: time.Second, Measure: pgassay.Measure{Duration: 8 * time.Second}},
		Design:   pgassay.Design{Kind: "factorial", Stop: pgassay.Stop{FixedBlocks: blocks}, Seed: 7, Alpha: 0.05},
	}
}

type rig struct {
	world    *world
	memory   *memory
	progress []lab.Progress
	finish   chan struct{}
}

func newRig() *rig {
	w := newWorld()
	return &rig{world: w, memory: &memory{world: w}, finish: make(chan struct{})}
}

func (r *rig) run(ctx context.Context, e *pgassay.Experiment, prior ...*pgassay.TrialRecord) (lab.Ending, error) {
	sink := func(p lab.Progress) { r.progress = append(r.progress, p) }
	local := &lab.Local{Experiment: e, Target: target{r.world}, Loader: loader{r.world}, Observer: observer{r.world}, Sink: sink, Now: r.world.clock}
	return lab.Execute(ctx, lab.Options{Experiment: e, Runner: local, Recorder: r.memory, Prior: prior, Finish: r.finish, Sink: sink, Now: r.world.clock})
}

// outcomes lists what came of the trials as "block.arm.load/attempt outcome".
func outcomes(records []*pgassay.TrialRecord) []string {
	var out []string
	for _, r := range records {
		o := r.Order
		out = append(out, fmt.Sprintf("%d.%d.%d/%d %s", o.Block, o.Arm, o.Load, o.Attempt, r.Outcome))
	}
	return out
}

func TestWholeRun(t *testing.T) {
	r := newRig()
	ending, err := r.run(t.Context(), twoArms(2))
	if err != nil || !ending.Complete {
		t.Fatalf("got %+v, %v, want a complete run", ending, err)
	}
	if len(r.memory.records) != 8 || r.world.started != 8 || r.world.running != 0 {
		t.Fatalf("got %d records, %d servers started, %d left running, want 8, 8, 0", len(r.memory.records), r.world.started, r.world.running)
	}
	seen := map[string]bool{}
	for _, rec := range r.memory.records {
		if rec.Outcome != pgassay.OutcomeValid {
			t.Errorf("trial %d: %s (%s), want valid", rec.Order.Number, rec.Outcome, rec.Reason)
		}
		seen[fmt.Sprint(rec.Order.Block, rec.Order.Arm, rec.Order.Load)] = true
		if len(rec.Checks) == 0 {
			t.Errorf("trial %d was not checked", rec.Order.Number)
		}
	}
	if len(seen) != 8 {
		t.Errorf("got %d different cells, want 8", len(seen))
	}
	rec := r.memory.records[0]
	want := pgassay.Phases{RestoreS: 0.25, StartS: 0.5, WarmupS: 1 - 0.0625, MeasureS: 8, StopS: 0.125, ConnectS: 0.0625}
	if d := cmp.Diff(want, rec.Phases); d != "" {
		t.Errorf("phases (-want +got):\n%s", d)
	}
	if rec.After.At != 8e9 || rec.Missing[0] != "nothing" || rec.Use.ClientCPUS != 1 {
		t.Errorf("got After.At %d, missing %v, client CPU %v", rec.After.At, rec.Missing, rec.Use.ClientCPUS)
	}
	last := r.progress[len(r.progress)-1]
	if last.Kind != lab.ProgressDecision {
		t.Errorf("last progress is %s, want the decision to stop", last.Kind)
	}
}

// TestRemaining: the time left is the mean of what trials took so far.
func TestRemaining(t *testing.T) {
	r := newRig()
	if _, err := r.run(t.Context(), twoArms(1)); err != nil {
		t.Fatal(err)
	}
	var got []time.Duration
	for _, p := range r.progress {
		if p.Kind == lab.ProgressDone {
			got = append(got, p.Remaining)
		}
	}
	if d := cmp.Diff([]time.Duration{27 * time.Second, 18 * time.Second, 9 * time.Second, 0}, got); d != "" {
		t.Errorf("remaining (-want +got):\n%s", d)
	}
}

// TestFailures: a trial that fails at any place is marked, its server is
// stopped, it is repeated, and the run completes.
func TestFailures(t *testing.T) {
	for _, place := range []string{"instance", "watch", "settings", "checkpoint", "load", "load-end", "snapshot", "stop", "collect"} {
		t.Run(place, func(t *testing.T) {
			r := newRig()
			r.world.faults[place] = []error{errors.New("broken pipe")}
			ending, err := r.run(t.Context(), twoArms(1))
			if err != nil || !ending.Complete {
				t.Fatalf("got %+v, %v, want a complete run", ending, err)
			}
			first := r.memory.records[0]
			if first.Outcome != pgassay.OutcomeFailed || !strings.Contains(first.Reason, "broken pipe") {
				t.Errorf("got %s (%s), want failed by broken pipe", first.Outcome, first.Reason)
			}
			second := r.memory.records[1].Order
			if second.Block != first.Order.Block || second.Position != first.Order.Position || second.Arm != first.Order.Arm || second.Attempt != 2 {
				t.Errorf("after %+v came %+v, want the same place again", first.Order, second)
			}
			if len(r.memory.records) != 5 || r.world.running != 0 {
				t.Errorf("got %d records, %d servers left, want 5 and 0", len(r.memory.records), r.world.running)
			}
			if len(r.memory.decisions) == 0 || !strings.HasPrefix(r.memory.decisions[0], "repeat: trial 1 is repeated") {
				t.Errorf("got decisions %v, want a repeat first", r.memory.decisions)
			}
		})
	}
}

// TestUnusableArm: an arm whose server never starts ends the run with its
// reason, rather than failing in every block.
func TestUnusableArm(t *testing.T) {
	r := newRig()
	broken := errors.New("could not map shared memory")
	r.world.faults["instance/large"] = []error{broken, broken, broken, broken, broken, broken}
	_, err := r.run(t.Context(), twoArms(4))
	if !errors.Is(err, lab.ErrArmUnusable) || !strings.Contains(err.Error(), "large") || !strings.Contains(err.Error(), "could not map shared memory") {
		t.Fatalf("got %v, want the arm and the server's reason", err)
	}
	if r.world.running != 0 {
		t.Errorf("%d servers left running", r.world.running)
	}
}

// TestHopeless: a failure that every later trial would meet ends the run, and
// the trial is recorded.
func TestHopeless(t *testing.T) {
	r := newRig()
	r.world.faults["instance"] = []error{nil, fmt.Errorf("clone: no space left: %w", lab.ErrHopeless)}
	_, err := r.run(t.Context(), twoArms(4))
	if !errors.Is(err, lab.ErrHopeless) || len(r.memory.records) != 2 {
		t.Fatalf("got %v with %d records, want the disk's error after 2", err, len(r.memory.records))
	}
}

// TestScriptFault: a mistake in the scripts ends the run at once; making the
// trial again would meet it again.
func TestScriptFault(t *testing.T) {
	r := newRig()
	r.world.faults["load"] = []error{nil, fmt.Errorf("%w: mine.sql:5: division by zero", pgassay.ErrUsage)}
	_, err := r.run(t.Context(), twoArms(4))
	if !errors.Is(err, pgassay.ErrUsage) || len(r.memory.records) != 2 || r.memory.records[1].Outcome != pgassay.OutcomeFailed || r.world.running != 0 {
		t.Fatalf("got %v with %d records, %d servers left, want the script's fault after 2, 0", err, len(r.memory.records), r.world.running)
	}
}

// TestRecorderFails: when a trial cannot be stored the run ends at once.
func TestRecorderFails(t *testing.T) {
	for _, place := range []string{"record-begin", "record-commit"} {
		r := newRig()
		r.world.faults[place] = []error{nil, errors.New("disk full")}
		_, err := r.run(t.Context(), twoArms(4))
		if err == nil || !strings.Contains(err.Error(), "disk full") || len(r.memory.records) != 1 || r.world.running != 0 {
			t.Errorf("%s: got %v with %d records, %d servers left, want disk full after 1, 0", place, err, len(r.memory.records), r.world.running)
		}
	}
}

// TestInterrupt: stopping now marks the trial, stops its server, keeps the
// others; going on makes just the rest and the same order of trials.
func TestInterrupt(t *testing.T) {
	whole := newRig()
	if _, err := whole.run(t.Context(), twoArms(2)); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"instance", "checkpoint", "load", "load-end", "stop"} {
		t.Run(place, func(t *testing.T) {
			r := newRig()
			ctx, cancel := context.WithCancel(t.Context())
			visits := 0
			r.world.before = func(at string) {
				if at == place {
					if visits++; visits == 4 {
						cancel()
					}
				}
			}
			_, err := r.run(ctx, twoArms(2))
			if !errors.Is(err, context.Canceled) || r.world.running != 0 {
				t.Fatalf("got %v and %d servers left, want canceled and 0", err, r.world.running)
			}
			n := len(r.memory.records)
			if n != 4 {
				t.Fatalf("got %d records, want 4", n)
			}
			r.world.before = nil
			if _, err := r.run(t.Context(), twoArms(2), r.memory.records...); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, rec := range r.memory.records {
				if rec.Outcome == pgassay.OutcomeValid {
					got = append(got, outcomes([]*pgassay.TrialRecord{rec})...)
				}
			}
			if d := cmp.Diff(outcomes(whole.memory.records), got); d != "" {
				t.Errorf("order after going on (-without interruption +with):\n%s", d)
			}
		})
	}
}

// TestFinish: the polite stop ends after the trial in hand.
func TestFinish(t *testing.T) {
	r := newRig()
	loads := 0
	r.world.before = func(place string) {
		if place == "load" {
			if loads++; loads == 3 {
				close(r.finish)
			}
		}
	}
	ending, err := r.run(t.Context(), twoArms(2))
	if err != nil || ending.Complete || ending.Reason != "stopped by the user" {
		t.Fatalf("got %+v, %v", ending, err)
	}
	if d := cmp.Diff(3, len(r.memory.records)); d != "" {
		t.Errorf("records (-want +got): %s", d)
	}
}

// TestBudget: no trial begins that would not fit.
func TestBudget(t *testing.T) {
	r := newRig()
	e := twoArms(4)
	e.Design.Budget = 30 * time.Second // three trials of 9 s, and no fourth
	ending, err := r.run(t.Context(), e)
	if err != nil || ending.Complete || len(r.memory.records) != 3 || !strings.Contains(ending.Reason, "budget") {
		t.Fatalf("got %+v, %v with %d records, want the budget's end after 3", ending, err, len(r.memory.records))
	}
}
