package load

import (
	"time"

	"github.com/pgassay/pgassay"
)

// monitor looks at the counters about once a second.
type monitor struct {
	run    *run
	before *look // of the last look in this phase
	now    *look
	at     int64 // when that was, ns
	since  int64 // when the phase began
	phase  string
	queue  runQueue
	series [6]pgassay.Series
}

// The places in monitor.series.
const (
	seriesTPS = iota
	seriesRows
	seriesP50
	seriesP99
	seriesErrors
	seriesInFlight
)

func newMonitor(r *run) *monitor {
	m := &monitor{run: r, before: newLook(), now: newLook()}
	for i, name := range []pgassay.SeriesName{
		pgassay.SeriesTPS, pgassay.SeriesRowsPerS, pgassay.SeriesLatencyP50, pgassay.SeriesLatencyP99, pgassay.SeriesErrors, pgassay.SeriesInFlight,
	} {
		m.series[i] = pgassay.Series{Name: name, At: []int64{}, Value: []float64{}}
	}
	return m
}

// enter begins a phase at a time: the counters of its tallies start at zero.
func (m *monitor) enter(phase string, at int64) {
	m.phase, m.at, m.since = phase, at, at
	m.before.reset()
	m.queue.reset()
}

// shortest is the shortest interval that makes a point.
const shortest = int64(20 * time.Millisecond)

// step makes a point of each series for the time since the last step, which
// ends at the time at, and gives a tick.
func (m *monitor) step(at int64) {
	span := at - m.at
	if span < shortest {
		return
	}
	m.now.reset()
	for _, g := range m.run.groups {
		if m.phase == phaseWarmup {
			m.now.add(&g.warm)
			continue
		}
		for i := range g.measured {
			m.now.add(&g.measured[i])
		}
	}
	total := *m.now
	rate := func(now, before int64) float64 { return float64(now-before) / (float64(span) / 1e9) }
	tps := rate(m.now.completed, m.before.completed)
	m.point(seriesTPS, at, tps)
	m.point(seriesRows, at, rate(m.now.rows, m.before.rows))
	m.point(seriesErrors, at, rate(m.now.failed, m.before.failed))
	m.point(seriesInFlight, at, float64(m.run.inFlight()))
	m.before.latency.Minus(m.now.latency) // is now the interval's own
	var p99 int64
	if m.before.latency.Count() > 0 {
		p99 = m.before.latency.Quantile(0.99)
		m.point(seriesP50, at, float64(m.before.latency.Quantile(0.5)))
		m.point(seriesP99, at, float64(p99))
	}
	m.queue.step()
	m.before, m.now, m.at = m.now, m.before, at
	m.run.tick(Tick{
		Phase: m.phase, Elapsed: time.Duration(at - m.since), Transactions: total.completed, Failed: total.failed, TPS: tps, P99NS: p99,
	})
}

func (m *monitor) point(series int, at int64, value float64) {
	s := &m.series[series]
	s.At = append(s.At, at-m.run.from)
	s.Value = append(s.Value, value)
}
