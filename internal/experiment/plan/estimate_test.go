package plan_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
	"github.com/pgassay/pgassay/internal/experiment/plan"
)

// published is the grid of scale factor and cost delay: 80 % of transactions
// update one row, 10 % delete one, 10 % insert five.
func published() *pgassay.Experiment {
	e := &pgassay.Experiment{
		Dataset: pgassay.Dataset{Builtin: "events", Rows: 300_000},
		Workload: pgassay.Workload{
			Warmup: 10 * time.Second, Measure: pgassay.Measure{Duration: 60 * time.Second},
			Scripts: []pgassay.Script{
				{Name: "insert-batch", Weight: 1, Shape: []pgassay.TableShape{{Table: "events", Inserts: 5}}},
				{Name: "update-random", Weight: 8, Shape: []pgassay.TableShape{{Table: "events", Updates: 1}}},
				{Name: "delete-random", Weight: 1, Shape: []pgassay.TableShape{{Table: "events", Deletes: 1}}},
			},
		},
		Loads:  []pgassay.Load{{Name: "50 clients", Clients: 50}, {Name: "100 clients", Clients: 100}},
		Design: pgassay.Design{Stop: pgassay.Stop{FixedBlocks: 4}, Alpha: 0.05, Reset: pgassay.ResetRestore},
	}
	for _, scale := range []string{"0.02", "0.2"} {
		for _, delay := range []string{"1ms", "20ms"} {
			own := []pgassay.Setting{{Name: "autovacuum_vacuum_scale_factor", Value: scale}, {Name: "autovacuum_vacuum_cost_delay", Value: delay}}
			e.Arms = append(e.Arms, pgassay.Arm{Name: scale + ", " + delay, Treatment: own, Dataset: pgassay.Dataset{Builtin: "events"},
				Settings: append([]pgassay.Setting{{Name: "autovacuum_naptime", Value: "1s"}, {Name: "shared_buffers", Value: "1GB"}}, own...)})
		}
	}
	return e
}

func TestEstimateSize(t *testing.T) {
	e := published()
	got := plan.Estimate(e, plan.Facts{RestoreS: 2, StartS: 1, StopS: 1, TPS: []float64{6000, 6000}})
	if got.Arms != 4 || got.Loads != 2 || got.Blocks != 4 || got.Trials != 32 || got.Restarts != 32 || got.Templates != 1 {
		t.Errorf("got %+v", got)
	}
	if got.PerTrial != 74*time.Second {
		t.Errorf("per trial: %v, want restore 2 + start 1 + warm-up 10 + measure 60 + stop 1", got.PerTrial)
	}
	if want := got.Load + 32*74*time.Second; got.Wall != want {
		t.Errorf("wall %v, want %v", got.Wall, want)
	}
	// 300,000 rows × 375 B + 40 MiB, twice, half a row a transaction (five in
	// each tenth) for 70 s, and 1 GiB of WAL.
	if want := int64(2*(300_000*375+40<<20) + 6000*70*375/2 + 1<<30); got.DiskBytes != want {
		t.Errorf("disk %d, want %d", got.DiskBytes, want)
	}
	e.Arms[3].Tables = []pgassay.StorageSetting{{Table: "events", Name: "fillfactor", Value: "70"}}
	e.Arms[2].Tables = []pgassay.StorageSetting{{Table: "events", Name: "autovacuum_vacuum_threshold", Value: "70"}}
	if got := plan.Estimate(e, plan.Facts{}); got.Templates != 2 {
		t.Errorf("%d templates, want 2: a fillfactor changes stored bytes, a threshold does not", got.Templates)
	}
	e.Design.Budget = time.Minute
	e.Dataset.Rows = -1
	want := []string{
		"the dataset's size is not known: neither the disk space nor the time to load it is in the estimate",
		"the run takes about 38m17s and the budget is 1m0s: it will end before all 4 blocks are done",
		"the run needs about 1.2 GB of disk space and 1.0 GB are free",
		"the number of rows is not known, so whether autovacuum will have work cannot be computed",
	}
	if diff := cmp.Diff(want, plan.Estimate(e, plan.Facts{FreeDiskBytes: 1e9}).Notes); diff != "" {
		t.Error(diff)
	}
}

// TestDetectable holds the effects against the method: at 4 blocks the
// half-width is 1.59 × s_d, 17 % for 10.5 % and 4 % for 2.5 % (as log ratios).
func TestDetectable(t *testing.T) {
	d := plan.Estimate(published(), plan.Facts{}).Detectable
	for i, want := range []struct{ sd, half float64 }{{0.025, 0.0398}, {0.06, 0.0955}, {0.105, 0.167}} {
		if d[i].SD != want.sd || math.Abs(math.Log1p(d[i].HalfWidth)-want.half) > 0.001 {
			t.Errorf("got %+v, want a half-width of %v", d[i], want.half)
		}
		if d[i].Effect <= d[i].HalfWidth {
			t.Errorf("%+v: what is seen with 90 %% power is more than the half-width", d[i])
		}
	}
	one := published()
	one.Design.Stop.FixedBlocks = 1
	if d := plan.Estimate(one, plan.Facts{}).Detectable[0]; !math.IsInf(d.HalfWidth, 1) || !math.IsInf(d.Effect, 1) {
		t.Errorf("one block can see nothing: %+v", d)
	}
}

// TestVacuumCells: the arms of the published grid at several rates and lengths.
func TestVacuumCells(t *testing.T) {
	for _, c := range []struct {
		why      string
		change   func(*pgassay.Experiment)
		tps      float64
		arm      int
		verdict  plan.CellVerdict
		sentence string
	}{
		{"the small factor without much delay runs all the time", nil, 6000, 0, plan.CellOK, ""},
		{"the large factor with 20 ms: pages are dirty already when the table is cached", nil, 8000, 3, plan.CellOK, ""},
		{"too few end when it is not", func(e *pgassay.Experiment) { e.Arms[3].Settings[1].Value = "16MB" }, 6000, 3, plan.CellCensored,
			`"0.2, 20ms" at 50 clients: 1 of 3 needed vacuums end within 1m0s; the longest takes about 54.1s; 80,000 rows or a measure of 5m37s would do`},
		{"a slow disk makes too few dead rows", nil, 1000, 2, plan.CellRefuse,
			`"0.2, 1ms" at 50 clients: a trial makes 54,000 rows of its trigger (dead rows) and needs 180,153; 85,000 rows or a measure of 3m37s would do`},
		{"without a rate the needed one is named", nil, 0, 2, plan.CellUnknown,
			`"0.2, 1ms" at 50 clients: needs at least 3,337 transactions/s (180,153 dead rows a trial)`},
		{"fixed work needs no rate to be refused", func(e *pgassay.Experiment) { e.Workload.Measure = pgassay.Measure{Transactions: 100_000} }, 0, 2, plan.CellRefuse,
			`"0.2, 1ms" at 50 clients: a trial makes 90,000 rows of its trigger (dead rows) and needs 180,153; 140,000 rows would do`},
		{"insert only: the scale factor is inert, the delay is not", func(e *pgassay.Experiment) { e.Workload.Scripts = e.Workload.Scripts[:1] }, 6000, 2, plan.CellOK, ""},
		{"insert only and nothing else treated: refused", func(e *pgassay.Experiment) {
			e.Workload.Scripts = e.Workload.Scripts[:1]
			for i := range e.Arms {
				e.Arms[i].Treatment = e.Arms[i].Treatment[:1]
			}
		}, 6000, 2, plan.CellRefuse, `"0.2, 1ms" at 50 clients: an insert-only load makes no dead rows, so the settings of the dead row trigger cannot matter`},
		{"twice as many inserts as dead rows: the insert trigger is always first, however long one measures", func(e *pgassay.Experiment) { e.Workload.Scripts[0].Shape[0].Inserts = 20 }, 6000, 2, plan.CellRefuse,
			`"0.2, 1ms" at 50 clients: 0 of 3 needed vacuums end within 1m0s; the longest takes about 2.8s; another trigger than that of dead rows starts 4 others first; no number of rows and no measure up to a week would do`},
		{"an arm without autovacuum is meant to have none", func(e *pgassay.Experiment) {
			e.Arms[2].Settings = append(e.Arms[2].Settings, pgassay.Setting{Name: "autovacuum", Value: "off"})
		}, 6000, 2, plan.CellOK, ""},
	} {
		e := published()
		if c.change != nil {
			c.change(e)
		}
		est := plan.Estimate(e, plan.Facts{TPS: []float64{c.tps, c.tps}})
		got := est.Cells[2*c.arm]
		if got.Verdict != c.verdict || got.Sentence != c.sentence {
			t.Errorf("%s:\n got %s: %s\nwant %s: %s", c.why, got.Verdict, got.Sentence, c.verdict, c.sentence)
		}
		if refused := len(est.Refusals()) > 0; got.Verdict == plan.CellRefuse && !refused {
			t.Errorf("%s: no refusal is reported", c.why)
		}
	}
}

// TestInsertOnlyTrigger: with the cost delay treated too, an insert-only load
// is planned for through the insert trigger.
func TestInsertOnlyTrigger(t *testing.T) {
	e := published()
	e.Workload.Scripts = e.Workload.Scripts[:1]
	got := plan.Estimate(e, plan.Facts{TPS: []float64{6000, 6000}}).Cells[0]
	if got.Trigger != check.TriggerInsert || got.Threshold != 61_000 || got.Needed != 183_003 {
		t.Errorf("got %+v, want the insert trigger of 61,000 rows", got)
	}
}

func TestNoCells(t *testing.T) {
	e := published()
	e.Workload.Scripts[1].Shape = nil
	got := plan.Estimate(e, plan.Facts{})
	if got.Cells != nil || len(got.Notes) != 1 || got.Notes[0] != "what the scripts do to the tables is not known, so whether autovacuum will have work cannot be computed" {
		t.Errorf("unknown scripts: %+v", got)
	}
	for i := range e.Arms {
		e.Arms[i].Treatment = []pgassay.Setting{{Name: "work_mem", Value: "4MB"}}
	}
	if got := plan.Estimate(e, plan.Facts{}); got.Cells != nil || got.Notes != nil {
		t.Errorf("no vacuum setting is treated: %+v", got)
	}
}

// TestNearestIsFeasible: the numbers that a cell names pass when they are used.
func TestNearestIsFeasible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := published()
		e.Dataset.Rows = rapid.Int64Range(1000, 5_000_000).Draw(t, "rows")
		e.Workload.Measure.Duration = time.Duration(rapid.IntRange(2, 300).Draw(t, "seconds")) * time.Second
		tps := rapid.Float64Range(10, 20_000).Draw(t, "tps")
		facts := plan.Facts{TPS: []float64{tps, tps}}
		for i, c := range plan.Estimate(e, facts).Cells {
			if c.NearestMeasure > 0 {
				longer := *e
				longer.Workload.Measure.Duration = c.NearestMeasure
				if got := plan.Estimate(&longer, facts).Cells[i]; got.Verdict != plan.CellOK {
					t.Fatalf("%s: %v is not feasible: %+v", c.Sentence, c.NearestMeasure, got)
				}
			}
			if c.NearestRows > 0 {
				smaller := *e
				smaller.Dataset.Rows = c.NearestRows
				if got := plan.Estimate(&smaller, facts).Cells[i]; got.Verdict != plan.CellOK {
					t.Fatalf("%s: %d rows are not feasible: %+v", c.Sentence, c.NearestRows, got)
				}
			}
		}
	})
}
