package observe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/observe/host"
)

// DefaultInterval is the time between two looks.
const DefaultInterval = time.Second

// Config says what to watch.
type Config struct {
	// Target is the server; required.
	Target *dial.Target
	// Database is the one whose tables are watched; "" is the target's.
	Database string
	// ServerPID is the postmaster's process on this host; 0 for a server that is
	// elsewhere or unknown, whose CPU then cannot be seen.
	ServerPID int
	// LogPath is the server's log as plain text with the prefix of
	// pglog.Prefix; "" when it cannot be read.
	LogPath string
	// Interval is the time between two looks; 0 is DefaultInterval.
	Interval time.Duration
	// Tables are the tables to watch, as schema.table or by their bare names;
	// nil is the 20 largest. At most 20 are watched.
	Tables []string
	// ProcRoot is the mount point of /proc; "" is /proc.
	ProcRoot string
}

// Seen is what the samplers of one trial saw. The caller owns it.
type Seen struct {
	// Series have one point per look, from Start to End.
	Series []pgassay.Series
	// Events are all that the log tells of since Start: those before Begin have
	// negative times, those after End lie behind the measurement (a shutdown
	// checkpoint). They are in the log's order.
	Events []pgassay.Event
	// Use is CPU time between Begin and End. ClientCPUS is the CPU time of this
	// process without the samplers' part.
	Use  pgassay.ResourceUse
	Host pgassay.HostState
	// Missing names what could not be seen, and why, one sentence each.
	Missing []string
}

// Observer watches one trial. Begin, End, Collect and Close may be called from
// any goroutine; Begin and End count once each.
type Observer struct {
	config Config
	host   *host.Host // nil where there is no /proc
	stats  *statistics
	log    serverLog
	cancel context.CancelFunc
	kick   chan struct{} // asks for a look at the statistics now
	rest   chan struct{} // closed by End
	once   sync.Once     // of that
	done   sync.WaitGroup

	mu      sync.Mutex
	zero    time.Time // Begin's, else Start's
	begun   bool
	ended   time.Time // zero until End
	tables  []string  // objects, in the order of the samples' arrays
	samples []sample
	missing missing
	failed  int // looks at the statistics that failed within the interval
	machine machine
	charged float64      // CPU seconds of the samplers' own threads within the interval
	session int          // PID of our session's server process, 0 for none
	ours    map[int]bool // the same for all sessions so far
}

// Start connects and begins to watch. ctx limits Start alone; the samplers go
// on until End or Close. The error wraps pgassay.ErrConnect when the server
// cannot be reached.
func Start(ctx context.Context, c Config) (*Observer, error) {
	if c.Target == nil {
		return nil, errors.New("watch server: no target")
	}
	if c.Interval <= 0 {
		c.Interval = DefaultInterval
	}
	if c.Database == "" {
		c.Database = c.Target.Database()
	}
	o := &Observer{config: c, zero: time.Now(), kick: make(chan struct{}, 1), rest: make(chan struct{}), ours: map[int]bool{}, stats: &statistics{target: observerTarget(c.Target, c.Database)}}
	if err := o.stats.connect(ctx, connectTimeout); err != nil {
		return nil, fmt.Errorf("watch server: %w", err)
	}
	names, lacks, err := o.stats.prepare(ctx, c.Tables)
	if err != nil {
		o.stats.close()
		return nil, fmt.Errorf("watch server: %w", err)
	}
	o.tables = names
	o.missing.add(lacks...)
	o.missing.add(unmatched(c.Tables, names)...)
	o.session = o.stats.pid()
	o.ours[o.session] = true
	o.log.open(ctx, c.LogPath, o.stats.conn, &o.missing)
	o.openHost()

	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	o.cancel = cancel
	o.done.Add(1)
	go o.watchStatistics(run)
	if o.host != nil {
		o.done.Add(1)
		go o.watchHost(run)
	}
	return o, nil
}

// openHost opens /proc and takes a first look.
func (o *Observer) openHost() {
	h, err := host.Open(o.config.ProcRoot, "")
	if err != nil {
		o.missing.add("host: " + err.Error())
		return
	}
	o.host = h
	o.machine = machine{host: h, self: os.Getpid(), accounts: newAccounts()}
	if o.config.ServerPID == 0 {
		o.missing.add("CPU of the server and of foreign processes: the server's process is not known here")
	} else {
		o.machine.server = h.Server(o.config.ServerPID)
	}
	o.lookHost(moment{at: time.Now()})
}

// Begin sets the trial's clock to zero, asks for a look at the statistics and reads the counters of the host and
// of the server's processes.
func (o *Observer) Begin(at time.Time) {
	o.mu.Lock()
	o.zero, o.begun, o.failed = at, true, 0
	o.mu.Unlock()
	o.lookHost(moment{at: at, begin: true})
	o.ask()
}

// End marks the end of the measurement interval and reads the counters again.
// The samplers take a last look at the statistics and rest.
func (o *Observer) End(at time.Time) {
	o.lookHost(moment{at: at, end: true})
	o.mu.Lock()
	o.ended = at
	o.mu.Unlock()
	o.once.Do(func() { close(o.rest) })
}

// ask asks the statistics' sampler for a look now; a question that is already
// pending is enough.
func (o *Observer) ask() {
	select {
	case o.kick <- struct{}{}:
	default:
	}
}

// Close stops the samplers and closes the session. It may be called more than
// once and after Collect.
func (o *Observer) Close() {
	o.cancel()
	o.done.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stats.close()
}

// charge runs a sampler's work and, when it falls into the interval, adds the
// CPU time of its thread to the samplers' account.
func (o *Observer) charge(work func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	o.mu.Lock()
	counts := o.begun && o.ended.IsZero()
	o.mu.Unlock()
	before := host.ThreadCPUS()
	work()
	if after := host.ThreadCPUS(); counts && before >= 0 {
		o.mu.Lock()
		o.charged += after - before
		o.mu.Unlock()
	}
}

// watchStatistics looks at the statistics once per interval and when asked,
// until End's look is done.
func (o *Observer) watchStatistics(ctx context.Context) {
	defer o.done.Done()
	defer o.stats.close()
	tick := time.NewTicker(o.config.Interval)
	defer tick.Stop()
	for {
		o.charge(func() { o.lookStatistics(ctx) })
		select {
		case <-ctx.Done():
			return
		case <-o.rest:
			if o.stats.conn != nil {
				o.lookStatistics(ctx)
			}
			return
		case <-o.kick:
		case <-tick.C:
		}
	}
}

// lookStatistics takes one look. One that fails is counted, and its reason
// named, as long as the trial has not ended: a server that is then shut down
// is nobody's fault.
func (o *Observer) lookStatistics(ctx context.Context) {
	m, err := o.stats.look(ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session = o.stats.pid(); o.session != 0 {
		o.ours[o.session] = true
	}
	if err == nil {
		o.samples = append(o.samples, m)
		return
	}
	if ctx.Err() == nil && o.ended.IsZero() {
		o.failed++
		o.missing.add("statistics: " + dial.Redact(err.Error()))
	}
}

// watchHost looks at the host once per interval until End.
func (o *Observer) watchHost(ctx context.Context) {
	defer o.done.Done()
	tick := time.NewTicker(o.config.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.rest:
			return
		case <-tick.C:
		}
		o.lookHost(moment{at: time.Now()})
	}
}

// lookHost takes one look at the host.
func (o *Observer) lookHost(m moment) {
	if o.host == nil {
		return
	}
	o.charge(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if !o.ended.IsZero() {
			return // a look that was under way when the interval ended
		}
		o.machine.look(m, time.Now(), o.session, &o.missing)
		if m.end {
			o.ended = m.at
		}
	})
}
