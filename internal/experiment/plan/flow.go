package plan

import (
	"math"
	"slices"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
)

// tableLoad is what one transaction does on average to a table, in rows. Of
// the updates and deletes, initial are those whose row is picked at random
// from those that were there at the start.
type tableLoad struct {
	table                          string
	inserts, updates, deletes      float64
	initialUpdates, initialDeletes float64
}

func (l tableLoad) changes() float64 { return l.inserts + l.updates + l.deletes }

// meanLoad is what one transaction does on average to the table that most is
// done to; ok is false when a script does not say.
func meanLoad(scripts []pgassay.Script) (load tableLoad, ok bool) {
	weight := 0.0
	var tables []tableLoad
	for _, s := range scripts {
		if s.Shape == nil {
			return load, false
		}
		w := float64(max(s.Weight, 1))
		weight += w
		for _, t := range s.Shape {
			i := slices.IndexFunc(tables, func(o tableLoad) bool { return o.table == t.Table })
			if i < 0 {
				tables, i = append(tables, tableLoad{table: t.Table}), len(tables)
			}
			tables[i].inserts += w * t.Inserts
			tables[i].updates += w * t.Updates
			tables[i].deletes += w * t.Deletes
			if t.Initial {
				tables[i].initialUpdates += w * t.Updates
				tables[i].initialDeletes += w * t.Deletes
			}
		}
	}
	if len(tables) == 0 {
		return load, false
	}
	for _, t := range tables {
		if t.changes() > load.changes() {
			load = t
		}
	}
	for _, v := range []*float64{&load.inserts, &load.updates, &load.deletes, &load.initialUpdates, &load.initialDeletes} {
		*v /= weight
	}
	return load, true
}

// flow follows a table under a steady rate of transactions. Times are seconds
// since the load began.
//
// Transactions that pick from the rows that were there at the start miss those
// that were deleted: with λ such deletes per row and second, a share e^(−λt)
// of them still finds its row.
type flow struct {
	load tableLoad
	rows float64 // at the start
	tps  float64
}

// lambda is the deletes of initial rows per row and second.
func (f flow) lambda() float64 {
	if f.rows <= 0 {
		return 0
	}
	return f.tps * f.load.initialDeletes / f.rows
}

// stream is a kind of change, in rows a transaction: those that always find
// their row, and those that pick from the initial rows.
type stream struct{ steady, picked float64 }

func (l tableLoad) inserted() stream { return stream{steady: l.inserts} }
func (l tableLoad) deleted() stream {
	return stream{steady: l.deletes - l.initialDeletes, picked: l.initialDeletes}
}

func (l tableLoad) dead() stream {
	d := l.deleted()
	return stream{steady: d.steady + l.updates - l.initialUpdates, picked: d.picked + l.initialUpdates}
}

// counted is what counts for a trigger.
func (l tableLoad) counted(t check.Trigger) stream {
	switch t {
	case check.TriggerDead:
		return l.dead()
	case check.TriggerInsert:
		return l.inserted()
	}
	d := l.dead()
	return stream{steady: d.steady + l.inserts, picked: d.picked}
}

// of is how many rows of another stream come with so many of this one.
func (s stream) of(rows float64, other stream) float64 {
	return rows * (other.steady + other.picked) / (s.steady + s.picked)
}

// rowsOf is the number of rows changed between two times.
func (f flow) rowsOf(s stream, from, to float64) float64 {
	hits := to - from // the integral of the share that finds its row
	if lambda := f.lambda(); lambda > 0 {
		hits = math.Exp(-lambda*from) * -math.Expm1(-lambda*(to-from)) / lambda
	}
	return f.tps * (s.steady*(to-from) + s.picked*hits)
}

// size is the number of live rows.
func (f flow) size(at float64) float64 {
	return math.Max(f.rows+f.rowsOf(f.load.inserted(), 0, at)-f.rowsOf(f.load.deleted(), 0, at), 0)
}

// fill is the time after from until so many rows of a stream are made. It is
// infinite when that is never, or takes longer than anything is searched for.
func (f flow) fill(s stream, from, rows float64) float64 {
	lambda := f.lambda()
	switch {
	case f.tps <= 0 || s.steady+s.picked <= 0:
		return math.Inf(1)
	case lambda == 0 || s.picked == 0:
		return rows / (f.tps * (s.steady + s.picked))
	case s.steady == 0:
		left := f.tps * s.picked * math.Exp(-lambda*from) / lambda // all that will ever be made
		if rows >= left {
			return math.Inf(1)
		}
		return -math.Log1p(-rows/left) / lambda
	}
	lo, hi := rows/(f.tps*(s.steady+s.picked)), rows/(f.tps*s.steady)
	for {
		mid := (lo + hi) / 2
		switch {
		case mid <= lo || mid >= hi: // neighbours
			return hi
		case f.rowsOf(s, from, from+mid) < rows:
			lo = mid
		default:
			hi = mid
		}
	}
}
