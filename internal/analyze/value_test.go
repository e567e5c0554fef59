package analyze_test

import (
	"math"
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// TestValue reads every metric of one trial of 10 s with 10,000 transactions,
// 50 failures and 100,000 rows.
func TestValue(t *testing.T) {
	full := func() *pgassay.TrialRecord {
		r := trial(1, 1, 0, 0, 1000)
		r.Scripts[0].Failed = 50
		r.Histograms = latencies(t, 1e6, 9_900, 20e6, 100)
		r.Before = pgassay.Snapshot{Relations: []pgassay.Relation{{Schema: "s", Name: "t", Autovacuums: 2}}, Counters: map[string]float64{"wal_bytes": 5e6}}
		r.After = pgassay.Snapshot{Relations: []pgassay.Relation{{Schema: "s", Name: "t", Autovacuums: 5, DeadRows: 70}, {Schema: "s", Name: "u", Autovacuums: 1, DeadRows: 7}}, Counters: map[string]float64{"wal_bytes": 25e6}}
		r.Events = []pgassay.Event{{At: 1e9, Duration: 2e9, Kind: pgassay.EventAutovacuum, Object: "s.t"}, {At: 5e9, Kind: pgassay.EventAutovacuum, Object: "s.t", Numbers: map[string]float64{"elapsed_s": 1.5}}}
		return r
	}
	for _, row := range []struct {
		metric pgassay.MetricName
		spoil  func(*pgassay.TrialRecord)
		want   float64
		why    string // "" when the value is known
	}{
		{pgassay.MetricTPS, nil, 1000, ""},
		{pgassay.MetricTPS, func(r *pgassay.TrialRecord) { r.MeasuredNS = 0 }, 0, "nothing was measured"},
		{pgassay.MetricRowsPerS, nil, 10_000, ""},
		{pgassay.MetricRows, nil, 100_000, ""},
		{pgassay.MetricResponseMean, nil, 1.19e6, ""},
		{pgassay.MetricResponseP50, nil, 1e6, ""},
		{pgassay.MetricResponseP99, nil, 1e6, ""},
		{pgassay.MetricResponseP99, func(r *pgassay.TrialRecord) { r.Histograms = nil }, 0, "no latency histogram"},
		{pgassay.MetricResponseP99, func(r *pgassay.TrialRecord) { r.Histograms = latencies(t, 1e6, 9_999) }, 0, "needs 10,000 transactions in a trial, there were 9,999"},
		{pgassay.MetricResponseP999, nil, 0, "needs 100,000 transactions"},
		{pgassay.MetricErrorRate, nil, 50.0 / 10_050, ""},
		{pgassay.MetricWALPerTxn, nil, 2000, ""},
		{pgassay.MetricWALPerTxn, func(r *pgassay.TrialRecord) { r.After.Counters = nil }, 0, "could not be read"},
		{pgassay.MetricWALPerTxn, func(r *pgassay.TrialRecord) { r.After.Counters["wal_bytes"] = 1 }, 0, "was reset"},
		{pgassay.MetricServerCPU, nil, 4.5 / 10_000, ""},
		{pgassay.MetricServerCPU, func(r *pgassay.TrialRecord) { r.Use.BackendCPUS = -1 }, 0, "could not be read"},
		{pgassay.MetricClientCPU, nil, 1.0 / 10_000, ""},
		{pgassay.MetricClientCPU, func(r *pgassay.TrialRecord) { r.Scripts = nil }, 0, "no transaction was completed"},
		{pgassay.MetricVacuumCPU, nil, 0.5, ""},
		{pgassay.MetricVacuumCPU, func(r *pgassay.TrialRecord) { r.Use.AutovacuumCPUS = -1 }, 0, "could not be read"},
		{pgassay.MetricVacuums, nil, 4, ""},
		{pgassay.MetricVacuums, func(r *pgassay.TrialRecord) { r.Before.Relations = nil }, 2, ""},
		{pgassay.MetricVacuums, func(r *pgassay.TrialRecord) { r.Before.Relations[0].Autovacuums = 9 }, 0, "were reset"},
		{pgassay.MetricVacuumTime, nil, 3.5, ""},
		{pgassay.MetricVacuumTime, func(r *pgassay.TrialRecord) { r.Events = nil }, 0, "the server's log has no line"},
		{pgassay.MetricVacuumTime, func(r *pgassay.TrialRecord) { r.Events = nil; r.After.Relations = r.Before.Relations }, 0, ""},
		{pgassay.MetricDeadRowsEnd, nil, 77, ""},
		{pgassay.MetricDeadRowsEnd, func(r *pgassay.TrialRecord) { r.After.Relations = nil }, 0, "could not be read"},
		{"speed", nil, 0, `no metric "speed"`},
	} {
		r := full()
		if row.spoil != nil {
			row.spoil(r)
		}
		v, known, why := analyze.Value(r, row.metric)
		if known != (row.why == "") || !strings.Contains(why, row.why) || known && math.Abs(v-row.want) > 1e-3*math.Abs(row.want) {
			t.Errorf("%s: got %v, %v, %q want %v, %q", row.metric, v, known, why, row.want, row.why)
		}
	}
}

// TestEveryMetricIsRead: no metric of the closed list is forgotten.
func TestEveryMetricIsRead(t *testing.T) {
	for _, m := range pgassay.Metrics {
		if _, _, why := analyze.Value(trial(1, 1, 0, 0, 1000), m.Name); strings.Contains(why, "does not measure") {
			t.Errorf("%s is not read", m.Name)
		}
	}
}
