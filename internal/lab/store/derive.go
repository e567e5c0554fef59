package store

import (
	"context"
	"database/sql"
	"math"

	"github.com/pgassay/pgassay"
)

// Derived is what an analysis found, as rows for people who query the file.
type Derived struct {
	Checks      []pgassay.CheckResult
	Comparisons []pgassay.Comparison
	Estimates   []Estimate
}

// Estimate is the mean of one metric in one cell.
type Estimate struct {
	Arm, Load int
	Metric    pgassay.MetricName
	Mean      pgassay.Interval
	Trials    int
}

// Derive replaces the derived_ tables.
func (s *Store) Derive(ctx context.Context, d Derived) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		w := writer{ctx: ctx, tx: tx}
		for _, table := range []string{"derived_check", "derived_estimate", "derived_comparison"} {
			w.exec("DELETE FROM " + table)
		}
		for _, c := range d.Checks {
			w.exec("INSERT INTO derived_check (id, trial, status, severity, message) VALUES (?,?,?,?,?)",
				c.ID, c.Trial, string(c.Status), string(c.Severity), c.Message)
		}
		for _, e := range d.Estimates {
			w.exec("INSERT INTO derived_estimate VALUES (?,?,?,?,?,?,?)", e.Arm, e.Load, string(e.Metric),
				finite(e.Mean.Estimate), finite(e.Mean.Low), finite(e.Mean.High), e.Trials)
		}
		for _, c := range d.Comparisons {
			w.exec("INSERT INTO derived_comparison (metric, level, arm, base, factor, value, effect, low, high, blocks, verdict, reason) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
				string(c.Metric), c.Load, c.Arm, c.Base, c.Factor, c.Level, finite(c.Effect.Estimate), finite(c.Effect.Low), finite(c.Effect.High),
				c.Blocks, string(c.Verdict), c.Reason)
		}
		return w.err
	})
}

// finite turns what SQL cannot say into NULL.
func finite(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
