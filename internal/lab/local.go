package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/experiment/plan"
)

// Local is a [Runner] that makes its trials on this host.
type Local struct {
	Experiment *pgassay.Experiment
	Target     Target
	Loader     Loader
	Observer   Observer
	Sink       Sink
	Now        func() time.Time
}

var _ Runner = (*Local)(nil)

// Prepare makes the templates of all arms, so that the first block is not
// slower than the others.
func (l *Local) Prepare(ctx context.Context) error {
	for i := range l.Experiment.Arms {
		arm := &l.Experiment.Arms[i]
		say := func(text string) { l.Sink.send(Progress{Kind: ProgressPrepare, At: l.Now(), Text: text}) }
		if _, err := l.Target.Prepare(ctx, arm, say); err != nil {
			return fmt.Errorf("prepare arm %s: %w", arm.Name, err)
		}
	}
	return nil
}

// Run makes the step's trials on one instance each. A trial that could not be
// measured is a record with the outcome failed or interrupted, not an error;
// an error means that going on is useless.
func (l *Local) Run(ctx context.Context, step plan.Step) ([]*pgassay.TrialRecord, error) {
	var records []*pgassay.TrialRecord
	for _, order := range step.Orders {
		rec, err := l.trial(ctx, order)
		records = append(records, rec)
		if err != nil {
			return records, err
		}
	}
	return records, nil
}

// trial makes one trial. Whatever happens, the instance is stopped and the
// samplers end.
func (l *Local) trial(ctx context.Context, order pgassay.TrialOrder) (rec *pgassay.TrialRecord, fatal error) {
	arm, load := &l.Experiment.Arms[order.Arm], &l.Experiment.Loads[order.Load]
	rec = &pgassay.TrialRecord{Order: order, Started: l.Now(), Outcome: pgassay.OutcomeValid}
	defer func() { rec.Ended = l.Now() }()
	fail := func(what string, err error) {
		if rec.Outcome != pgassay.OutcomeValid {
			return // the first failure is the cause
		}
		rec.Outcome, rec.Reason = pgassay.OutcomeFailed, fmt.Sprintf("%s: %v", what, err)
		if ctx.Err() != nil {
			rec.Outcome, rec.Reason = pgassay.OutcomeInterrupted, "stopped by the user"
		}
	}
	phase := func(text string) { l.Sink.send(Progress{Kind: ProgressPhase, At: l.Now(), Order: order, Text: text}) }

	template, err := l.Target.Prepare(ctx, arm, phase)
	if err != nil {
		fail("prepare template", err)
		if ctx.Err() == nil {
			fatal = fmt.Errorf("prepare arm %s: %w", arm.Name, err)
		}
		return rec, fatal
	}
	rec.Template = template
	phase("restore")
	in, err := l.Target.Instance(ctx, arm, load)
	if err != nil {
		fail("no instance", err)
		if errors.Is(err, ErrHopeless) {
			fatal = err
		}
		return rec, fatal
	}
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		phase("stop")
		// The server is stopped even when the user does not want to wait.
		seconds, err := in.Stop(context.WithoutCancel(ctx))
		rec.Phases = in.Phases()
		rec.Phases.StopS = seconds
		if err != nil {
			fail("stop server", err)
		}
	}
	defer stop()
	obs, err := l.Observer.Watch(ctx, in)
	if err != nil {
		fail("watch server", err)
		return rec, nil
	}
	defer obs.Close()
	m := measurement{Local: l, in: in, obs: obs, rec: rec, phase: phase, fail: fail}
	res, fault := m.run(ctx, arm, load)
	if fault != nil {
		fatal = fmt.Errorf("load: %w", fault)
	}
	stop()
	seen, err := obs.Collect(context.WithoutCancel(ctx))
	if err != nil {
		fail("collect observations", err)
	}
	m.fill(res, seen)
	return rec, fatal
}

// ErrHopeless marks a failure of a Target that would meet every later trial
// too, such as a full disk.
var ErrHopeless = errors.New("going on is useless")

// measurement is one trial from the moment its server is up.
type measurement struct {
	*Local
	in    Instance
	obs   Observation
	rec   *pgassay.TrialRecord
	phase func(string)
	fail  func(string, error)
	warm  time.Time // when the load's warm-up began
}

// run verifies the settings, aligns the checkpoint phase, pushes the load and
// takes the snapshots at both ends of the measurement interval.
//
// fault is a mistake in the scripts: every later trial would meet it too.
func (m *measurement) run(ctx context.Context, arm *pgassay.Arm, load *pgassay.Load) (res LoadResult, fault error) {
	var err error
	if m.rec.Settings, m.rec.Storage, err = m.in.Settings(ctx); err != nil {
		m.fail("read settings", err)
		return LoadResult{}, nil
	}
	m.phase("checkpoint")
	if err := m.in.Checkpoint(ctx); err != nil {
		m.fail("checkpoint", err)
		return LoadResult{}, nil
	}
	m.rec.Start = m.snapshot(ctx)
	w := m.Experiment.Workload
	job := Job{
		Scripts: w.Scripts, Variables: mergeVariables(w.Variables, arm.Variables), Clients: load.Clients,
		Warmup: w.Warmup, Measure: w.Measure, Seed: m.rec.Order.Seed,
	}
	m.warm = m.Now()
	begin := func(at time.Time) {
		m.rec.MeasureStarted = at
		m.rec.Phases.WarmupS = at.Sub(m.warm).Seconds()
		m.obs.Begin(at)
		m.rec.Before = m.snapshot(ctx)
	}
	end := func(at time.Time) {
		m.obs.End(at)
		m.rec.After = m.snapshot(ctx)
	}
	tick := func(t Tick) {
		m.Sink.send(Progress{Kind: ProgressTick, At: m.Now(), Order: m.rec.Order, Tick: t})
	}
	res, err = m.Loader.Run(ctx, m.in, job, begin, end, tick)
	if err != nil {
		m.fail("load", err)
	}
	if errors.Is(err, pgassay.ErrUsage) {
		fault = err
	}
	return res, fault
}

func (m *measurement) snapshot(ctx context.Context) pgassay.Snapshot {
	s, err := m.in.Snapshot(ctx)
	if err != nil {
		m.fail("read statistics", err)
		return pgassay.Snapshot{}
	}
	if !m.rec.MeasureStarted.IsZero() {
		s.At = m.Now().Sub(m.rec.MeasureStarted).Nanoseconds()
	}
	return s
}

// fill copies what the clients and the samplers saw into the record.
func (m *measurement) fill(res LoadResult, seen Seen) {
	r := m.rec
	r.MeasuredNS = res.MeasuredNS
	r.Scripts, r.Histograms = res.Scripts, res.Histograms
	r.Series = append(append([]pgassay.Series(nil), res.Series...), seen.Series...)
	r.Events = seen.Events
	r.Use, r.Host = seen.Use, seen.Host
	r.Missing = seen.Missing
	if r.Use.ClientCPUS <= 0 { // the samplers could not tell
		r.Use.ClientCPUS = res.ClientCPUS
	}
	r.Host.GCPauseNS, r.Host.RunQueueP99NS = res.GCPauseNS, res.RunQueueP99NS
	r.Phases.ConnectS = res.ConnectS
	r.Phases.MeasureS = time.Duration(res.MeasuredNS).Seconds()
	if !r.MeasureStarted.IsZero() {
		r.Phases.WarmupS = r.MeasureStarted.Sub(m.warm).Seconds() - res.ConnectS
	}
}

// mergeVariables lets later lists override earlier ones.
func mergeVariables(lists ...[]pgassay.Variable) []pgassay.Variable {
	var out []pgassay.Variable
	at := map[string]int{}
	for _, list := range lists {
		for _, v := range list {
			if i, ok := at[v.Name]; ok {
				out[i] = v
				continue
			}
			at[v.Name] = len(out)
			out = append(out, v)
		}
	}
	return out
}
