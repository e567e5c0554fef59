package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/load/hist"
	"github.com/pgassay/pgassay/internal/stats"
)

// cellLevel is the confidence level of a cell's own interval. Comparisons have
// the design's: 1 - alpha.
const cellLevel = 0.95

// cell is one arm at one load level.
type cell struct {
	trials []*valid // ascending by block
	// other counts the trials that are not valid, by outcome.
	other map[pgassay.Outcome]int
	// lastReason is why the last of them is not.
	lastReason string
	// sum is the latencies of all valid trials together, nil for none; without
	// counts the trials that have no histogram, whyWithout is the last one's reason.
	sum        *hist.Histogram
	without    int
	whyWithout string
}

// valid is a trial that counts, with all its metrics read once.
type valid struct {
	rec   *pgassay.TrialRecord
	value []reading // as pgassay.Metrics
}

// fillCells sorts the trials into cells. One valid trial per block counts: the
// first, so that no later one can be preferred for its result.
func (s *study) fillCells() {
	for range s.e.Arms {
		row := make([]*cell, len(s.e.Loads))
		for l := range row {
			row[l] = &cell{other: map[pgassay.Outcome]int{}}
		}
		s.cells = append(s.cells, row)
	}
	for _, r := range s.trials {
		c := s.cells[r.Order.Arm][r.Order.Load]
		if r.Outcome != pgassay.OutcomeValid {
			c.other[r.Outcome]++
			c.lastReason = r.Reason
			continue
		}
		if c.in(r.Order.Block) != nil {
			continue
		}
		v, lat := &valid{rec: r}, latencyOf(r)
		for _, m := range pgassay.Metrics {
			v.value = append(v.value, read(r, m, lat))
		}
		c.add(lat)
		c.trials = append(c.trials, v)
		if !slices.Contains(s.blocks, r.Order.Block) {
			s.blocks = append(s.blocks, r.Order.Block)
		}
	}
	slices.Sort(s.blocks)
	for _, row := range s.cells {
		for _, c := range row {
			slices.SortFunc(c.trials, func(a, b *valid) int { return a.rec.Order.Block - b.rec.Order.Block })
		}
	}
}

// add puts a trial's latencies to those of the cell.
func (c *cell) add(l latency) {
	switch {
	case l.h == nil:
		c.without, c.whyWithout = c.without+1, l.why
	case c.sum == nil:
		c.sum = l.h
	default:
		c.sum.Merge(l.h)
	}
}

// in returns the cell's valid trial of a block, nil for none.
func (c *cell) in(block int) *valid {
	for _, v := range c.trials {
		if v.rec.Order.Block == block {
			return v
		}
	}
	return nil
}

// values returns metric i of the trials that know it, and what the others lack.
// A trial with too few transactions makes the metric unknown for the whole
// cell: to leave it out would pick trials by their outcome.
func (c *cell) values(i int) (x []float64, why string) {
	lostWhy, lostN := "", 0
	for _, v := range c.trials {
		switch r := v.value[i]; r.absent {
		case present:
			x = append(x, r.v)
		case tooFew:
			return nil, r.why
		default:
			lostWhy, lostN = r.why, lostN+1
		}
	}
	switch {
	case lostN == 0:
		return x, ""
	case lostN == len(c.trials):
		return nil, lostWhy
	}
	return x, fmt.Sprintf("%s in %d of %d trials", lostWhy, lostN, len(c.trials))
}

func (s *study) cellResults() []Cell {
	var out []Cell
	for a, row := range s.cells {
		for l, c := range row {
			out = append(out, c.result(a, l))
		}
	}
	return out
}

func (c *cell) result(arm, load int) Cell {
	out := Cell{Arm: arm, Load: load, Trials: len(c.trials), Blocks: len(c.trials), Dropped: len(c.trials) == 0}
	if out.Dropped {
		out.Why = c.history()
	}
	for i, m := range pgassay.Metrics {
		out.Metrics = append(out.Metrics, c.metric(i, m))
	}
	for _, v := range c.trials {
		out.Transactions += v.rec.TotalTransactions()
	}
	switch {
	case c.sum != nil && c.sum.Count() > 0:
		out.Quantiles, out.Histogram = quantiles(c.sum), bars(c.sum)
		if c.without > 0 {
			out.NoLatency = fmt.Sprintf("%s in %d of %d trials", c.whyWithout, c.without, len(c.trials))
		}
	case c.without > 0:
		out.NoLatency = c.whyWithout
	case !out.Dropped:
		out.NoLatency = "no transaction was completed"
	}
	out.Quantiles = filled(out.Quantiles)
	return out
}

// metric is metric i of the cell.
func (c *cell) metric(i int, m pgassay.Metric) CellMetric {
	x, why := c.values(i)
	out := CellMetric{Metric: m.Name, Mean: stats.TInterval(x, cellLevel), Values: filled(x), Known: len(x) > 0, Why: why}
	switch {
	case len(c.trials) == 0:
		out.Why = "there is no valid trial"
	case len(x) == 1 && why == "":
		out.Why = "one trial has no interval"
	}
	return out
}

// history says what became of the trials of a cell without a valid one.
func (c *cell) history() string {
	var parts []string
	for _, o := range []pgassay.Outcome{pgassay.OutcomeInvalid, pgassay.OutcomeFailed, pgassay.OutcomeInterrupted} {
		if n := c.other[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", plural(n, "trial"), o))
		}
	}
	if len(parts) == 0 {
		return "no trial was made"
	}
	out := strings.Join(parts, ", ")
	if c.lastReason != "" {
		out += "; the last: " + c.lastReason
	}
	return out
}
