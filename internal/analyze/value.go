package analyze

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay"
)

// absence says why a trial has no value.
type absence int

const (
	present absence = iota
	unseen          // could not be read: says nothing about the arm
	tooFew          // too few transactions: depends on the arm, so no block may be left out for it
)

// reading is one metric of one trial.
type reading struct {
	v      float64
	absent absence
	why    string
}

func seen(v float64) reading {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return lost("the recorded numbers do not give a value")
	}
	return reading{v: v}
}

func lost(why string) reading { return reading{absent: unseen, why: why} }

// Value reads a metric from a trial, in the metric's unit. When it cannot be
// known, known is false and why says so in a few words; a latency quantile
// needs [pgassay.Metric.MinTransactions].
func Value(r *pgassay.TrialRecord, m pgassay.MetricName) (v float64, known bool, why string) {
	metric, ok := pgassay.MetricByName(m)
	if !ok {
		return 0, false, fmt.Sprintf("there is no metric %q", m)
	}
	got := read(r, metric, latencyOf(r))
	return got.v, got.absent == present, got.why
}

// read is Value with the trial's latencies already decoded.
func read(r *pgassay.TrialRecord, m pgassay.Metric, lat latency) reading {
	if m.Quantile > 0 {
		return lat.quantile(m)
	}
	seconds := float64(r.MeasuredNS) / 1e9
	switch m.Name {
	case pgassay.MetricTPS:
		return ratio(float64(r.TotalTransactions()), seconds, "nothing was measured")
	case pgassay.MetricRowsPerS:
		return ratio(float64(r.TotalRows()), seconds, "nothing was measured")
	case pgassay.MetricRows:
		return seen(float64(r.TotalRows()))
	case pgassay.MetricResponseMean:
		return lat.mean()
	case pgassay.MetricErrorRate:
		tried := r.TotalTransactions() + r.TotalFailed()
		return ratio(float64(r.TotalFailed()), float64(tried), "no transaction was tried")
	case pgassay.MetricWALPerTxn:
		return walPerTransaction(r)
	case pgassay.MetricServerCPU:
		if r.Use.BackendCPUS < 0 {
			return lost("the server's CPU time could not be read")
		}
		return perTransaction(r, r.Use.ServerCPUS())
	case pgassay.MetricClientCPU:
		if r.Use.ClientCPUS < 0 {
			return lost("the client's CPU time could not be read")
		}
		return perTransaction(r, r.Use.ClientCPUS)
	case pgassay.MetricVacuumCPU:
		if r.Use.AutovacuumCPUS < 0 {
			return lost("autovacuum's CPU time could not be read")
		}
		return seen(r.Use.AutovacuumCPUS)
	case pgassay.MetricVacuums:
		return vacuumRuns(r)
	case pgassay.MetricVacuumTime:
		return vacuumSeconds(r)
	case pgassay.MetricDeadRowsEnd:
		return deadRows(r)
	}
	return lost("this version of pgassay does not measure it")
}

func ratio(over, under float64, why string) reading {
	if under <= 0 {
		return lost(why)
	}
	return seen(over / under)
}

func perTransaction(r *pgassay.TrialRecord, total float64) reading {
	return ratio(total, float64(r.TotalTransactions()), "no transaction was completed")
}

func walPerTransaction(r *pgassay.TrialRecord) reading {
	before, ok1 := r.Before.Counters["wal_bytes"]
	after, ok2 := r.After.Counters["wal_bytes"]
	switch {
	case !ok1 || !ok2:
		return lost("the server's WAL counter could not be read")
	case after < before:
		return lost("the server's WAL counter was reset during the trial")
	}
	return perTransaction(r, after-before)
}

// vacuums are the autovacuum runs on user tables that ended within the
// measurement interval, from the server's log.
func vacuums(r *pgassay.TrialRecord) []pgassay.Event {
	var out []pgassay.Event
	for _, ev := range r.Events {
		if ev.Kind == pgassay.EventAutovacuum && ev.At >= 0 && ev.At <= r.MeasuredNS && !strings.HasPrefix(ev.Object, "pg_catalog.") && !strings.HasPrefix(ev.Object, "information_schema.") {
			out = append(out, ev)
		}
	}
	return out
}

// vacuumRuns counts with the server's own counters, which need no log; the log
// fills in where they are missing.
func vacuumRuns(r *pgassay.TrialRecord) reading {
	if len(r.Before.Relations) == 0 || len(r.After.Relations) == 0 {
		if n := len(vacuums(r)); n > 0 {
			return seen(float64(n))
		}
		return lost("the tables' statistics could not be read")
	}
	count := map[string]int64{}
	for _, rel := range r.Before.Relations {
		count[rel.Schema+"."+rel.Name] = rel.Autovacuums
	}
	var n int64
	for _, rel := range r.After.Relations {
		d := rel.Autovacuums - count[rel.Schema+"."+rel.Name]
		if d < 0 {
			return lost("the tables' statistics were reset during the trial")
		}
		n += d
	}
	return seen(float64(n))
}

// vacuumSeconds sums the log's elapsed times. Without a line in the log it is 0
// only when the counters agree that nothing ran.
func vacuumSeconds(r *pgassay.TrialRecord) reading {
	runs, sum := vacuums(r), 0.0
	for _, ev := range runs {
		if s, ok := ev.Numbers["elapsed_s"]; ok {
			sum += s
		} else {
			sum += float64(ev.Duration) / 1e9
		}
	}
	if len(runs) > 0 {
		return seen(sum)
	}
	switch counted := vacuumRuns(r); {
	case counted.absent != present:
		return lost("neither the server's log nor its counters tell of autovacuum runs")
	case counted.v > 0:
		return lost("autovacuum ran, but the server's log has no line of it")
	}
	return seen(0)
}

func deadRows(r *pgassay.TrialRecord) reading {
	if len(r.After.Relations) == 0 {
		return lost("the tables' statistics could not be read")
	}
	var n int64
	for _, rel := range r.After.Relations {
		n += rel.DeadRows
	}
	return seen(float64(n))
}

// absolute says that a metric can be zero, so that arms are compared by their
// difference instead of their ratio.
func absolute(m pgassay.MetricName) bool {
	switch m {
	case pgassay.MetricErrorRate, pgassay.MetricVacuumCPU, pgassay.MetricVacuums, pgassay.MetricVacuumTime, pgassay.MetricDeadRowsEnd:
		return true
	}
	return false
}
