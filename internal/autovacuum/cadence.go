package autovacuum

import "math"

// StatsDelayS is how late a change is seen: backends report their counters at
// most once a second, at the end of a transaction.
const StatsDelayS = 1.0

// Cadence is how often one table is vacuumed under a steady load.
type Cadence struct {
	// FillS is the time until the trigger is exceeded, WaitS the time until the
	// launcher has looked after that, RunS the vacuum's own.
	FillS, WaitS, RunS float64
}

// NewCadence computes the cycle of a table whose trigger counts threshold rows
// and that makes rate such rows a second. The counters start again at the end
// of a vacuum: what was counted while it ran is forgotten. The launcher looks
// at a database once per naptime, so the wait is half of that on average, plus
// half the delay of the statistics. FillS is infinite for a rate of 0.
func NewCadence(threshold, rate, naptimeS, runS float64) Cadence {
	c := Cadence{FillS: math.Inf(1), WaitS: (naptimeS + StatsDelayS) / 2, RunS: runS}
	if rate > 0 {
		c.FillS = (math.Floor(threshold) + 1) / rate
	}
	return c
}

// PeriodS is the time from the end of one vacuum to the end of the next.
func (c Cadence) PeriodS() float64 { return c.FillS + c.WaitS + c.RunS }

// Runs is the number of vacuums that end within so many seconds, on average.
func (c Cadence) Runs(seconds float64) float64 { return seconds / c.PeriodS() }
