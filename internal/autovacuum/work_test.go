package autovacuum_test

import (
	"testing"

	"github.com/pgassay/pgassay/internal/autovacuum"
	"pgregory.net/rapid"
)

// TestUnitsFullUpdate: one million rows all updated, cold. Misses are heap,
// index and dead-item pages, dirtied is the same sum, hits are about the heap.
func TestUnitsFullUpdate(t *testing.T) {
	w := autovacuum.Work{HeapPages: 36924, IndexPages: 6583, Indexes: 1, DeadRows: 1_200_000, Clean: 1}
	u := w.Units(autovacuum.Defaults())
	sum := 36924.0 + 6583 + 36924
	near(t, "misses", u.Misses, sum, 1)
	near(t, "dirtied", u.Dirtied, sum, 1)
	near(t, "hits", u.Hits, 36924, 1)
	near(t, "cost", u.Cost, 36924+22*sum, 30)
	if u.Bypassed {
		t.Error("indexes were bypassed, want them scanned")
	}
}

func TestUnitsSkipping(t *testing.T) {
	p := autovacuum.Defaults()
	quiet := autovacuum.Work{HeapPages: 100_000, IndexPages: 20_000, Indexes: 2, Clean: 1}
	if u := quiet.Units(p); u.Cost != 0 {
		t.Errorf("nothing dead: got %+v, want no work", u)
	}
	few := quiet
	few.DeadRows = 1000 // one page in a hundred: under the 2 % that an index scan needs
	u := few.Units(p)
	if !u.Bypassed {
		t.Error("1 % of the pages: want the indexes bypassed")
	}
	near(t, "dirtied for a bypass", u.Dirtied, 995, 1)
	dense := quiet
	dense.DeadRows = 25_000 // one page in five: no run of 32 clean pages is left
	if u := dense.Units(p); u.Bypassed || u.Misses < 100_000+20_000 {
		t.Errorf("got %+v, want the whole heap read and the indexes scanned", u)
	}
	appended := quiet
	appended.NewPages = 5000
	near(t, "an insert vacuum dirties what is new", appended.Units(p).Dirtied, 5000, 0.5)
	if u := (autovacuum.Work{}).Units(p); u.Cost != 0 || u.Unthrottled() != 0 {
		t.Errorf("an empty table: got %+v", u)
	}
}

// TestUnitsGrow: more dead rows never cost less, once indexes are scanned.
func TestUnitsGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := autovacuum.Work{
			HeapPages: rapid.Float64Range(100, 1e6).Draw(t, "heap"), IndexPages: rapid.Float64Range(10, 1e5).Draw(t, "index"), Indexes: 3,
			Cached: rapid.Float64Range(0, 1).Draw(t, "cached"), Clean: rapid.Float64Range(0, 1).Draw(t, "clean"),
		}
		w.DeadRows = w.HeapPages * rapid.Float64Range(0.05, 50).Draw(t, "density")
		more := w
		more.DeadRows *= rapid.Float64Range(1, 10).Draw(t, "more")
		p := autovacuum.Defaults()
		if a, b := w.Units(p).Cost, more.Units(p).Cost; b < a*(1-1e-9) {
			t.Fatalf("%v dead rows cost %v, %v cost %v", w.DeadRows, a, more.DeadRows, b)
		}
	})
}

func TestCadence(t *testing.T) {
	// 20,000 rows at the default trigger, 2,000 dead rows a second, naptime 1 s:
	// 4,051 rows take 2.03 s, one more passes before the launcher has seen it.
	c := autovacuum.NewCadence(4050, 2000, 1, 0.5)
	near(t, "fill", c.FillS, 2.0255, 1e-9)
	near(t, "period", c.PeriodS(), 3.5255, 1e-9)
	near(t, "runs in 8 s", c.Runs(8), 2.27, 0.01)
	if got := autovacuum.NewCadence(50, 0, 1, 0).Runs(1e9); got != 0 {
		t.Errorf("no dead rows: %v runs, want none", got)
	}
}
