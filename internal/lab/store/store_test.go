package store_test

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/lab/store"
)

var at = time.Date(2026, 12, 1, 10, 0, 0, 123456789, time.UTC)

func experiment() *pgassay.Experiment {
	return &pgassay.Experiment{
		Name: "e", Question: "does it?", Baseline: 0,
		Arms: []pgassay.Arm{
			{Name: "default"},
			{Name: "a|b 'x'", Settings: []pgassay.Setting{{Name: "work_mem", Value: "4MB"}},
				Tables: []pgassay.StorageSetting{{Table: "t", Name: "fillfactor", Value: "70"}}, Variables: []pgassay.Variable{{Name: "batch", Value: "10"}}},
		},
		Loads:  []pgassay.Load{{Name: "4 clients", Clients: 4}},
		Design: pgassay.Design{Kind: "factorial", Seed: math.MaxUint64},
	}
}

func header() store.Header {
	return store.Header{ID: "e-1", Started: at, Tool: "pgassay test", Command: "pgassay run e", Target: "created", Experiment: experiment(),
		Files: map[string][]byte{"experiment.yaml": []byte("name: e\n"), "empty": {}}}
}

// record is a trial with something in every place.
func record(number, arm int, version string) *pgassay.TrialRecord {
	return &pgassay.TrialRecord{
		Order:   pgassay.TrialOrder{Number: number, Block: 1, Position: number - 1, Arm: arm, Attempt: 1, Seed: math.MaxUint64 - 1},
		Outcome: pgassay.OutcomeValid, Started: at, MeasureStarted: at.Add(time.Second), Ended: at.Add(9 * time.Second),
		Phases: pgassay.Phases{RestoreS: 0.5, Reflink: true}, MeasuredNS: 8e9, Template: "abc",
		Scripts: []pgassay.ScriptResult{
			{Script: "insert", Transactions: 10, Rows: 100, Failed: 2, Errors: map[string]int64{"40P01": 2}, FirstError: "deadlock"},
			{Script: "update", Transactions: 5},
		},
		Histograms: []pgassay.Histogram{{Script: "", Kind: "response", Encoded: []byte{0, 1, 255}}, {Script: "insert", Kind: "response", Encoded: []byte{7}}},
		Series: []pgassay.Series{
			{Name: pgassay.SeriesDeadRows, Object: "public.t", At: []int64{-5, 0, 7}, Value: []float64{1, 2, 3.5}},
			{Name: pgassay.SeriesTPS, At: []int64{1e9}, Value: []float64{1000}},
		},
		Events: []pgassay.Event{{At: 3, Duration: 2, Kind: pgassay.EventAutovacuum, Object: "public.t", Text: "x", Numbers: map[string]float64{"index_scans": 1}},
			{At: 4, Kind: pgassay.EventCheckpointStart, Text: "wal"}},
		Start:  pgassay.Snapshot{Relations: []pgassay.Relation{{Schema: "public", Name: "t"}}, Counters: map[string]float64{"backends": 1}},
		Before: pgassay.Snapshot{At: 10, Relations: []pgassay.Relation{{Schema: "public", Name: "t", Tuples: 20000, Options: map[string]string{"fillfactor": "70"}}}, Counters: map[string]float64{"wal_bytes": 5}},
		After:  pgassay.Snapshot{At: 8e9, Counters: map[string]float64{"wal_bytes": 50}},
		Settings: []pgassay.SettingState{
			{Name: "server_version_num", Setting: version, Context: "internal"},
			{Name: "work_mem", Setting: []string{"4096", "8192"}[arm], Unit: "kB", Context: "user", EnumValues: nil},
		},
		Storage: []pgassay.StorageSetting{{Table: "public.t", Name: "fillfactor", Value: "70"}},
		Use:     pgassay.ResourceUse{ClientCPUS: 1.5, AutovacuumCPUS: -1},
		Host:    pgassay.HostState{CPUs: 2, BootID: "b"},
		Missing: []string{"pg_stat_io: not there before 16"},
		Checks:  []pgassay.CheckResult{{ID: "V1", Status: pgassay.CheckPassed, Trial: number}},
	}
}

func create(t *testing.T) (*store.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.db")
	s, err := store.Create(t.Context(), path, header())
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

func commit(t *testing.T, s *store.Store, r *pgassay.TrialRecord) {
	t.Helper()
	if err := s.Begin(t.Context(), r.Order, at); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRoundTrip: what was stored comes back equal, field by field.
func TestRoundTrip(t *testing.T) {
	s, path := create(t)
	ctx := t.Context()
	want := []*pgassay.TrialRecord{record(1, 0, "150018"), record(2, 1, "150018"), record(3, 1, "180004")}
	want[2].Settings = append(want[2].Settings, pgassay.SettingState{Name: "zz", Setting: "only in 18"})
	for _, r := range want {
		commit(t, s, r)
	}
	// The same version again, one setting gone: the difference is kept.
	gone := record(4, 1, "180004")
	want = append(want, gone)
	commit(t, s, gone)
	must(t, s.Decide(ctx, "repeat", "trial 2 is repeated", at))
	must(t, s.AddEnvironment(ctx, pgassay.Fingerprint{Kernel: "6.1", CPUs: 2}, at))
	must(t, s.Finish(ctx, at.Add(time.Hour), "4 blocks done", true))
	must(t, s.Close())
	if left, _ := filepath.Glob(path + "-*"); len(left) > 0 {
		t.Errorf("after Close there are %v beside the run file", left)
	}

	s, err := store.OpenReadOnly(ctx, path)
	must(t, err)
	defer s.Close()
	run, err := s.Read(ctx)
	must(t, err)
	if d := cmp.Diff(want, run.Trials); d != "" {
		t.Errorf("trials differ (-stored +read):\n%s", d)
	}
	if d := cmp.Diff(header(), run.Header); d != "" {
		t.Errorf("header differs (-stored +read):\n%s", d)
	}
	if !run.Complete || run.Stop != "4 blocks done" || !run.Ended.Equal(at.Add(time.Hour)) {
		t.Errorf("got complete %v, stop %q, ended %v", run.Complete, run.Stop, run.Ended)
	}
	if len(run.Decisions) != 1 || run.Decisions[0].Text != "trial 2 is repeated" || run.Fingerprints[0].Kernel != "6.1" {
		t.Errorf("got decisions %v, fingerprints %v", run.Decisions, run.Fingerprints)
	}
}

// TestRecover: a trial that began and never ended is marked and left out of
// the effects, and its number is not used again.
func TestRecover(t *testing.T) {
	s, path := create(t)
	ctx := t.Context()
	commit(t, s, record(1, 0, "150018"))
	must(t, s.Begin(ctx, pgassay.TrialOrder{Number: 2, Block: 1, Arm: 1, Attempt: 1}, at))
	// pgassay is killed here: no Close. A second process opens the file.
	again, err := store.Open(ctx, path)
	must(t, err)
	defer again.Close()
	n, err := again.Recover(ctx, at)
	must(t, err)
	if n != 1 {
		t.Errorf("Recover found %d trials, want 1", n)
	}
	run, err := again.Read(ctx)
	must(t, err)
	if len(run.Trials) != 2 || run.Trials[1].Outcome != pgassay.OutcomeInterrupted || run.Trials[0].Outcome != pgassay.OutcomeValid {
		t.Fatalf("got %d trials: %+v", len(run.Trials), run.Trials)
	}
	if n, err := again.Recover(ctx, at); n != 0 || err != nil {
		t.Errorf("second Recover: got %d, %v, want 0", n, err)
	}
	must(t, s.Close())
}

// TestCommitIsWhole: a commit that fails leaves nothing of the trial behind.
func TestCommitIsWhole(t *testing.T) {
	s, _ := create(t)
	ctx := t.Context()
	r := record(1, 0, "150018")
	must(t, s.Begin(ctx, r.Order, at))
	bad := *r
	bad.Scripts = append(bad.Scripts, pgassay.ScriptResult{Script: "x"})
	bad.Histograms = append(bad.Histograms, bad.Histograms[0]) // breaks a primary key late in the transaction
	if err := s.Commit(ctx, &bad); err == nil {
		t.Fatal("a record with the same histogram twice was accepted")
	}
	must(t, s.Commit(ctx, r))
	run, err := s.Read(ctx)
	must(t, err)
	if d := cmp.Diff([]*pgassay.TrialRecord{r}, run.Trials); d != "" {
		t.Errorf("after a failed commit (-want +got):\n%s", d)
	}
	must(t, s.Close())
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	must(t, os.WriteFile(text, []byte("this is not a database, and long enough to be looked at as one: .........."), 0o600))
	if _, err := store.Open(ctx, text); !errors.Is(err, store.ErrNotRun) {
		t.Errorf("a text file: got %v, want ErrNotRun", err)
	}
	if _, err := store.OpenReadOnly(ctx, filepath.Join(dir, "none.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: got %v, want not exist", err)
	}
	other := filepath.Join(dir, "other.db")
	raw(t, other, "CREATE TABLE x (y)")
	if _, err := store.OpenReadOnly(ctx, other); !errors.Is(err, store.ErrNotRun) {
		t.Errorf("another program's database: got %v, want ErrNotRun", err)
	}
	s, path := create(t)
	must(t, s.Close())
	raw(t, path, "PRAGMA user_version = 99")
	_, err := store.Open(ctx, path)
	if !errors.Is(err, store.ErrNewer) || pgassay.Hint(err) == "" {
		t.Errorf("a newer file: got %v (hint %q), want ErrNewer with a hint", err, pgassay.Hint(err))
	}
	if _, err := store.Create(ctx, path, header()); !errors.Is(err, os.ErrExist) {
		t.Errorf("an existing file: got %v, want exist", err)
	}
}

// TestDerive: derived tables are replaced as a whole, and what has no number
// is NULL.
func TestDerive(t *testing.T) {
	s, path := create(t)
	d := store.Derived{
		Checks:      []pgassay.CheckResult{{ID: "V1", Status: pgassay.CheckPassed}},
		Comparisons: []pgassay.Comparison{{Metric: "tps", Effect: pgassay.Interval{Estimate: 0.1, Low: math.Inf(-1), High: math.Inf(1)}, Verdict: pgassay.Inconclusive}},
		Estimates:   []store.Estimate{{Metric: "tps", Mean: pgassay.Interval{Estimate: 100, Low: 90, High: 110}, Trials: 4}},
	}
	must(t, s.Derive(t.Context(), d))
	must(t, s.Derive(t.Context(), d))
	must(t, s.Close())
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	var checks int
	var low sql.NullFloat64
	must(t, db.QueryRow("SELECT (SELECT count(*) FROM derived_check), low FROM derived_comparison").Scan(&checks, &low))
	if checks != 1 || low.Valid {
		t.Errorf("got %d checks and low %v, want 1 and NULL", checks, low)
	}
}

// TestCellView: people can ask the file in SQL.
func TestCellView(t *testing.T) {
	s, path := create(t)
	commit(t, s, record(1, 1, "150018"))
	must(t, s.Close())
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	var arm string
	var tps float64
	must(t, db.QueryRow("SELECT arm, tps FROM cell").Scan(&arm, &tps))
	if arm != "a|b 'x'" || tps != 15.0/8 {
		t.Errorf("got arm %q, %v transactions/s, want a|b 'x', 1.875", arm, tps)
	}
}

func raw(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	_, err = db.Exec(statement + "; PRAGMA journal_mode=DELETE")
	must(t, err)
}
