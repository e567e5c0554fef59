package lab

import (
	"context"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/experiment/plan"
)

// Target makes and hands out running servers in their starting state.
type Target interface {
	// Prepare makes what the arm's instances are cloned from, if it does not
	// exist yet, and returns its key. It reports progress in words.
	Prepare(ctx context.Context, arm *pgassay.Arm, progress func(string)) (template string, err error)
	// Instance restores the starting state, starts the server with the arm's
	// settings and verifies them from a workload session.
	Instance(ctx context.Context, arm *pgassay.Arm, load *pgassay.Load) (Instance, error)
}

// Instance is one server in its starting state.
type Instance interface {
	// Phases says how long restoring, settling and starting took.
	Phases() pgassay.Phases
	// Settings is pg_settings as a workload session sees it; Storage the storage
	// parameters in force.
	Settings(ctx context.Context) ([]pgassay.SettingState, []pgassay.StorageSetting, error)
	// Checkpoint starts a checkpoint and waits for its end, so that all trials
	// start in the same phase of the checkpoint cycle.
	Checkpoint(ctx context.Context) error
	// Snapshot reads the statistics. At is left 0. It is asked for before the
	// first client connects and at both ends of the measurement interval.
	Snapshot(ctx context.Context) (pgassay.Snapshot, error)
	// Stop ends the server cleanly and removes what the instance needed. It
	// must be called once, whatever happened before.
	Stop(ctx context.Context) (seconds float64, err error)
}

// Loader pushes load on an instance.
type Loader interface {
	// Run warms up and measures. begin is called at the start of the
	// measurement interval and end at its end, both while the clients go on;
	// they must return soon. tick is called about once a second.
	Run(ctx context.Context, in Instance, job Job, begin, end func(time.Time), tick func(Tick)) (LoadResult, error)
}

// Job is what a Loader has to do.
type Job struct {
	Scripts   []pgassay.Script
	Variables []pgassay.Variable // the arm's; they override the scripts' own
	Clients   int
	Warmup    time.Duration
	Measure   pgassay.Measure
	Seed      uint64
}

// Tick is a glance at a load that runs.
type Tick struct {
	Phase        string // "connect", "warm-up", "measure"
	Elapsed      time.Duration
	Transactions int64 // since the phase began
	TPS          float64
	P99NS        int64
	Failed       int64
}

// LoadResult is what the clients did and saw in the measurement interval.
type LoadResult struct {
	MeasuredNS    int64
	ConnectS      float64
	Scripts       []pgassay.ScriptResult
	Histograms    []pgassay.Histogram
	Series        []pgassay.Series // on the trial's clock
	ClientCPUS    float64
	GCPauseNS     int64
	RunQueueP99NS int64
}

// Observer watches an instance.
type Observer interface {
	// Watch starts the samplers.
	Watch(ctx context.Context, in Instance) (Observation, error)
}

// Observation is one trial's watching.
type Observation interface {
	// Begin sets the trial's clock to zero, End marks the end of the
	// measurement interval. Both read the counters of the host.
	Begin(at time.Time)
	End(at time.Time)
	// Collect stops the samplers and returns what they saw. It is called after
	// the instance has stopped, so that the server's log is complete.
	Collect(ctx context.Context) (Seen, error)
	// Close stops the samplers without a result. It may follow Collect.
	Close()
}

// Seen is what the samplers of one trial saw.
type Seen struct {
	Series []pgassay.Series
	Events []pgassay.Event
	Use    pgassay.ResourceUse
	Host   pgassay.HostState
	// Missing names what could not be seen, and why.
	Missing []string
}

// Recorder keeps records: what it has accepted survives any crash.
type Recorder interface {
	// Begin notes that a trial was ordered, before anything is done for it.
	Begin(ctx context.Context, order pgassay.TrialOrder, at time.Time) error
	// Commit stores a trial that ended, whole or not at all.
	Commit(ctx context.Context, rec *pgassay.TrialRecord) error
	// Decide stores a decision of the plan (a repeat, a dropped cell, the stop).
	Decide(ctx context.Context, kind, text string, at time.Time) error
}

// Runner carries out a step. It returns one record per order, also for trials
// that failed; its error is for what makes going on useless.
type Runner interface {
	Run(ctx context.Context, step plan.Step) ([]*pgassay.TrialRecord, error)
}
