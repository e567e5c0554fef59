package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
	"github.com/pgassay/pgassay/internal/check"
)

// insertTrial is a minute of inserts into one table of 100,000 rows: 80,000 new
// rows, no dead ones, and four vacuums by the insert trigger. A delay of 20 ms
// costs a quarter of the throughput.
func insertTrial(e *pgassay.Experiment, o pgassay.TrialOrder) *pgassay.TrialRecord {
	arm := e.Arms[o.Arm]
	r := trial(o.Number, o.Block, o.Arm, o.Load, 0)
	r.Order = o
	r.MeasuredNS = 60e9
	n := int64(80_000 + 100*o.Block + 37*((o.Arm*o.Block)%3))
	if arm.Levels[1] == 1 {
		n = n * 3 / 4
	}
	r.Scripts = []pgassay.ScriptResult{{Script: "insert", Transactions: n, Rows: n}}
	rel := pgassay.Relation{Schema: "public", Name: "events", Kind: "r", Tuples: 100_000, Pages: 4000, AllFrozen: -1, HeapBytes: 4000 * 8192, LiveRows: 100_000, Inserted: 100_000, Indexes: 2}
	r.Start.Relations, r.Before.Relations = []pgassay.Relation{rel}, []pgassay.Relation{rel}
	rel.LiveRows, rel.Inserted, rel.InsSinceVacuum, rel.Autovacuums = rel.LiveRows+n, rel.Inserted+n, 1000, 4
	r.After = pgassay.Snapshot{At: 60e9, Relations: []pgassay.Relation{rel}}
	for i := int64(1); i <= 4; i++ {
		r.Events = append(r.Events, pgassay.Event{At: i * 14e9, Duration: 1e8, Kind: pgassay.EventAutovacuum, Object: "public.events", Numbers: map[string]float64{
			"tuples_remain": 100_000, "elapsed_s": 0.1, "buffer_hits": 9000, "buffer_misses": 100, "buffer_dirtied": 4000,
		}})
	}
	for _, s := range arm.Settings {
		r.Settings = append(r.Settings, pgassay.SettingState{Name: s.Name, Setting: strings.TrimSuffix(s.Value, "ms"), VarType: "real", Source: "configuration file"})
	}
	r.Settings[1].Unit = "ms"
	r.Settings = append(r.Settings,
		pgassay.SettingState{Name: "server_version_num", Setting: "160014", VarType: "integer", Source: "default"},
		pgassay.SettingState{Name: "autovacuum_vacuum_insert_threshold", Setting: "1000", VarType: "integer", Source: "default"},
		pgassay.SettingState{Name: "autovacuum_vacuum_insert_scale_factor", Setting: "0.1", VarType: "real", Source: "default"})
	return r
}

// TestWithChecks judges an insert-only grid with the real checks: the scale
// factor could not have mattered, the cost delay has its verdict.
func TestWithChecks(t *testing.T) {
	e := factorial(4,
		pgassay.Factor{Kind: pgassay.FactorSetting, Name: "autovacuum_vacuum_scale_factor", Levels: []string{"0.2", "0.02"}},
		pgassay.Factor{Kind: pgassay.FactorSetting, Name: "autovacuum_vacuum_cost_delay", Levels: []string{"2ms", "20ms"}})
	ev := check.RunEvidence{Experiment: e}
	for b := 1; b <= 4; b++ {
		for p := range e.Arms {
			o := pgassay.TrialOrder{Number: len(ev.Planned) + 1, Block: b, Position: p, Arm: p, Attempt: 1}
			if b%2 == 0 {
				o.Arm = len(e.Arms) - 1 - p
			}
			ev.Planned, ev.Trials = append(ev.Planned, o), append(ev.Trials, insertTrial(e, o))
		}
	}
	res, err := analyze.Analyze(analyze.Input{Experiment: e, Run: analyze.RunInfo{Complete: true}, Trials: ev.Trials, RunChecks: check.Run(ev)})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		verdict pgassay.Verdict
		text    string
	}{
		{pgassay.Invalid, "an insert-only load makes no dead rows, so autovacuum_vacuum_scale_factor could not have mattered"},
		{pgassay.Regressed, "autovacuum_vacuum_cost_delay: 20ms instead of 2ms lowered throughput by 25.0 %"},
	} {
		v := res.FactorVerdicts[i]
		if v.Verdict != want.verdict || !strings.Contains(v.Sentence, want.text) {
			t.Errorf("got %s, %q want %s, %q", v.Verdict, v.Sentence, want.verdict, want.text)
		}
	}
	if got := fmt.Sprint(res.FactorVerdicts[0].Checks); got != "[V3 V13 V14]" {
		t.Errorf("got the checks %s want [V3 V13 V14]", got)
	}
	if res.Answer.Verdict != pgassay.Regressed || !strings.Contains(res.Answer.Sentences[2], "could not have mattered") {
		t.Errorf("got %s %q", res.Answer.Verdict, res.Answer.Sentences)
	}
}
