package load

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/load/pace"
	"github.com/pgassay/pgassay/internal/load/script"
	"github.com/pgassay/pgassay/internal/load/wire"
)

const (
	phaseConnect = "connect"
	phaseWarmup  = "warm-up"
	phaseMeasure = "measure"

	// groupsPerCPU is how many groups of clients share counters.
	groupsPerCPU = 2
	// grace is how long transactions that run at the end may take before they
	// are cancelled.
	grace = 3 * time.Second
)

// run is one load.
type run struct {
	config     *Config
	program    *script.Program
	statements []*wire.Statement
	rollback   *wire.Statement
	base       time.Time // the zero of all int64 times
	started    int64     // when the clients started
	from       int64     // start of the measurement interval
	to         atomic.Int64
	lastEnd    atomic.Int64 // of a transaction with a ticket
	quota      *quota       // nil when measured by time
	groups     []*group
	faults     *faults
	stopped    atomic.Bool

	failOnce sync.Once
	failed   chan struct{} // closed by fail
	err      error         // valid after failed is closed
	gone     atomic.Int64
	goneErr  atomic.Pointer[error]
}

// Run puts the load on the server and returns what was measured.
//
// Errors: [pgassay.ErrUsage] for a fault in the configuration or the scripts;
// [pgassay.ErrConnect] when the server cannot be reached at the start; ctx's
// error; a fault of a script at run time; and one that says how many clients
// lost the server for good. The last three come with the result as far as it
// was measured. Nothing of the load is left when Run returns.
func Run(ctx context.Context, c Config) (Result, error) {
	if c.Protocol == "" {
		c.Protocol = string(wire.Prepared)
	}
	if err := c.validate(); err != nil {
		return Result{}, err
	}
	r := &run{config: &c, base: time.Now(), failed: make(chan struct{})}
	var err error
	if r.program, r.statements, err = compile(&c); err != nil {
		return Result{}, err
	}
	engine, err := r.engine()
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", pgassay.ErrUsage, err)
	}
	if err := check(ctx, &c, r.program, r.statements[:len(r.statements)-1]); err != nil {
		return Result{}, err
	}
	r.tick(Tick{Phase: phaseConnect})
	connecting := r.now()
	if err := engine.Open(ctx, c.Clients); err != nil {
		return Result{}, fmt.Errorf("connect %d clients: %w", c.Clients, err)
	}
	defer engine.Close()
	result := Result{ConnectS: float64(r.now()-connecting) / 1e9}
	clients := r.clients()
	// What was made so far is garbage by now; the run itself makes none.
	runtime.GC()
	err = r.measure(ctx, engine, clients, &result)
	return result, err
}

// engine makes the engine; the ROLLBACK is its last statement.
func (r *run) engine() (wire.Engine, error) {
	r.rollback = &wire.Statement{ID: len(r.statements), Parts: []wire.Part{{SQL: "ROLLBACK", Pieces: []string{"ROLLBACK"}, Name: "pgassay_rollback"}}}
	r.statements = append(r.statements, r.rollback)
	return wire.New(r.config.Engine, wire.Options{
		Connect:    func(ctx context.Context) (*pgconn.PgConn, error) { return r.config.Target.ConnectRaw(ctx, "load") },
		Protocol:   wire.Protocol(r.config.Protocol),
		Statements: r.statements,
		Now:        r.now,
	})
}

func (r *run) now() int64 { return int64(time.Since(r.base)) }

// at is a time of the run on the wall clock.
func (r *run) at(ns int64) time.Time { return r.base.Add(time.Duration(ns)) }

// clients makes the state machines and the counters they share.
func (r *run) clients() []wire.Client {
	c := r.config
	r.groups = newGroups(min(c.Clients, groupsPerCPU*runtime.GOMAXPROCS(0)), r.program.Scripts())
	r.faults = newFaults(r.program.Scripts())
	if c.Measure.Transactions > 0 {
		r.quota = newQuota(c.Measure.Transactions, c.Clients)
	}
	clients := make([]wire.Client, c.Clients)
	for i := range clients {
		clients[i] = &client{
			run: r, group: r.groups[i%len(r.groups)], pacer: pace.Closed{}, status: 'I',
			machine: r.program.NewClient(script.Options{Seed: c.Seed, ID: i, Scale: c.Scale}),
		}
	}
	return clients
}

// measure lets the clients run: warm-up, interval, end.
func (r *run) measure(outer context.Context, engine wire.Engine, clients []wire.Client, result *Result) error {
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	r.started = r.now()
	r.from = r.started + int64(r.config.Warmup)
	to := int64(1<<63 - 1)
	if r.quota == nil {
		to = r.from + int64(r.config.Measure.Duration)
	}
	r.to.Store(to)
	done := make(chan struct{})
	go func() {
		defer close(done)
		engine.Run(ctx, clients)
	}()

	m := newMonitor(r)
	m.enter(phaseWarmup, r.started)
	if r.wait(ctx, m, done, r.from) {
		m.step(r.from)
		before := readUsage()
		result.Started = r.at(r.from)
		call(r.config.Begin, result.Started)
		m.enter(phaseMeasure, r.from)
		whole := r.wait(ctx, m, done, to)
		if r.quota != nil && r.lastEnd.Load() > 0 {
			to = r.lastEnd.Load()
		} else if !whole {
			to = min(to, r.now())
		}
		r.to.Store(to)
		m.step(to)
		after := readUsage()
		result.MeasuredNS = to - r.from
		result.ClientCPUS, result.GCPauseNS = after.cpuS-before.cpuS, after.gcPauseNS-before.gcPauseNS
		result.RunQueueP99NS = m.queue.p99()
		if ctx.Err() == nil {
			call(r.config.End, r.at(to))
		}
	}
	r.finish(cancel, done)
	result.Series = m.series[:]
	if err := r.count(result); err != nil {
		return err
	}
	return r.verdict(outer)
}

// wait makes a step of the monitor at every full second on the trial's clock
// until the time limit; it returns false when the load ended before.
func (r *run) wait(ctx context.Context, m *monitor, done <-chan struct{}, limit int64) bool {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := r.now()
		if now >= limit {
			return true
		}
		next := min(limit, nextSecond(now-r.from)+r.from)
		timer.Reset(time.Duration(next - now))
		select {
		case <-timer.C:
			if now = r.now(); now >= next && next < limit {
				m.step(now)
			}
		case <-done:
			return false
		case <-r.failed:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// nextSecond is the first full second after t (ns, may be negative). It skips
// one that is nearer than half a second, so that no interval is short.
func nextSecond(t int64) int64 {
	const second = int64(time.Second)
	next := t - t%second
	for next < t+second/2 {
		next += second
	}
	return next
}

// finish stops the clients: at the end of their transaction, or after the
// grace by force.
func (r *run) finish(cancel context.CancelFunc, done <-chan struct{}) {
	r.stopped.Store(true)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		cancel()
		<-done
	}
}

// count fills in the counts and histograms. All clients have stopped.
func (r *run) count(result *Result) error {
	total := newLook()
	var encoded []pgassay.Histogram
	for i := range r.program.Scripts() {
		l := newLook()
		for _, g := range r.groups {
			l.add(&g.measured[i])
			total.add(&g.measured[i])
		}
		s := pgassay.ScriptResult{Script: r.program.ScriptName(i), Transactions: l.completed, Rows: l.rows, Failed: l.failed}
		s.Errors, s.FirstError = r.faults.of(i)
		result.Scripts = append(result.Scripts, s)
		bytes, err := l.latency.Encode()
		if err != nil {
			return err
		}
		encoded = append(encoded, pgassay.Histogram{Script: s.Script, Kind: "response", Encoded: bytes})
	}
	bytes, err := total.latency.Encode()
	if err != nil {
		return err
	}
	result.Histograms = append([]pgassay.Histogram{{Kind: "response", Encoded: bytes}}, encoded...)
	if result.MeasuredNS > 0 {
		result.Concurrency = float64(total.latency.Sum()+total.failedNS) / float64(result.MeasuredNS)
	}
	return nil
}

// verdict is the error of the run.
func (r *run) verdict(ctx context.Context) error {
	select {
	case <-r.failed:
		return r.err
	default:
	}
	if n := r.gone.Load(); n > 0 {
		return fmt.Errorf("%d of %d clients lost the server: %w", n, r.config.Clients, *r.goneErr.Load())
	}
	return ctx.Err()
}

// fail ends the run with a fault of a script.
func (r *run) fail(err error) {
	r.failOnce.Do(func() {
		r.err = fmt.Errorf("%w: %w", pgassay.ErrUsage, err)
		r.stopped.Store(true)
		close(r.failed)
	})
}

// clientGone notes that a client has no connection any more.
func (r *run) clientGone(err error) {
	r.goneErr.CompareAndSwap(nil, &err)
	r.gone.Add(1)
}

// noteEnd keeps the latest end of a transaction with a ticket.
func (r *run) noteEnd(now int64) {
	for {
		last := r.lastEnd.Load()
		if now <= last || r.lastEnd.CompareAndSwap(last, now) {
			return
		}
	}
}

// inFlight is the number of transactions begun and not ended. The ends are
// read first, so that it is never negative.
func (r *run) inFlight() int64 {
	var n int64
	for _, g := range r.groups {
		ended := g.ended.Load()
		n += g.begun.Load() - ended
	}
	return n
}

func (r *run) tick(t Tick) {
	if r.config.Tick != nil {
		r.config.Tick(t)
	}
}

func call(f func(time.Time), at time.Time) {
	if f != nil {
		f(at)
	}
}
