package load

import (
	"sync/atomic"

	"github.com/pgassay/pgassay/internal/load/hist"
)

// tally counts the transactions that a group of clients ended.
type tally struct {
	latency   *hist.Recorder // completed ones
	completed atomic.Int64
	failed    atomic.Int64
	rows      atomic.Int64
	failedNS  atomic.Int64
	_         [64]byte // the next tally's counters are on another cache line
}

// group is clients that share counters.
type group struct {
	begun, ended atomic.Int64
	_            [64]byte
	warm         tally
	measured     []tally // by script
}

// newGroups makes n groups for the scripts.
func newGroups(n, scripts int) []*group {
	groups := make([]*group, n)
	for i := range groups {
		g := &group{measured: make([]tally, scripts)}
		g.warm.latency = hist.NewRecorder()
		for j := range g.measured {
			g.measured[j].latency = hist.NewRecorder()
		}
		groups[i] = g
	}
	return groups
}

// add counts one transaction that ended.
func (t *tally) add(ns, rows int64, failed bool) {
	if failed {
		t.failedNS.Add(ns)
		t.failed.Add(1)
		return
	}
	t.latency.Record(ns)
	t.rows.Add(rows)
	t.completed.Add(1)
}

// look is the sum of tallies at one moment.
type look struct {
	latency                           *hist.Histogram
	completed, failed, rows, failedNS int64
}

func newLook() *look { return &look{latency: hist.New()} }

// reset empties the look.
func (l *look) reset() {
	l.latency.Reset()
	*l = look{latency: l.latency}
}

// add adds a tally.
func (l *look) add(t *tally) {
	t.latency.AddTo(l.latency)
	l.completed += t.completed.Load()
	l.failed += t.failed.Load()
	l.rows += t.rows.Load()
	l.failedNS += t.failedNS.Load()
}
