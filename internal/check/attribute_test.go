package check_test

import (
	"slices"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
)

// TestAttribute: dead trigger 20,050, insert trigger 21,000 (100,000 rows, the
// defaults), in a minute between two snapshots.
func TestAttribute(t *testing.T) {
	for _, c := range []struct {
		why               string
		dead, inserted    int64 // made in the minute
		deadBefore        int64
		events            []pgassay.Event
		want              [][]check.Trigger
		lastDead, lastIns float64
	}{
		{"dead rows alone", 80_000, 0, 0, []pgassay.Event{vacuumAt(16*second, 0, 19000)}, [][]check.Trigger{{check.TriggerDead}}, 21333, 0},
		{"inserts alone are never taken for dead rows", 0, 100_000, 0, []pgassay.Event{vacuumAt(14*second, 0, 0)}, [][]check.Trigger{{check.TriggerInsert}}, 0, 23333},
		{"both exceeded: both listed", 80_000, 100_000, 0, []pgassay.Event{vacuumAt(20*second, 0, 19000)}, [][]check.Trigger{{check.TriggerDead, check.TriggerInsert}}, 26667, 33333},
		{"the counters start again at the end of a vacuum", 80_000, 0, 0, []pgassay.Event{vacuumAt(20*second, 4*second, 0), vacuumAt(40*second, 4*second, 0)},
			[][]check.Trigger{{check.TriggerDead}, {check.TriggerDead}}, 21333, 0},
		{"rows counted before the measurement count", 60_000, 0, 15_000, []pgassay.Event{vacuumAt(6*second, 0, 0)}, [][]check.Trigger{{check.TriggerDead}}, 21000, 0},
		{"nearly reached: the load is not quite even", 80_000, 6_000, 0, []pgassay.Event{vacuumAt(13*second, 0, 0)}, [][]check.Trigger{{check.TriggerDead}}, 17333, 1300},
		{"a few dead rows in an insert load do not start vacuums", 500, 100_000, 0, []pgassay.Event{vacuumAt(14*second, 0, 0)}, [][]check.Trigger{{check.TriggerInsert}}, 117, 23333},
		{"far from any: the nearest", 3_000, 1_000, 0, []pgassay.Event{vacuumAt(30*second, 0, 0)}, [][]check.Trigger{{check.TriggerDead}}, 1500, 500},
		{"a table that nothing happens to", 0, 0, 0, []pgassay.Event{vacuumAt(30*second, 0, 0)}, [][]check.Trigger{nil}, 0, 0},
	} {
		e := experiment()
		rec := goodTrial(e, pgassay.TrialOrder{Arm: 2}) // scale factor 0.2
		rec.Before.Relations[0].DeadRows = c.deadBefore
		a := &rec.After.Relations[0]
		a.Updated, a.Inserted = c.dead, rec.Before.Relations[0].Inserted+c.inserted
		rec.Events = c.events
		runs := check.Attribute(rec)
		var got [][]check.Trigger
		for _, r := range runs {
			got = append(got, r.Triggers)
		}
		if !slices.EqualFunc(got, c.want, func(a, b []check.Trigger) bool { return slices.Equal(a, b) }) {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
		last := runs[len(runs)-1]
		if d := last.Dead - c.lastDead; d > 1 || d < -1 {
			t.Errorf("%s: %v dead rows, want %v", c.why, last.Dead, c.lastDead)
		}
		if d := last.Inserted - c.lastIns; d > 1 || d < -1 {
			t.Errorf("%s: %v inserts, want %v", c.why, last.Inserted, c.lastIns)
		}
	}
}

func TestAttributeOthers(t *testing.T) {
	rec := goodTrial(experiment(), pgassay.TrialOrder{Arm: 2})
	rec.Before.Relations[0].Options = map[string]string{"autovacuum_vacuum_scale_factor": "0.9"}
	wrap := vacuumAt(5*second, 0, 0)
	wrap.Numbers["wraparound"] = 1
	elsewhere := vacuumAt(6*second, 0, 0)
	elsewhere.Object = "public.unknown"
	rec.Events = []pgassay.Event{{At: 7 * second, Kind: pgassay.EventAutoanalyze, Object: "public.events"}, elsewhere, wrap}
	got := check.Attribute(rec)
	if len(got) != 3 || !got[0].By(check.TriggerWraparound) || got[1].Triggers != nil || !got[2].By(check.TriggerAnalyze) {
		t.Fatalf("got %+v, want in the order of time: wraparound, unknown, analyze", got)
	}
	if got[0].Thresholds.Dead != 90_050 {
		t.Errorf("the table's own scale factor: trigger %v, want 90,050", got[0].Thresholds.Dead)
	}
	if got[2].By(check.TriggerAny) || !got[1].By(check.TriggerAny) {
		t.Error("an analyze is no vacuum; any vacuum is one")
	}
}
