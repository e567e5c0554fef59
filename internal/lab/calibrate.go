package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgassay/pgassay"
)

// Calibration is what a short load says of a host before a run.
type Calibration struct {
	TPS          float64 // transactions per second, over all scripts
	WALBytesPerS float64 // 0 where the server does not count WAL
	// Relations are the tables as a trial starts with them.
	Relations []pgassay.Relation
	// Phases are those of the instance. Its warm-up and measurement are left 0.
	Phases pgassay.Phases
}

// Calibrate measures an arm at a load level on an instance of its own, for the
// workload's warm-up and then for the given time. Nothing is recorded or
// watched; the instance is stopped whatever happens. No transaction at all is
// an error.
func (l *Local) Calibrate(ctx context.Context, arm *pgassay.Arm, load *pgassay.Load, measure time.Duration) (c Calibration, err error) {
	say := func(text string) { l.Sink.send(Progress{Kind: ProgressPrepare, At: l.Now(), Text: text}) }
	if _, err := l.Target.Prepare(ctx, arm, say); err != nil {
		return c, fmt.Errorf("prepare arm %s: %w", arm.Name, err)
	}
	in, err := l.Target.Instance(ctx, arm, load)
	if err != nil {
		return c, fmt.Errorf("start server: %w", err)
	}
	defer func() {
		stopS, stopErr := in.Stop(context.WithoutCancel(ctx))
		c.Phases = in.Phases()
		c.Phases.StopS = stopS
		err = errors.Join(err, stopErr)
	}()
	if err := in.Checkpoint(ctx); err != nil {
		return c, fmt.Errorf("checkpoint: %w", err)
	}
	start, err := in.Snapshot(ctx)
	if err != nil {
		return c, fmt.Errorf("read statistics: %w", err)
	}
	c.Relations = start.Relations
	w := l.Experiment.Workload
	job := Job{
		Scripts: w.Scripts, Variables: mergeVariables(w.Variables, arm.Variables), Clients: load.Clients,
		Warmup: w.Warmup, Measure: pgassay.Measure{Duration: measure}, Seed: l.Experiment.Design.Seed,
	}
	var wal [2]float64
	var snapshotErr error
	look := func(into *float64) {
		s, err := in.Snapshot(ctx)
		*into, snapshotErr = s.Counters["wal_bytes"], errors.Join(snapshotErr, err)
	}
	res, err := l.Loader.Run(ctx, in, job, func(time.Time) { look(&wal[0]) }, func(time.Time) { look(&wal[1]) }, func(Tick) {})
	if err = errors.Join(err, snapshotErr); err != nil {
		return c, fmt.Errorf("load: %w", err)
	}
	seconds := time.Duration(res.MeasuredNS).Seconds()
	transactions, failure := int64(0), ""
	for _, s := range res.Scripts {
		transactions += s.Transactions
		if failure == "" && s.FirstError != "" {
			failure = ": " + s.FirstError
		}
	}
	if transactions == 0 || seconds <= 0 {
		return c, fmt.Errorf("no transaction was completed in %v%s", measure, failure)
	}
	c.TPS, c.WALBytesPerS = float64(transactions)/seconds, (wal[1]-wal[0])/seconds
	return c, nil
}
