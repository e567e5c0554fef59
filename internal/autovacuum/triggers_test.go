package autovacuum_test

import (
	"math"
	"testing"

	"github.com/pgassay/pgassay/internal/autovacuum"
)

// TestOracleTriggers holds the rules against public cases: tables of real
// systems with the thresholds that their owners saw or that follow from the
// documented formula (rounded down).
func TestOracleTriggers(t *testing.T) {
	for _, c := range []struct {
		id                string
		major             int
		tuples            float64
		dead, ins         float64 // counters, NaN when the case has none
		base, scale, insS float64
		wantDead, wantIns float64
		fires             bool
	}{
		{"A01a: a 56 million row table waits for 11 million dead rows", 14, 56175532, 5219305, 0, 50, 0.2, 0.2, 11235156, 11236106, false},
		{"A01a-after: at 5 % it fires now", 14, 56175532, 5219305, 0, 50, 0.05, 0.2, 2808826, 11236106, true},
		{"A01b-after", 14, 33305626, 2500994, 0, 50, 0.05, 0.2, 1665331, 6662125, true},
		{"A01c-after", 14, 12776233, 828321, 0, 50, 0.05, 0.2, 638861, 2556246, true},
		{"A01d-after: not yet", 14, 56295292, 1413462, 0, 50, 0.05, 0.2, 2814814, 11260058, false},
		{"A01e-after", 14, 3192296, 209714, 0, 50, 0.05, 0.2, 159664, 639459, true},
		{"A01f-after: not yet", 14, 6934144, 159519, 0, 50, 0.05, 0.2, 346757, 1387828, false},
		{"A03: even 0.5 % is 7 million rows", 14, 1417529000, 0, 0, 50, 0.005, 0.2, 7087695, 283506800, false},
		{"A09", 16, 190000000, 0, 0, 50, 0.2, 0.2, 38000050, 38001000, false},
		{"A09-after", 16, 190000000, 0, 0, 50000, 0.005, 0.2, 1000000, 38001000, false},
		{"A10: a 16 row table is vacuumed all the time", 15, 16, 54, 0, 50, 0.2, 0.2, 53, 1003, true},
		{"A12: inserts, not dead rows, are what this table has", 16, 3745796, 19331, 0, 50, 0.2, 0.2, 749209, 750159, false},
		{"A23", 16, 1700000, 0, 0, 50, 0.2, 0.2, 340050, 341000, false},
		{"A26: 200 million dead rows do not exceed the trigger by scale alone", 16, 1e9, 200000000, 0, 50, 0.2, 0.2, 200000050, 200001000, false},
		{"A26-after", 16, 1e9, 0, 0, 10000, 0.02, 0.2, 20010000, 200001000, false},
		{"A26-small: the same threshold is 12 % of a small table", 16, 100000, 0, 0, 10000, 0.02, 0.2, 12000, 21000, false},
		{"A30-17", 17, 1e10, 0, 0, 50, 0.005, 0.2, 50000050, 2000001000, false},
		{"A30-17d: 2 billion rows is never", 17, 1e10, 0, 0, 50, 0.2, 0.2, 2000000050, 2000001000, false},
		{"A30-18d: from 18 on the cap holds", 18, 1e10, 100000001, 0, 50, 0.2, 0.2, 100000000, 2000001000, true},
		{"A32", 15, 697512, 0, 0, 50, 0.2, 0.2, 139552, 140502, false},
		{"A36", 16, 120000000, 0, 0, 50, 0.2, 0.2, 24000050, 24001000, false},
	} {
		p := autovacuum.Defaults()
		p.VacuumThreshold, p.VacuumScale, p.InsertScale = c.base, c.scale, c.insS
		got := autovacuum.For(c.major).Thresholds(autovacuum.Table{Tuples: c.tuples}, p)
		// The oracle is exact arithmetic; the server has 24 bits.
		near(t, c.id+" dead", got.Dead, c.wantDead, 1+c.wantDead*3e-7)
		near(t, c.id+" insert", got.Insert, c.wantIns, 1+c.wantIns*3e-7)
		if due := got.Due(autovacuum.Counts{Dead: c.dead}); due.Dead != c.fires {
			t.Errorf("%s: fires = %v, want %v", c.id, due.Dead, c.fires)
		}
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: got %v, want %v ± %v", what, got, want, tolerance)
	}
}

// TestMeasuredTriggers repeats what was measured on live servers.
func TestMeasuredTriggers(t *testing.T) {
	p := autovacuum.Defaults()
	p.MaxThreshold = 1000
	capped := autovacuum.For(18).Thresholds(autovacuum.Table{Tuples: 100_000}, p)
	if capped.Due(autovacuum.Counts{Dead: 1000}).Dead || !capped.Due(autovacuum.Counts{Dead: 1001}).Dead {
		t.Errorf("max threshold 1000: trigger %v, want 1001 to be the first count that fires", capped.Dead)
	}
	p.MaxThreshold = -1
	near(t, "no cap", autovacuum.For(18).Thresholds(autovacuum.Table{Tuples: 1e10}, p).Dead, 2000000050, 300)
	p.MaxThreshold = 0
	if zero := autovacuum.For(18).Thresholds(autovacuum.Table{Tuples: 1e6}, p); !zero.Due(autovacuum.Counts{Dead: 1}).Dead || zero.Due(autovacuum.Counts{}).Dead {
		t.Error("max threshold 0 fires on any dead row and on none else")
	}
	frozen := autovacuum.Table{Tuples: 100_000, Pages: 1000, AllFrozen: 1000}
	p = autovacuum.Defaults()
	near(t, "all frozen on 18", autovacuum.For(18).Thresholds(frozen, p).Insert, 1000, 0)
	near(t, "all frozen on 16", autovacuum.For(16).Thresholds(frozen, p).Insert, 21_000, 0)
	half := autovacuum.Table{Tuples: 200_000, Pages: 3000, AllFrozen: 1500}
	near(t, "half frozen on 18", autovacuum.For(18).Thresholds(half, p).Insert, 21_000, 0)
	for _, never := range []float64{-1, 0} {
		fresh := autovacuum.For(16).Thresholds(autovacuum.Table{Tuples: never}, p)
		if fresh.Dead != 50 || fresh.Insert != 1000 || fresh.Analyze != 50 {
			t.Errorf("reltuples %v: got %+v, want the base thresholds", never, fresh)
		}
	}
	p.InsertThreshold = -1
	if off := autovacuum.For(16).Thresholds(half, p); off.Due(autovacuum.Counts{Inserted: 1e12}).Insert {
		t.Error("insert threshold -1 turns insert vacuums off")
	}
	near(t, "analyze", autovacuum.For(18).Thresholds(autovacuum.Table{Tuples: 5.01e9}, autovacuum.Defaults()).Analyze, 501_000_050, 300)
}

func TestDetect(t *testing.T) {
	// 19 is asked, never assumed: here is one that dropped the cap.
	r := autovacuum.For(19).Detect(func(string) bool { return false }, true)
	if r.CappedDead || !r.UnfrozenInserts || !r.DividedLimit {
		t.Errorf("got %+v, want the cap gone and the rest of 18", r)
	}
}
