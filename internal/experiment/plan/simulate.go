package plan

import (
	"math"

	"github.com/pgassay/pgassay/internal/autovacuum"
	"github.com/pgassay/pgassay/internal/check"
)

// pageBytes is the size of a page.
const pageBytes = 8192

// simulate follows the table through warm-up and measurement, vacuum by
// vacuum, and returns how many end within the measurement and how long the
// longest takes (the first one, when none ends).
//
// Between two vacuums the rows of the trigger build up at a steady rate; the
// launcher's look and the statistics cost a while; then the vacuum runs, with
// all the rows made until then, and the counters start again when it ends. The
// table grows or shrinks all the while, and its triggers with it.
func (m cellModel) simulate(rows, lengthS float64) (runs int, longest vacuumTime) {
	const most = 100_000 // vacuums: bounds the work for absurd rates
	rate := m.tps * m.perTransaction()
	growth := m.tps * (m.shape.Inserts - m.shape.Deletes)
	deadRate := m.tps * (m.shape.Updates + m.shape.Deletes)
	end := m.warmupS + lengthS
	at := 0.0 // since the load began
	for range most {
		now := math.Max(rows+growth*at, 0)
		c := autovacuum.NewCadence(m.threshold(now), rate, m.params.NaptimeS, 0)
		begin := at + c.FillS + c.WaitS
		if begin > end {
			break
		}
		size := math.Max(rows+growth*begin, 0)
		took := m.vacuum(size, deadRate*(begin-at), math.Max(m.tps*m.shape.Inserts*(begin-at), 0))
		if took.expectedS > longest.expectedS {
			longest = took
		}
		at = begin + took.expectedS
		if at > end {
			break
		}
		if at >= m.warmupS {
			runs++
		}
	}
	return runs, longest
}

// vacuumTime is how long a vacuum takes: as expected, and at most.
type vacuumTime struct{ expectedS, mostS float64 }

// vacuum predicts one vacuum. Pages are cached as far as the table fits into
// shared buffers. Those are expected to be dirty already: the rows that the
// vacuum removes died on them since the last one. At most, a checkpoint has
// just written them all, and every change is charged.
func (m cellModel) vacuum(rows, dead, inserted float64) vacuumTime {
	if m.trigger == check.TriggerAnalyze {
		return vacuumTime{}
	}
	heap, index := rows*m.f.HeapBytesPerRow, rows*m.f.IndexBytesPerRow
	w := autovacuum.Work{
		HeapPages: math.Ceil(heap / pageBytes), IndexPages: math.Ceil(index / pageBytes), Indexes: m.f.Indexes,
		DeadRows: dead, NewPages: inserted * m.f.HeapBytesPerRow / pageBytes,
		Cached: math.Min(1, m.buffers/math.Max(heap+index, 1)),
	}
	b := autovacuum.Budget{Limit: m.params.CostLimit, DelayMS: m.params.CostDelayMS}
	took := func(clean float64) float64 {
		w.Clean = clean
		u := w.Units(m.params)
		return b.Seconds(u.Cost, u.Unthrottled())
	}
	return vacuumTime{expectedS: took(1 - w.Cached), mostS: took(1)}
}
