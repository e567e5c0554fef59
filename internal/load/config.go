package load

import (
	"fmt"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
)

// Config says what load to put on which server.
type Config struct {
	Target  *dial.Target
	Scripts []pgassay.Script
	// Variables are seen by all scripts and win over the scripts' own.
	Variables []pgassay.Variable
	// Scale is the variable :scale unless a variable sets it; 0 means 1.
	Scale int64
	// Clients is the number of connections, each with one transaction at a time.
	Clients int
	// Warmup comes before the measurement; its transactions do not count.
	Warmup  time.Duration
	Measure pgassay.Measure
	Seed    uint64
	// Protocol is "simple", "extended" or "prepared"; "" is prepared.
	Protocol string
	// Engine is one of load/wire's; "" is the default.
	Engine string
	// Begin is called once at the start of the measurement interval, End once at
	// its end, while the clients go on (measured by number, they have just
	// stopped when End is called). End is not called when ctx ended first. Both
	// may be nil.
	Begin, End func(time.Time)
	// Tick is called about once a second, from the goroutine of Run. It may be
	// nil and must return soon.
	Tick func(Tick)
}

// Tick is a glance at a load that runs.
type Tick struct {
	Phase        string // "connect", "warm-up", "measure"
	Elapsed      time.Duration
	Transactions int64 // completed since the phase began
	TPS          float64
	P99NS        int64 // of the last second, 0 when nothing ended in it
	Failed       int64 // since the phase began
}

// Result is what the clients did and saw in the measurement interval.
type Result struct {
	// Started is the start of the measurement: the zero of the trial's clock.
	Started    time.Time
	MeasuredNS int64
	// ConnectS is how long it took to open all sessions.
	ConnectS float64
	// Scripts has one entry per script of Config, in its order.
	Scripts []pgassay.ScriptResult
	// Histograms has that of all scripts together (Script "") and one per script.
	Histograms []pgassay.Histogram
	// Series are tps, rows_per_s, latency_p50, latency_p99, errors and in_flight,
	// a point per second, warm-up included (negative times). A second in which
	// nothing completed has no latency.
	Series []pgassay.Series
	// ClientCPUS is this process's CPU time within the interval, in seconds.
	ClientCPUS float64
	// GCPauseNS is the sum of the garbage collector's pauses in it.
	GCPauseNS int64
	// RunQueueP99NS is how long our threads waited for a CPU: the 99th
	// percentile over the seconds of the mean wait per time slice; -1 when the
	// system does not tell.
	RunQueueP99NS int64
	// Concurrency is the time that all transactions took, failed ones included,
	// divided by the interval. By Little's law it is the number of clients: a
	// smaller value means that the generator itself lost time between
	// transactions, or that clients were gone.
	Concurrency float64
}

// Little is how far Concurrency is from the number of clients, as a share of
// it: 0 is perfect, -0.02 means that 2 % of the clients' time is in no
// transaction. It holds for windows that are long against the transactions.
func (r *Result) Little(clients int) float64 { return r.Concurrency/float64(clients) - 1 }

// validate holds what can be seen without a server.
func (c *Config) validate() error {
	var what string
	switch m := c.Measure; {
	case c.Target == nil:
		what = "no target"
	case c.Clients < 1:
		what = fmt.Sprintf("%d clients, want at least 1", c.Clients)
	case c.Warmup < 0:
		what = fmt.Sprintf("warm-up of %v", c.Warmup)
	case (m.Duration > 0) == (m.Transactions > 0):
		what = fmt.Sprintf("measure %v and %d transactions, want exactly one of them", m.Duration, m.Transactions)
	default:
		return nil
	}
	return fmt.Errorf("%w: load: %s", pgassay.ErrUsage, what)
}
