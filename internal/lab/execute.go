package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
	"github.com/pgassay/pgassay/internal/experiment/plan"
)

// Options is what [Execute] needs.
type Options struct {
	Experiment *pgassay.Experiment
	Runner     Runner
	Recorder   Recorder
	// Prior holds the trials that the recorder already has, in their order.
	Prior []*pgassay.TrialRecord
	// Finish is closed when the run should end after the trial in hand.
	Finish <-chan struct{}
	Sink   Sink
	Now    func() time.Time
}

// Ending says how a run ended.
type Ending struct {
	Reason   string
	Complete bool
}

// ErrArmUnusable says that an arm could not be measured even once.
var ErrArmUnusable = errors.New("arm cannot be measured")

// Execute carries out the plan until it says stop, the context ends, Finish is
// closed or going on is useless. Every trial that ended is in the recorder
// when it returns. An interrupted trial is stored as such.
func Execute(ctx context.Context, o Options) (Ending, error) {
	x := &execution{Options: o, design: plan.FromExperiment(o.Experiment), references: map[string]*pgassay.TrialRecord{}}
	for _, rec := range o.Prior {
		x.note(rec)
	}
	for {
		step, stop := plan.Next(x.design, x.history)
		if stop != nil {
			err := o.Recorder.Decide(ctx, "stop", stop.Reason, o.Now())
			o.Sink.send(Progress{Kind: ProgressDecision, At: o.Now(), Text: stop.Reason})
			return Ending{stop.Reason, stop.Complete}, err
		}
		if x.over() {
			return Ending{Reason: "stopped by the user"}, nil
		}
		if b := o.Experiment.Design.Budget; b > 0 && x.spent+x.perTrial() > b {
			reason := fmt.Sprintf("the budget of %v is used up", b)
			o.Sink.send(Progress{Kind: ProgressDecision, At: o.Now(), Text: reason})
			return Ending{Reason: reason}, o.Recorder.Decide(ctx, "stop", reason, o.Now())
		}
		if err := x.step(ctx, step); err != nil {
			return Ending{Reason: err.Error()}, err
		}
		if ctx.Err() != nil {
			return Ending{Reason: "stopped by the user"}, context.Cause(ctx)
		}
	}
}

type execution struct {
	Options
	design  plan.Design
	history plan.History
	// references holds the first valid trial of each template.
	references map[string]*pgassay.TrialRecord
	measured   map[int]bool // arms with a trial that ran to its end
	failures   map[int]int  // failed trials of arms that have none
	spent      time.Duration
	trials     int
}

func (x *execution) over() bool {
	select {
	case <-x.Finish:
		return true
	default:
		return false
	}
}

// step has one step carried out and stores what came of it.
func (x *execution) step(ctx context.Context, step plan.Step) error {
	for _, order := range step.Orders {
		if err := x.Recorder.Begin(ctx, order, x.Now()); err != nil {
			return fmt.Errorf("record order: %w", err)
		}
		x.Sink.send(x.progress(Progress{Kind: ProgressTrial, Order: order}))
	}
	records, runErr := x.Runner.Run(ctx, step)
	// What was measured is stored even when the user has asked to stop.
	keep := context.WithoutCancel(ctx)
	for _, rec := range records {
		x.judge(rec)
		if err := x.Recorder.Commit(keep, rec); err != nil {
			return fmt.Errorf("record trial %d: %w", rec.Order.Number, err)
		}
		x.note(rec)
		x.Sink.send(x.progress(Progress{Kind: ProgressDone, Order: rec.Order, Record: rec}))
		if err := x.decide(keep, rec); err != nil {
			return err
		}
	}
	if runErr != nil {
		return runErr
	}
	return x.unusable(records)
}

// judge applies the checks of one trial. Only a measured trial is judged.
func (x *execution) judge(rec *pgassay.TrialRecord) {
	if rec.Outcome != pgassay.OutcomeValid {
		return
	}
	rec.Checks = check.Trial(check.Evidence{Experiment: x.Experiment, Trial: rec, Reference: x.references[rec.Template]})
	for _, c := range rec.Checks {
		if c.Status == pgassay.CheckFailed && c.Severity == pgassay.SeverityTrial {
			rec.Outcome = pgassay.OutcomeInvalid
			rec.Reason = c.ID + ": " + c.Message
			return
		}
	}
}

// note adds a trial to the history and to what is known of times.
func (x *execution) note(rec *pgassay.TrialRecord) {
	x.history = append(x.history, plan.Done{Order: rec.Order, Outcome: rec.Outcome})
	if x.measured == nil {
		x.measured, x.failures = map[int]bool{}, map[int]int{}
	}
	switch rec.Outcome {
	case pgassay.OutcomeFailed:
		x.failures[rec.Order.Arm]++
	case pgassay.OutcomeInterrupted:
	default:
		x.measured[rec.Order.Arm] = true
		x.spent += rec.Ended.Sub(rec.Started)
		x.trials++
	}
	if rec.Outcome == pgassay.OutcomeValid && x.references[rec.Template] == nil {
		x.references[rec.Template] = rec
	}
}

// decide stores what follows from a trial that does not count.
func (x *execution) decide(ctx context.Context, rec *pgassay.TrialRecord) error {
	if rec.Outcome != pgassay.OutcomeInvalid && rec.Outcome != pgassay.OutcomeFailed {
		return nil
	}
	kind, text := "repeat", fmt.Sprintf("trial %d is repeated: %s", rec.Order.Number, rec.Reason)
	if rec.Order.Attempt >= x.design.MaxAttempts {
		kind, text = "drop", fmt.Sprintf("block %d of %s at %s is dropped after %d attempts: %s", rec.Order.Block,
			x.Experiment.Arms[rec.Order.Arm].Name, x.Experiment.Loads[rec.Order.Load].Name, rec.Order.Attempt, rec.Reason)
	}
	x.Sink.send(x.progress(Progress{Kind: ProgressDecision, Order: rec.Order, Text: text}))
	if err := x.Recorder.Decide(ctx, kind, text, x.Now()); err != nil {
		return fmt.Errorf("record decision: %w", err)
	}
	return nil
}

// unusable ends the run when an arm has failed as often as one trial may be
// tried and was never measured: the next block would fail in the same way.
func (x *execution) unusable(records []*pgassay.TrialRecord) error {
	for _, rec := range records {
		arm := rec.Order.Arm
		if rec.Outcome == pgassay.OutcomeFailed && !x.measured[arm] && x.failures[arm] >= x.design.MaxAttempts {
			return fmt.Errorf("%w: %s failed %d times: %s", ErrArmUnusable, x.Experiment.Arms[arm].Name, x.failures[arm], rec.Reason)
		}
	}
	return nil
}

// progress fills in how far the run is.
func (x *execution) progress(p Progress) Progress {
	p.At = x.Now()
	p.Planned = x.design.Arms * x.design.Loads * x.design.Blocks
	for _, d := range x.history {
		if d.Outcome == pgassay.OutcomeValid || d.Outcome != pgassay.OutcomeInterrupted && d.Order.Attempt >= x.design.MaxAttempts {
			p.Finished++
		}
	}
	p.Remaining = time.Duration(p.Planned-p.Finished) * x.perTrial()
	return p
}

// perTrial is the time one trial takes: the mean so far, and before the first
// one what the experiment asks for plus a guess for restore and start.
func (x *execution) perTrial() time.Duration {
	if x.trials > 0 {
		return x.spent / time.Duration(x.trials)
	}
	w := x.Experiment.Workload
	return w.Warmup + w.Measure.Duration + nominalOverhead
}

// nominalOverhead is what restoring, starting and stopping a small server
// takes, until it has been measured.
const nominalOverhead = 3 * time.Second
