package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pgassay/pgassay/internal/lab"
	"github.com/pgassay/pgassay/internal/observe"
)

// watcher adapts the samplers to the lab. When a trial's log has been read it
// is added to the run's server.log.
type watcher struct {
	serverLog string // "" keeps no log
}

var _ lab.Observer = watcher{}

// Watch starts the samplers on an instance.
func (w watcher) Watch(ctx context.Context, in lab.Instance) (lab.Observation, error) {
	r := in.(reachable)
	o, err := observe.Start(ctx, observe.Config{Target: r.Target(), Database: r.Target().Database(), ServerPID: r.PID(), LogPath: r.LogPath()})
	if err != nil {
		return nil, err
	}
	return &watching{Observer: o, log: r.LogPath(), serverLog: w.serverLog}, nil
}

type watching struct {
	*observe.Observer
	log, serverLog string
}

// Collect returns what was seen and keeps the trial's log.
func (w *watching) Collect(ctx context.Context) (lab.Seen, error) {
	seen, err := w.Observer.Collect(ctx)
	if w.log != "" && w.serverLog != "" {
		err = errors.Join(err, moveLog(w.log, w.serverLog))
	}
	return lab.Seen(seen), err
}

// Begin sets the trial's clock to zero.
func (w *watching) Begin(at time.Time) { w.Observer.Begin(at) }

// End marks the end of the measurement interval.
func (w *watching) End(at time.Time) { w.Observer.End(at) }

// moveLog appends a trial's log to the run's and removes it.
func moveLog(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("keep server log: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("keep server log: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil {
		return fmt.Errorf("keep server log: %w", err)
	}
	return os.Remove(from)
}
