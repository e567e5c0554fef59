package plan

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
)

// TestMeanLoad: shares by weight, of the table that most is done to.
func TestMeanLoad(t *testing.T) {
	got, ok := meanLoad([]pgassay.Script{
		{Weight: 3, Shape: []pgassay.TableShape{{Table: "a", Updates: 2, Initial: true}, {Table: "b", Inserts: 1}}},
		{Weight: 1, Shape: []pgassay.TableShape{{Table: "a", Deletes: 4, Initial: true}, {Table: "a", Inserts: 8, Updates: 1}}},
	})
	want := tableLoad{table: "a", inserts: 2, updates: 1.75, deletes: 1, initialUpdates: 1.5, initialDeletes: 1}
	if !ok || got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestMisses: deletes that pick among the rows of the start leave 1/e of them
// after as many picks as there were rows, and updates miss the others.
func TestMisses(t *testing.T) {
	f := flow{load: tableLoad{inserts: 1, updates: 2, deletes: 1, initialUpdates: 2, initialDeletes: 1}, rows: 1000, tps: 10}
	deleted := 1000 * (1 - math.Exp(-1))
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"deleted", f.rowsOf(f.load.deleted(), 0, 100), deleted},
		{"dead: an update makes as many as a delete, and there are two", f.rowsOf(f.load.dead(), 0, 100), 3 * deleted},
		{"live: 1,000 inserts never miss", f.size(100), 2000 - deleted},
		{"time to delete half", f.fill(f.load.deleted(), 0, 500), 100 * math.Ln2},
		{"more than there is", f.fill(f.load.deleted(), 0, 1001), math.Inf(1)},
	} {
		if c.got != c.want && math.Abs(c.got-c.want) > 1e-6*math.Abs(c.want) {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
}

// TestFill: after that time the rows are there, whatever the mix.
func TestFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string) float64 { return rapid.Float64Range(0, 10).Draw(t, name) }
		l := tableLoad{inserts: n("inserts"), updates: n("updates"), deletes: n("deletes")}
		l.initialUpdates, l.initialDeletes = l.updates*rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "u"), l.deletes*rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "d")
		f := flow{load: l, rows: rapid.Float64Range(1, 1e7).Draw(t, "rows"), tps: rapid.Float64Range(1, 1e5).Draw(t, "tps")}
		from, rows := rapid.Float64Range(0, 1000).Draw(t, "from"), rapid.Float64Range(1, 1e7).Draw(t, "need")
		s := l.dead()
		s1 := f.fill(s, from, rows)
		if math.IsInf(s1, 1) {
			if made := f.rowsOf(s, from, from+1e9); made > rows*(1+1e-9) {
				t.Fatalf("never %v rows, but %v are made", rows, made)
			}
			return
		}
		// Near the last row that is left, a tiny error of the rows is a large one of the time.
		if got := f.rowsOf(s, from, from+s1); math.Abs(got-rows) > 1e-6*rows+1e-6 {
			t.Fatalf("after %v s: %v rows, want %v", s1, got, rows)
		}
	})
}
