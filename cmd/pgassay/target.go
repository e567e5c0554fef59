package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/lab"
	"github.com/pgassay/pgassay/internal/observe"
	"github.com/pgassay/pgassay/internal/server"
)

// createdTarget is a lab.Target on servers of our own.
type createdTarget struct {
	bench      *bench
	experiment *pgassay.Experiment
	log        string // of the trial in hand
	keep       bool
	kept       *createdInstance
	templates  map[string]*server.Template // by arm
}

var _ lab.Target = (*createdTarget)(nil)

// Prepare loads the arm's data once.
func (t *createdTarget) Prepare(ctx context.Context, arm *pgassay.Arm, progress func(string)) (string, error) {
	if known := t.templates[arm.Name]; known != nil {
		return known.Key, nil
	}
	made, err := t.bench.home.Template(ctx, server.TemplateSpec{Build: t.build(arm), Dataset: arm.Dataset, Storage: arm.Tables, SQL: arm.SQL}, progress)
	if err != nil {
		return "", err
	}
	t.templates[arm.Name] = made
	return made.Key, nil
}

// build is the arm's.
func (t *createdTarget) build(arm *pgassay.Arm) pgassay.Build {
	for i := range t.experiment.Arms {
		if t.experiment.Arms[i].Name == arm.Name {
			return t.bench.byArm[i]
		}
	}
	return t.bench.byArm[0]
}

// Instance clones the arm's template and starts a server on the clone.
func (t *createdTarget) Instance(ctx context.Context, arm *pgassay.Arm, _ *pgassay.Load) (lab.Instance, error) {
	if err := removeStale(t.log); err != nil {
		return nil, err
	}
	in, err := t.bench.home.Instance(ctx, t.templates[arm.Name], server.InstanceOptions{
		Settings: arm.Settings, MemoryLimitBytes: t.experiment.Server.MemoryLimitBytes, LogPath: t.log, Keep: t.keep,
	})
	if server.IsDiskFull(err) {
		return nil, fmt.Errorf("%w: %w", lab.ErrHopeless, err)
	}
	if err != nil {
		return nil, err
	}
	return &createdInstance{Instance: in, target: t}, nil
}

// removeStale removes the log of a trial that did not get as far as its end.
func removeStale(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove old log: %w", err)
	}
	return nil
}

// close starts the last trial's server again when it is to be kept.
func (t *createdTarget) close(ctx context.Context, say func(string)) error {
	if err := removeStale(t.log); err != nil {
		return err
	}
	if t.kept == nil {
		return nil
	}
	target, err := t.kept.Leave(ctx)
	if err != nil {
		return errors.Join(err, t.kept.Discard())
	}
	say(fmt.Sprintf("kept: psql -h %s -p %d -U %s %s   (stop it with: %s/pg_ctl -D %s stop)",
		target.Host(), target.Port(), target.User(), target.Database(), t.kept.Build().BinDir, t.kept.DataDir()))
	return nil
}

// createdInstance is a lab.Instance on a server of our own.
type createdInstance struct {
	*server.Instance
	target *createdTarget
}

var _ reachable = (*createdInstance)(nil)

// Snapshot reads the statistics of the experiment's database. When the server
// has died, that is what the error says.
func (i *createdInstance) Snapshot(ctx context.Context) (pgassay.Snapshot, error) {
	s, err := snapshot(ctx, i)
	if err != nil {
		if died := i.Died(); died != nil {
			return s, died
		}
	}
	return s, err
}

// snapshot reads the statistics over a session of its own.
func snapshot(ctx context.Context, in reachable) (s pgassay.Snapshot, err error) {
	// A script may hold strong locks on the tables: better no statistics than no end.
	conn, err := in.Target().WithOption("lock_timeout", "2s").WithOption("statement_timeout", "20s").Connect(ctx, "snapshot")
	if err != nil {
		return s, err
	}
	s, err = observe.Snapshot(ctx, conn)
	return s, errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

// Stop stops the server. With --keep the last one's files stay.
func (i *createdInstance) Stop(ctx context.Context) (float64, error) {
	seconds, err := i.Instance.Stop(ctx)
	if !i.target.keep {
		return seconds, err
	}
	if last := i.target.kept; last != nil && last != i {
		err = errors.Join(err, last.Discard())
	}
	i.target.kept = i
	return seconds, err
}
