package lab_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/lab"
)

// world is a host without PostgreSQL: a clock that moves when something is
// done, servers that only count, and faults by place and trial number.
type world struct {
	mu      sync.Mutex
	now     time.Time
	running int
	started int
	// faults maps "place" or "place/arm" to the errors of its next calls, in
	// order; nil entries are calls that work.
	faults map[string][]error
	// before is called at each place with its name, "" for nothing.
	before func(place string)
}

func newWorld() *world {
	return &world{now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), faults: map[string][]error{}}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) at(ctx context.Context, place string) error {
	if w.before != nil {
		w.before(place)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if list := w.faults[place]; len(list) > 0 {
		w.faults[place] = list[1:]
		if list[0] != nil {
			return list[0]
		}
	}
	return ctx.Err()
}

type target struct{ *world }

func (t target) Prepare(ctx context.Context, arm *pgassay.Arm, _ func(string)) (string, error) {
	return "template", t.at(ctx, "prepare")
}

func (t target) Instance(ctx context.Context, arm *pgassay.Arm, _ *pgassay.Load) (lab.Instance, error) {
	if err := errors.Join(t.at(ctx, "instance"), t.at(ctx, "instance/"+arm.Name)); err != nil {
		return nil, err
	}
	t.running++
	t.started++
	return &instance{world: t.world, arm: arm}, nil
}

type instance struct {
	*world
	arm *pgassay.Arm
}

func (i *instance) Phases() pgassay.Phases { return pgassay.Phases{RestoreS: 0.25, StartS: 0.5} }

func (i *instance) Settings(ctx context.Context) ([]pgassay.SettingState, []pgassay.StorageSetting, error) {
	out := []pgassay.SettingState{{Name: "server_version_num", Setting: "150018"}}
	for _, s := range i.arm.Settings {
		out = append(out, pgassay.SettingState{Name: s.Name, Setting: s.Value, VarType: "string", Context: "user", Source: "configuration file"})
	}
	return out, nil, i.at(ctx, "settings")
}

func (i *instance) Checkpoint(ctx context.Context) error { return i.at(ctx, "checkpoint") }

func (i *instance) Snapshot(ctx context.Context) (pgassay.Snapshot, error) {
	return pgassay.Snapshot{Relations: []pgassay.Relation{{Schema: "public", Name: "t", Kind: "r", Tuples: 1000, LiveRows: 1000, HeapBytes: 8192}}}, i.at(ctx, "snapshot")
}

func (i *instance) Stop(ctx context.Context) (float64, error) {
	i.running--
	return 0.125, i.at(ctx, "stop")
}

type loader struct{ *world }

func (l loader) Run(ctx context.Context, _ lab.Instance, job lab.Job, begin, end func(time.Time), tick func(lab.Tick)) (lab.LoadResult, error) {
	if err := l.at(ctx, "load"); err != nil {
		return lab.LoadResult{}, err
	}
	l.pass(job.Warmup)
	begin(l.clock())
	tick(lab.Tick{Phase: "measure", TPS: 1000})
	l.pass(job.Measure.Duration)
	end(l.clock())
	return lab.LoadResult{
		MeasuredNS: job.Measure.Duration.Nanoseconds(), ConnectS: 0.0625,
		Scripts: []pgassay.ScriptResult{{Script: "s", Transactions: 20000, Rows: 20000}}, ClientCPUS: 1,
	}, l.at(ctx, "load-end")
}

type observer struct{ *world }

func (o observer) Watch(ctx context.Context, _ lab.Instance) (lab.Observation, error) {
	return &observation{o.world}, o.at(ctx, "watch")
}

type observation struct{ *world }

func (*observation) Begin(time.Time) {}
func (*observation) End(time.Time)   {}
func (*observation) Close()          {}
func (o *observation) Collect(ctx context.Context) (lab.Seen, error) {
	return lab.Seen{Host: pgassay.HostState{CPUs: 2, BootID: "boot"}, Use: pgassay.ResourceUse{BackendCPUS: 2}, Missing: []string{"nothing"}}, o.at(ctx, "collect")
}

// memory is a Recorder that keeps everything and can lose nothing.
type memory struct {
	*world
	begun     []pgassay.TrialOrder
	records   []*pgassay.TrialRecord
	decisions []string
}

func (m *memory) Begin(ctx context.Context, o pgassay.TrialOrder, _ time.Time) error {
	m.begun = append(m.begun, o)
	return m.at(ctx, "record-begin")
}

func (m *memory) Commit(ctx context.Context, r *pgassay.TrialRecord) error {
	if err := m.at(ctx, "record-commit"); err != nil {
		return err
	}
	m.records = append(m.records, r)
	return nil
}

func (m *memory) Decide(_ context.Context, kind, text string, _ time.Time) error {
	m.decisions = append(m.decisions, fmt.Sprintf("%s: %s", kind, text))
	return nil
}
