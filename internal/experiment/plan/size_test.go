package plan_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/experiment/plan"
)

// byCycles is the published grid measured by cycles.
func byCycles(cycles int, limit time.Duration) *pgassay.Experiment {
	e := published()
	e.Workload.Warmup = 0
	e.Workload.Measure = pgassay.Measure{Cycles: cycles, Of: pgassay.CycleVacuum, Max: limit}
	return e
}

// updatesOnly leaves the arm 0.2 without delay, and updates that change no size.
func updatesOnly(e *pgassay.Experiment) *pgassay.Experiment {
	e.Workload.Scripts = e.Workload.Scripts[1:2]
	e.Arms = e.Arms[2:3]
	e.Arms[0].Settings[3].Value = "0"
	return e
}

func rates(tps float64) plan.Facts { return plan.Facts{TPS: []float64{tps, tps}} }

// TestSize: 6,000 dead rows a second cross the trigger of 60,050 every 10.01 s;
// 1 s passes until the launcher has looked, half of 1 s for an ANALYZE from the
// second time on, and 0.71 s of vacuum: 3 × 11.72 + 2 × 0.5 s. At two thirds of the
// rate it is 15 s more: 51.2 s, so 60 s. Without a delay nothing is paid for
// pages that a checkpoint has written.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		why      string
		cycles   int
		limit    time.Duration
		measure  time.Duration
		shortest time.Duration // to a second
		capped   bool
	}{
		{"three cycles", 3, 20 * time.Minute, 60 * time.Second, 36 * time.Second, false},
		{"six cycles take twice as long", 6, 20 * time.Minute, 110 * time.Second, 72 * time.Second, false},
		{"the reserve gives way to the limit", 3, 45 * time.Second, 45 * time.Second, 36 * time.Second, false},
		{"the cycles do not", 3, 30 * time.Second, 30 * time.Second, 36 * time.Second, true},
	} {
		got, err := plan.Size(updatesOnly(byCycles(c.cycles, c.limit)), rates(6000))
		if err != nil {
			t.Fatal(err)
		}
		if got.Measure != c.measure || got.Shortest.Truncate(time.Second) != c.shortest || got.Capped != c.capped {
			t.Errorf("%s: got %v (%v, capped %v), want %v (%v, %v)", c.why, got.Measure, got.Shortest, got.Capped, c.measure, c.shortest, c.capped)
		}
		if got.Estimation.MeasureUnknown || (len(got.Estimation.Refusals()) > 0) != c.capped {
			t.Errorf("%s: got %+v", c.why, got.Estimation)
		}
		if c.capped {
			cell := got.Estimation.Cells[0]
			if want := `a trial makes 180,000 rows of its trigger (dead rows) and needs 180,153; 2`; cell.Verdict != plan.CellRefuse || !strings.Contains(cell.Sentence, want) || cell.NearestMeasure != 37*time.Second {
				t.Errorf("%s: got %+v", c.why, cell)
			}
		}
	}
}

// TestSizeSlowest: the arm with the largest threshold and the longest delay
// decides, and the level with the lowest rate.
func TestSizeSlowest(t *testing.T) {
	e := byCycles(3, time.Hour)
	got, err := plan.Size(e, plan.Facts{TPS: []float64{8000, 2000}})
	if err != nil || e.Arms[got.Arm].Name != "0.2, 20ms" || got.Load != 1 {
		t.Errorf("got arm %d, load %d, %v, want 0.2, 20ms at the second level", got.Arm, got.Load, err)
	}
}

// TestSizeOwnRows: an arm with a dataset of its own is sized by that one's rows.
func TestSizeOwnRows(t *testing.T) {
	e := updatesOnly(byCycles(3, time.Hour))
	e.Arms = append(e.Arms, e.Arms[0])
	e.Arms[1].Dataset.Rows = 600_000
	if got, err := plan.Size(e, rates(6000)); err != nil || got.Arm != 1 || got.Measure <= 60*time.Second {
		t.Errorf("got %v by arm %d, %v, want more than 60 s by the arm with twice the rows", got.Measure, got.Arm, err)
	}
}

// TestSizeImpossible: what no length can do is said.
func TestSizeImpossible(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(*pgassay.Experiment)
		facts  plan.Facts
		want   string
	}{
		{"no rate", func(*pgassay.Experiment) {}, plan.Facts{TPS: []float64{6000}}, "the rate at 100 clients is not known"},
		{"unknown scripts", func(e *pgassay.Experiment) { e.Workload.Scripts[0].Shape = nil }, rates(6000), "what the scripts do"},
		{"no vacuum is wanted", func(e *pgassay.Experiment) {
			for i := range e.Arms {
				e.Arms[i].Settings = append(e.Arms[i].Settings, pgassay.Setting{Name: "autovacuum", Value: "off"})
			}
		}, rates(6000), "no arm makes a vacuum"},
	} {
		e := byCycles(3, time.Hour)
		c.change(e)
		if _, err := plan.Size(e, c.facts); !errors.Is(err, pgassay.ErrUsage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
	}
	e := byCycles(3, time.Hour)
	e.Workload.Scripts = e.Workload.Scripts[:1]
	for i := range e.Arms {
		e.Arms[i].Treatment = e.Arms[i].Treatment[:1]
	}
	if got, err := plan.Size(e, rates(6000)); err != nil || len(got.Estimation.Refusals()) == 0 {
		t.Errorf("insert only: got %+v, %v, want refusals", got, err)
	}
}

// TestSizeAnyVacuum: where nothing treated acts through vacuum, whatever
// vacuums there are count.
func TestSizeAnyVacuum(t *testing.T) {
	e := updatesOnly(byCycles(3, time.Hour))
	e.Arms[0].Treatment = []pgassay.Setting{{Name: "work_mem", Value: "4MB"}}
	if got, err := plan.Size(e, rates(6000)); err != nil || got.Measure != 60*time.Second {
		t.Errorf("got %v, %v, want 60 s", got.Measure, err)
	}
}

// TestSizeUnsized: before the length is chosen the estimate says so, refuses
// nothing and has no cell to warn of.
func TestSizeUnsized(t *testing.T) {
	got := plan.Estimate(byCycles(3, time.Hour), plan.Facts{})
	if !got.MeasureUnknown || len(got.Refusals()) > 0 {
		t.Errorf("got %+v", got)
	}
	for _, c := range got.Cells {
		if c.Verdict != plan.CellUnknown || c.Sentence != "" {
			t.Errorf("got %+v, want unknown without a sentence", c)
		}
	}
}

// TestSizeProperties: the chosen length does for every cell; a second less than
// the shortest does not; more cycles, larger thresholds and lower rates never
// take less.
func TestSizeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cycles, tps := rapid.IntRange(3, 20).Draw(t, "cycles"), rapid.Float64Range(100, 20_000).Draw(t, "tps")
		rows := rapid.Int64Range(100_000, 5_000_000).Draw(t, "rows")
		scale := rapid.SampledFrom([]string{"0.1", "0.15", "0.2", "0.3"}).Draw(t, "scale")
		must := func(cycles int, scale string, tps float64, change func(*pgassay.Experiment) *pgassay.Experiment) plan.Sizing {
			e := change(byCycles(cycles, 7*24*time.Hour))
			e.Dataset.Rows = rows
			for i := range e.Arms {
				e.Arms[i].Settings[2].Value = scale
			}
			got, err := plan.Size(e, rates(tps))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		grid := func(e *pgassay.Experiment) *pgassay.Experiment { return e }
		got := must(cycles, scale, tps, grid)
		for _, c := range got.Estimation.Cells {
			if !got.Capped && c.Verdict != plan.CellOK {
				t.Fatalf("%v chosen: %+v", got.Measure, c)
			}
		}
		if got.Shortest > 0 {
			e := byCycles(cycles, time.Hour)
			e.Dataset.Rows = rows
			for i := range e.Arms {
				e.Arms[i].Settings[2].Value = scale
			}
			e.Workload.Measure.Duration = got.Shortest - time.Second
			cell := plan.Estimate(e, rates(tps)).Cells[got.Arm*len(e.Loads)+got.Load]
			if cell.Verdict == plan.CellOK {
				t.Fatalf("%v does too: %+v", e.Workload.Measure.Duration, cell)
			}
			if more := must(cycles+1, scale, tps, grid); !more.Capped && more.Shortest < got.Shortest {
				t.Fatalf("one cycle more: %v, before %v", more.Shortest, got.Shortest)
			}
			if more := must(cycles, "0.4", tps, grid); !more.Capped && more.Shortest < got.Shortest {
				t.Fatalf("a larger threshold: %v, before %v", more.Shortest, got.Shortest)
			}
		}
		slow, fast := must(cycles, scale, tps, updatesOnly), must(cycles, scale, 2*tps, updatesOnly)
		if !slow.Capped && fast.Shortest > slow.Shortest {
			t.Fatalf("twice the rate: %v, before %v", fast.Shortest, slow.Shortest)
		}
	})
}
