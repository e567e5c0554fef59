package autovacuum_test

import (
	"testing"

	"github.com/pgassay/pgassay/internal/autovacuum"
	"pgregory.net/rapid"
)

func with(limit int, delay float64, own bool) autovacuum.Parameters {
	p := autovacuum.Defaults()
	p.CostLimit, p.CostDelayMS, p.OwnCost = limit, delay, own
	return p
}

// TestRates holds limit and delay against the published table of what may be
// dirtied per second (20 units a page of 8 kB).
func TestRates(t *testing.T) {
	for _, c := range []struct {
		limit      int
		delay, mib float64
	}{{200, 2, 39.1}, {200, 20, 3.9}, {600, 2, 117}, {1000, 2, 195}, {3000, 5, 234}, {6000, 5, 469}, {10000, 2, 1953}} {
		got := autovacuum.Budget{Limit: c.limit, DelayMS: c.delay}.UnitsPerSecond() / 20 / 128
		near(t, "MiB/s", got, c.mib, 0.5)
	}
	if got := (autovacuum.Budget{Limit: 200}).UnitsPerSecond(); got != 0 {
		t.Errorf("no delay: got %v, want 0 for unthrottled", got)
	}
}

func TestBudgets(t *testing.T) {
	server := with(200, 2, false)
	for _, c := range []struct {
		why     string
		major   int
		server  autovacuum.Parameters
		workers []autovacuum.Parameters
		want    []int
	}{
		{"16: three workers get a third each, rounded down", 16, server, []autovacuum.Parameters{server, server, server}, []int{66, 66, 66}},
		{"16: a table with its own cost parameters keeps them and does not count", 16, server, []autovacuum.Parameters{server, with(2000, 2, true), server}, []int{100, 2000, 100}},
		{"16: never below 1", 16, with(2, 2, false), []autovacuum.Parameters{with(2, 2, false), with(2, 2, false), with(2, 2, false)}, []int{1, 1, 1}},
		{"15: equal workers get equal shares", 15, server, []autovacuum.Parameters{server, server, server}, []int{66, 66, 66}},
		{"15: a server slowed from 2 to 20 ms cuts the limit of a running worker tenfold", 15, with(200, 20, false), []autovacuum.Parameters{server}, []int{20}},
		{"15: a server made faster gives no more than the worker started with", 15, with(2000, 2, false), []autovacuum.Parameters{server}, []int{200}},
		{"15: a server delay of 0 leaves the limits alone", 15, with(200, 0, false), []autovacuum.Parameters{server, server}, []int{200, 200}},
		{"15: own cost parameters count neither way", 15, server, []autovacuum.Parameters{with(900, 1, true), server}, []int{900, 200}},
	} {
		got := autovacuum.For(c.major).Budgets(c.server, c.workers)
		for i := range c.want {
			if got[i].Limit != c.want[i] || got[i].DelayMS != c.workers[i].CostDelayMS {
				t.Errorf("%s: worker %d got %+v, want limit %d", c.why, i, got[i], c.want[i])
			}
		}
	}
}

// TestBudgetsConserve: workers without own cost parameters never get more
// together than the server's limit, unless each is at the floor of 1.
func TestBudgetsConserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 10000).Draw(t, "limit")
		n := rapid.IntRange(1, 20).Draw(t, "workers")
		major := rapid.IntRange(14, 18).Draw(t, "major")
		p := with(limit, rapid.Float64Range(0.1, 100).Draw(t, "delay"), false)
		workers := make([]autovacuum.Parameters, n)
		for i := range workers {
			workers[i] = p
		}
		sum := 0
		for _, b := range autovacuum.For(major).Budgets(p, workers) {
			if b.Limit < 1 {
				t.Fatalf("limit %d, want at least 1", b.Limit)
			}
			sum += b.Limit
		}
		if sum > max(limit, n) {
			t.Fatalf("%d workers got %d of %d", n, sum, limit)
		}
	})
}

// TestSleepModel: at the defaults the model adds 13 to 17 % to the nominal
// time, and much more at small delays, as measured.
func TestSleepModel(t *testing.T) {
	units := 2_000_000.0
	nominal := units * 2 / 200 / 1000
	got := autovacuum.Budget{Limit: 200, DelayMS: 2}.Seconds(units, 1.6)
	if short := 1 - nominal/got; short < 0.12 || short > 0.18 {
		t.Errorf("nominal is %.1f %% short, want 13 to 17 %%", 100*short)
	}
	small := autovacuum.Budget{Limit: 200, DelayMS: 0.1}.Seconds(units, 1.6)
	if short := 1 - units*0.1/200/1000/small; short < 0.55 || short > 0.8 {
		t.Errorf("nominal at 0.1 ms is %.1f %% short, want up to 75 %%", 100*short)
	}
	if got := (autovacuum.Budget{Limit: 200}).Seconds(units, 1.6); got != 1.6 {
		t.Errorf("no delay: got %v, want the unthrottled 1.6", got)
	}
}
