package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/lab"
	"github.com/pgassay/pgassay/internal/server"
)

// journalDir is where changes to servers of others are noted.
func journalDir(home string) string { return filepath.Join(home, "journal") }

// attachedTarget is a lab.Target on a server that is not ours. Its starting
// state is a database that is loaded anew for each instance, or once when the
// design says reset: none.
type attachedTarget struct {
	server *server.Attached
	reset  pgassay.Reset
	loaded string // the arm whose data is there
}

var _ lab.Target = (*attachedTarget)(nil)

// Prepare has nothing to make: the data is loaded with each instance.
func (t *attachedTarget) Prepare(_ context.Context, arm *pgassay.Arm, _ func(string)) (string, error) {
	return "attached:" + arm.Dataset.Builtin + arm.Dataset.Init, nil
}

// Instance loads the data and changes the settings.
func (t *attachedTarget) Instance(ctx context.Context, arm *pgassay.Arm, _ *pgassay.Load) (lab.Instance, error) {
	if t.reset != pgassay.ResetNone || t.loaded != arm.Name {
		if err := t.server.Load(ctx, arm.Dataset, arm.Tables, arm.SQL, func(string) {}); err != nil {
			return nil, err
		}
		t.loaded = arm.Name
	}
	err := t.server.Apply(ctx, arm.Settings)
	if errors.Is(err, pgassay.ErrRefused) {
		return nil, fmt.Errorf("%w: %w", lab.ErrHopeless, err)
	}
	if err != nil {
		return nil, err
	}
	return &attachedInstance{server: t.server}, nil
}

// attachedInstance is a lab.Instance on a server that is not ours.
type attachedInstance struct {
	server *server.Attached
	// started is the server's start as the first look of the trial saw it.
	started string
}

var _ reachable = (*attachedInstance)(nil)

// Phases are not known apart: nothing is restored or started.
func (*attachedInstance) Phases() pgassay.Phases { return pgassay.Phases{} }

// Target is how to connect to the experiment's database.
func (i *attachedInstance) Target() *dial.Target { return i.server.Target() }

// PID finds the postmaster when the server is on this host: the socket's lock
// file names it.
func (i *attachedInstance) PID() int {
	t := i.server.Target()
	if !t.IsSocket() {
		return 0
	}
	text, err := os.ReadFile(filepath.Join(t.Host(), ".s.PGSQL."+strconv.Itoa(t.Port())+".lock"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0
	}
	return pid
}

// LogPath is not known: the log belongs to the server's owner.
func (*attachedInstance) LogPath() string { return "" }

// Settings reads what is in force.
func (i *attachedInstance) Settings(ctx context.Context) ([]pgassay.SettingState, []pgassay.StorageSetting, error) {
	return i.server.InForce(ctx)
}

// Checkpoint makes a checkpoint.
func (i *attachedInstance) Checkpoint(ctx context.Context) error { return i.server.Checkpoint(ctx) }

// Snapshot reads the statistics. A server that was restarted in the middle of
// the trial has lost its cache and its counters: the trial cannot count.
func (i *attachedInstance) Snapshot(ctx context.Context) (s pgassay.Snapshot, err error) {
	conn, err := i.Target().Connect(ctx, "snapshot")
	if err != nil {
		return s, err
	}
	var started string
	err = conn.QueryRow(ctx, "SELECT pg_postmaster_start_time()::text").Scan(&started)
	if err := errors.Join(err, conn.Close(context.WithoutCancel(ctx))); err != nil {
		return s, fmt.Errorf("read the server's start: %w", err)
	}
	if i.started != "" && started != i.started {
		return s, fmt.Errorf("the server was restarted in the middle of the trial (%s, before %s)", started, i.started)
	}
	i.started = started
	return snapshot(ctx, i)
}

// Stop has nothing to stop; settings are put back when the run ends.
func (*attachedInstance) Stop(context.Context) (float64, error) { return 0, nil }
