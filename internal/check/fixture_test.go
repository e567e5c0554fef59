package check_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
)

const second = int64(time.Second)

// experiment is the one that the tests judge: scale factor × cost delay on one
// table at two load levels.
func experiment() *pgassay.Experiment {
	e := &pgassay.Experiment{
		Factors: []pgassay.Factor{
			{Kind: pgassay.FactorSetting, Name: "autovacuum_vacuum_scale_factor", Levels: []string{"0.02", "0.2"}},
			{Kind: pgassay.FactorSetting, Name: "autovacuum_vacuum_cost_delay", Levels: []string{"2ms", "20ms"}},
		},
		Loads:    []pgassay.Load{{Name: "10 clients", Clients: 10}, {Name: "50 clients", Clients: 50}},
		Baseline: 0,
		Workload: pgassay.Workload{Measure: pgassay.Measure{Duration: 60 * time.Second}},
	}
	for _, scale := range e.Factors[0].Levels {
		for _, delay := range e.Factors[1].Levels {
			own := []pgassay.Setting{{Name: "autovacuum_vacuum_scale_factor", Value: scale}, {Name: "autovacuum_vacuum_cost_delay", Value: delay}}
			e.Arms = append(e.Arms, pgassay.Arm{
				Name:      fmt.Sprintf("scale %s, delay %s", scale, delay),
				Settings:  append([]pgassay.Setting{{Name: "autovacuum_naptime", Value: "1s"}}, own...),
				Treatment: own,
			})
		}
	}
	return e
}

// states is pg_settings of a healthy server with the arm's settings in force.
func states(arm pgassay.Arm) []pgassay.SettingState {
	list := []pgassay.SettingState{
		{Name: "server_version_num", Setting: "160014", VarType: "integer", Source: "default"},
		{Name: "autovacuum", Setting: "on", VarType: "bool", Source: "default"},
		{Name: "autovacuum_naptime", Setting: "60", Unit: "s", VarType: "integer", Source: "default"},
		{Name: "autovacuum_vacuum_scale_factor", Setting: "0.2", VarType: "real", Source: "default"},
		{Name: "autovacuum_vacuum_cost_delay", Setting: "2", Unit: "ms", VarType: "real", Source: "default"},
		{Name: "shared_buffers", Setting: "16384", Unit: "8kB", VarType: "integer", Source: "configuration file"},
		{Name: "fsync", Setting: "on", VarType: "bool", Source: "default"},
		{Name: "full_page_writes", Setting: "on", VarType: "bool", Source: "default"},
		{Name: "synchronous_commit", Setting: "on", VarType: "enum", Source: "default"},
	}
	for _, want := range arm.Settings {
		for i := range list {
			if list[i].Name == want.Name {
				v, err := check.Number(want.Value, list[i].Unit)
				if err != nil {
					panic(err)
				}
				list[i].Setting, list[i].Source = fmt.Sprint(v), "configuration file"
			}
		}
	}
	return list
}

func events(rows, dead int64) pgassay.Relation {
	return pgassay.Relation{Schema: "public", Name: "events", Kind: "r", Tuples: 100_000, Pages: 4000, AllFrozen: -1, HeapBytes: 4000 * 8192,
		IndexBytes: 1000 * 8192, LiveRows: rows, DeadRows: dead, Inserted: rows, Indexes: 3}
}

// goodTrial is a trial in which everything is as it should be: 80,000 dead rows
// in a minute (four times the larger trigger, 20,050), and four vacuums.
func goodTrial(e *pgassay.Experiment, o pgassay.TrialOrder) *pgassay.TrialRecord {
	after := events(110_000, 5000)
	after.Inserted, after.Updated = 110_000, 80_000
	after.InsSinceVacuum = 2500
	rec := &pgassay.TrialRecord{
		Order: o, Outcome: pgassay.OutcomeValid, Started: time.Unix(1_800_000_000+100*int64(o.Number), 0), MeasuredNS: 60 * second, Template: "t",
		Scripts:  []pgassay.ScriptResult{{Script: "mix", Transactions: 60_000, Failed: 6, Errors: map[string]int64{"40P01": 6}, FirstError: "deadlock detected"}},
		Start:    pgassay.Snapshot{Relations: []pgassay.Relation{events(100_000, 0)}},
		Before:   pgassay.Snapshot{At: 0, Relations: []pgassay.Relation{events(100_000, 0)}, Counters: map[string]float64{"checkpoints_requested": 1, "wal_bytes": 0}},
		After:    pgassay.Snapshot{At: 60 * second, Relations: []pgassay.Relation{after}, Counters: map[string]float64{"checkpoints_requested": 1, "wal_bytes": 5e8}},
		Settings: states(e.Arms[o.Arm]),
		Use:      pgassay.ResourceUse{ClientCPUS: 24, BackendCPUS: 60},
		Host:     pgassay.HostState{CPUs: 2, BootID: "boot-1", RunQueueP99NS: 400_000},
	}
	for i := int64(1); i <= 4; i++ {
		rec.Events = append(rec.Events, vacuumAt(i*15*second+i, 100*int64(time.Millisecond), 19_000))
	}
	rec.Events[3].At = 59 * second
	return rec
}

func vacuumAt(at, took int64, removed float64) pgassay.Event {
	return pgassay.Event{At: at, Duration: took, Kind: pgassay.EventAutovacuum, Object: "public.events", Numbers: map[string]float64{
		"tuples_removed": removed, "tuples_remain": 100_000, "elapsed_s": float64(took) / 1e9, "index_scans": 1,
		"buffer_hits": 9000, "buffer_misses": 100, "buffer_dirtied": 4000,
	}}
}

// goodRun is a run of two mirrored blocks of good trials.
func goodRun(e *pgassay.Experiment) check.RunEvidence {
	ev := check.RunEvidence{Experiment: e}
	n := len(e.Arms) * len(e.Loads)
	for b := 1; b <= 2; b++ {
		for p := range n {
			cell := p
			if b == 2 {
				cell = n - 1 - p
			}
			o := pgassay.TrialOrder{Number: len(ev.Planned) + 1, Block: b, Position: p, Arm: cell / len(e.Loads), Load: cell % len(e.Loads), Attempt: 1, Seed: uint64(b)}
			ev.Planned = append(ev.Planned, o)
			ev.Trials = append(ev.Trials, goodTrial(e, o))
		}
	}
	return ev
}

// find returns the results of one check.
func find(results []pgassay.CheckResult, id string) []pgassay.CheckResult {
	var out []pgassay.CheckResult
	for _, r := range results {
		if r.ID == id {
			out = append(out, r)
		}
	}
	return out
}

func want(t *testing.T, why string, got pgassay.CheckResult, status pgassay.CheckStatus, severity pgassay.Severity, message string) {
	t.Helper()
	if got.Status != status || got.Severity != severity || got.Message != message {
		t.Errorf("%s: %s\n got %s, %s: %s\nwant %s, %s: %s", why, got.ID, got.Status, got.Severity, got.Message, status, severity, message)
	}
	if (got.Remedy != "") != (got.Status == pgassay.CheckFailed) {
		t.Errorf("%s: %s has the remedy %q", why, got.ID, got.Remedy)
	}
}
