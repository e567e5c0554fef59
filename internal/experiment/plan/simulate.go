package plan

import (
	"iter"
	"math"

	"github.com/pgassay/pgassay/internal/autovacuum"
	"github.com/pgassay/pgassay/internal/check"
)

// pageBytes is the size of a page.
const pageBytes = 8192

// vacuumRun is one predicted vacuum; times are seconds since the load began.
type vacuumRun struct {
	begin float64
	took  vacuumTime
	// counts says that the vacuum exercises what is treated: any does, or the
	// planned trigger was crossed when it began.
	counts bool
}

func (r vacuumRun) end() float64 { return r.begin + r.took.expectedS }

// vacuums follows the table vacuum by vacuum, as far as those that begin before
// until.
//
// Between two vacuums the rows of a trigger build up, while an ANALYZE holds the
// table, until the first of them is crossed; the launcher's look and the statistics cost a while, and so does,
// half of the time, another ANALYZE; then the vacuum runs, with all the rows
// made since the one before began, and the counters start again when it ends.
// The table grows or shrinks all the while, and its triggers with it.
func (m cellModel) vacuums(rows, until float64) iter.Seq[vacuumRun] {
	const most = 100_000 // bounds the work for absurd rates
	f := m.flow(rows)
	return func(yield func(vacuumRun) bool) {
		at, before := 0.0, 0.0 // the end and the begin of the last vacuum
		for range most {
			own, other := m.fills(f, at)
			c := autovacuum.NewCadence(0, 1/math.Min(own, other), m.params.NaptimeS, 0)
			analyze := 0.0
			if before > 0 {
				analyze = m.analyze(f, at)
			}
			r := vacuumRun{begin: at + math.Max(c.FillS, analyze) + c.WaitS + analyze/2}
			if !(r.begin <= until) {
				return
			}
			r.counts = !m.exact || r.begin >= at+own
			r.took = m.vacuum(f.size(r.begin), f.rowsOf(m.load.dead(), before, r.begin), f.rowsOf(m.load.inserted(), before, r.begin))
			if !yield(r) {
				return
			}
			at, before = r.end(), r.begin
		}
	}
}

// simulate returns how many vacuums end within a measurement and how long the
// longest takes (the first one, when none ends). Others are those that end but
// were started by another trigger than the treated one.
func (m cellModel) simulate(rows, lengthS float64) (runs, others int, longest vacuumTime) {
	end := m.warmupS + lengthS
	for r := range m.vacuums(rows, end) {
		if r.took.expectedS > longest.expectedS {
			longest = r.took
		}
		switch {
		case r.end() < m.warmupS || r.end() > end:
		case r.counts:
			runs++
		default:
			others++
		}
	}
	return runs, others, longest
}

// fills are the times after a vacuum's end until the planned trigger is crossed
// and until the other trigger of vacuums is.
func (m cellModel) fills(f flow, at float64) (own, other float64) {
	th := m.rules.Thresholds(autovacuum.Table{Tuples: f.size(at)}, m.params)
	dead := f.fill(m.load.dead(), at, math.Floor(th.Dead)+1)
	insert := f.fill(m.load.inserted(), at, math.Floor(th.Insert)+1)
	switch m.trigger {
	case check.TriggerDead:
		return dead, insert
	case check.TriggerInsert:
		return insert, dead
	}
	return f.fill(m.load.counted(m.trigger), at, math.Floor(th.Analyze)+1), math.Inf(1)
}

// shortest is the shortest measurement that crosses the trigger and ends
// vacuums as often as needed, infinite when none up to the longest search does.
func (m cellModel) shortest(rows float64) (seconds float64) {
	rowsS := m.flow(rows).fill(m.load.counted(m.trigger), m.warmupS, m.neededRows(rows))
	runs := 0
	for r := range m.vacuums(rows, m.warmupS+longestSearch.Seconds()) {
		if r.end() < m.warmupS || !r.counts {
			continue
		}
		if runs++; runs == m.needed {
			return math.Max(rowsS, r.end()-m.warmupS)
		}
	}
	return math.Inf(1)
}

// What an ANALYZE reads at most (300 rows, each on another page, for each of
// the 100 steps of default_statistics_target) and how long it computes: measured
// at 0.7 to 3 seconds on two cores under load.
const (
	analyzePages    = 30_000
	analyzeComputeS = 1.0
)

// analyze predicts the ANALYZE that goes with a vacuum: 0 when the rows changed
// between two vacuums do not cross its threshold.
func (m cellModel) analyze(f flow, at float64) float64 {
	size := f.size(at)
	th := m.rules.Thresholds(autovacuum.Table{Tuples: size}, m.params)
	all := m.load.counted(check.TriggerAnalyze)
	if m.load.counted(m.trigger).of(m.threshold(size), all) <= th.Analyze {
		return 0
	}
	pages, cached := math.Min(size*m.f.HeapBytesPerRow/pageBytes, analyzePages), m.cached(size)
	cost := pages * (cached*float64(m.params.PageHit) + (1-cached)*float64(m.params.PageMiss) + m.clean*float64(m.params.PageDirty))
	return m.budget().Seconds(cost, analyzeComputeS)
}

// budget is the cost budget of a worker that works alone.
func (m cellModel) budget() autovacuum.Budget {
	return autovacuum.Budget{Limit: m.params.CostLimit, DelayMS: m.params.CostDelayMS}
}

// cached is the share of a table of so many rows that fits into shared buffers.
func (m cellModel) cached(rows float64) float64 {
	return math.Min(1, m.buffers/math.Max(rows*(m.f.HeapBytesPerRow+m.f.IndexBytesPerRow), 1))
}

// vacuumTime is how long a vacuum takes: as expected, and at most.
type vacuumTime struct{ expectedS, mostS float64 }

// vacuum predicts one vacuum. Pages are cached as far as the table fits into
// shared buffers. Those are expected to be dirty already (but for the share that
// is said to be clean): the rows that the vacuum removes died on them since the
// last one. At most, a checkpoint has just written them all, and every change is
// charged.
func (m cellModel) vacuum(rows, dead, inserted float64) vacuumTime {
	if m.trigger == check.TriggerAnalyze {
		return vacuumTime{}
	}
	heap, index := rows*m.f.HeapBytesPerRow, rows*m.f.IndexBytesPerRow
	w := autovacuum.Work{
		HeapPages: math.Ceil(heap / pageBytes), IndexPages: math.Ceil(index / pageBytes), Indexes: m.f.Indexes,
		DeadRows: dead, NewPages: inserted * m.f.HeapBytesPerRow / pageBytes,
		Cached: m.cached(rows),
	}
	took := func(clean float64) float64 {
		w.Clean = clean
		u := w.Units(m.params)
		return m.budget().Seconds(u.Cost, u.Unthrottled())
	}
	return vacuumTime{expectedS: took(1 - w.Cached*(1-m.clean)), mostS: took(1)}
}
