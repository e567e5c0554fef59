package analyze_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// long is a number with more digits than another processor's rounding keeps.
var long = regexp.MustCompile(`-?\d+\.\d{9,}(e[-+]\d+)?`)

var update = flag.Bool("update", false, "write the golden files anew")

// story is a small run with something of everything: a factor of two levels,
// three blocks, a trial that failed and was repeated, checks, settings, events.
func story(tb testing.TB) analyze.Input {
	tb.Helper()
	e := factorial(3, pgassay.Factor{Kind: pgassay.FactorSetting, Name: "autovacuum_vacuum_cost_delay", Levels: []string{"2ms", "20ms"}})
	recs := trials(e, 3, func(b, a, _ int) float64 { return 2000*(1-0.2*float64(a)) + float64(10*b+3*a*b) })
	for _, r := range recs {
		a, b := r.Order.Arm, int64(r.Order.Block)
		r.Histograms = latencies(tb, 1e6, 18_000, 4e6, 1_800, int64(20e6)*int64(1+a)+b*100_000, 200)
		r.Before = pgassay.Snapshot{
			Relations: []pgassay.Relation{{Schema: "public", Name: "t", HeapBytes: 8 << 20, IndexBytes: 4 << 20, Autovacuums: 1}},
			Counters:  map[string]float64{"wal_bytes": 1e6, "checkpoints_timed": 0, "checkpoints_requested": 1},
		}
		r.After = pgassay.Snapshot{
			Relations: []pgassay.Relation{{Schema: "public", Name: "t", Autovacuums: 5 - 3*int64(a), DeadRows: 100 + 900*int64(a) + b}},
			Counters:  map[string]float64{"wal_bytes": 2e6 + float64(r.TotalTransactions())*200, "checkpoints_timed": 0, "checkpoints_requested": 1},
		}
		r.Events = []pgassay.Event{
			{At: 2e9, Duration: 5e8, Kind: pgassay.EventAutovacuum, Object: "public.t", Numbers: map[string]float64{"elapsed_s": 0.5}},
			{At: 3e9, Kind: pgassay.EventAutovacuum, Object: "pg_catalog.pg_statistic", Numbers: map[string]float64{"elapsed_s": 9}},
			{At: 11e9, Kind: pgassay.EventAutovacuum, Object: "public.t", Numbers: map[string]float64{"elapsed_s": 9}},
		}
		r.Series = []pgassay.Series{{Name: pgassay.SeriesTPS, At: []int64{1e9}, Value: []float64{2000}}}
		r.Settings = []pgassay.SettingState{
			{Name: "autovacuum_vacuum_cost_delay", Setting: []string{"2", "20"}[a], Unit: "ms", BootValue: "2", Source: "configuration file"},
			{Name: "data_directory", Setting: "/tmp/" + r.Started.Format("1504"), Source: "override"},
			{Name: "shared_buffers", Setting: "16384", Unit: "8kB", BootValue: "16384", Source: "configuration file"},
			{Name: "synchronous_commit", Setting: "off", BootValue: "on", Source: "configuration file"},
		}
		r.Storage = []pgassay.StorageSetting{{Table: "public.t", Name: "fillfactor", Value: "90"}}
		r.Host = pgassay.HostState{CPUs: 2, MemoryBytes: 4 << 30}
		r.Checks = []pgassay.CheckResult{{ID: "V20", Title: "errors", Status: pgassay.CheckPassed, Severity: pgassay.SeverityTrial, Message: "no transaction failed", Load: -1}}
	}
	recs[3].Missing = []string{"I/O of processes: no permission"}
	broken := trial(7, 2, 1, 0, 0)
	broken.Outcome, broken.Reason, broken.Order.Attempt = pgassay.OutcomeFailed, "the server did not start", 1
	return analyze.Input{
		Experiment: e,
		Run: analyze.RunInfo{
			ID: "r1", Started: epoch, Ended: epoch.Add(time.Hour), Stop: "all blocks done", Complete: true, Tool: "1.0", Command: "pgassay run test", Target: "created",
		},
		Fingerprint: pgassay.Fingerprint{Tool: "1.0", CPUs: 2, Memory: 4 << 30, FileSystem: "ext4", Builds: []pgassay.Build{{Version: "16.4", VersionNum: 160004, Major: 16}}},
		Trials:      append(recs, broken),
		RunChecks: []pgassay.CheckResult{
			{ID: "V36", Title: "order", Status: pgassay.CheckPassed, Severity: pgassay.SeverityExperiment, Message: "the order is as planned", Load: -1},
			failed("V16", pgassay.SeverityWarning, "the client used 30 % of its CPUs"),
		},
	}
}

func render(tb testing.TB, in analyze.Input) []byte {
	tb.Helper()
	res, err := analyze.Analyze(in)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := json.MarshalIndent(res, "", " ")
	if err != nil {
		tb.Fatal(err)
	}
	return append(out, '\n')
}

func TestGolden(t *testing.T) {
	got := long.ReplaceAllFunc(render(t, story(t)), func(b []byte) []byte {
		v, err := strconv.ParseFloat(string(b), 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.AppendFloat(nil, v, 'g', 9, 64)
	})
	path := filepath.Join("testdata", "result.golden.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("result differs from %s (-want +got); run with -update when it should:\n%s", path, diff)
	}
}

// TestDeterminism: the same trials in any order give the same bytes, and the
// caller's slice keeps its order.
func TestDeterminism(t *testing.T) {
	in := story(t)
	want := render(t, in)
	rng := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		rng.Shuffle(len(in.Trials), func(i, j int) { in.Trials[i], in.Trials[j] = in.Trials[j], in.Trials[i] })
		before := slices.Clone(in.Trials)
		if got := render(t, in); !bytes.Equal(got, want) {
			t.Fatal("another order of the trials gave another result")
		}
		if !slices.Equal(before, in.Trials) {
			t.Fatal("the caller's trials were reordered")
		}
	}
}

// TestStory reads the parts of the result that the golden file is too long for.
func TestStory(t *testing.T) {
	in := story(t)
	res, err := analyze.Analyze(in)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range res.Settings {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "synchronous_commit" {
		t.Errorf("common settings: got %q want what is not the default", got)
	}
	if len(res.ArmSettings) != 2 || len(res.ArmSettings[1].Settings) != 1 || res.ArmSettings[1].Settings[0].Setting != "20" {
		t.Errorf("arm settings: got %+v", res.ArmSettings)
	}
	if len(res.Storage) != 1 || res.Storage[0].Value != "90" {
		t.Errorf("storage: got %+v", res.Storage)
	}
	if want := []string{"I/O of processes: no permission (in 1 of 6 trials)."}; !slices.Equal(res.Missing, want) {
		t.Errorf("missing: got %q want %q", res.Missing, want)
	}
	if len(res.Banners) != 1 || !strings.HasPrefix(res.Banners[0], "Durability (V42): synchronous_commit is off in all arms: ") {
		t.Errorf("banners: got %q", res.Banners)
	}
	if len(res.Timelines) != 2 || res.Timelines[0].Trial.Block != 2 || res.Timelines[0].Length != 10e9 {
		t.Errorf("timelines: got %+v want the middle block's trials", res.Timelines)
	}
	var bars int64
	for _, b := range res.Cells[0].Histogram {
		bars += b.Count
	}
	if bars != 60_000 {
		t.Errorf("histogram: got %d transactions want 60,000", bars)
	}
	if v := metric(t, res, 0, 0, pgassay.MetricVacuumTime); v.Mean.Estimate != 0.5 {
		t.Errorf("vacuum seconds: got %v want the user table's run within the measurement", v.Mean.Estimate)
	}
	if res.Checks[0].ID != "V16" || res.Checks[1].ID != "V20" || res.Checks[1].Passed != 6 {
		t.Errorf("checks: got %+v", res.Checks)
	}

	in.Trials[1].Settings = slices.Clone(in.Trials[1].Settings)
	in.Trials[1].Settings[0].Setting, in.Trials[1].Settings[3].Setting = "7", "on"
	in.Run.Complete, in.Run.Stop = false, "interrupted"
	if res, err = analyze.Analyze(in); err != nil {
		t.Fatal(err)
	}
	if want := []string{"autovacuum_vacuum_cost_delay", "synchronous_commit"}; !slices.Equal(res.Unsettled, want) {
		t.Errorf("unsettled: got %q want %q", res.Unsettled, want)
	}
	if got := res.Banners[len(res.Banners)-1]; got != "The run ended before its plan was done (interrupted): it has 6 valid trials of 6." {
		t.Errorf("an unfinished run: got %q", got)
	}
}

func TestNotTested(t *testing.T) {
	res, err := analyze.Analyze(story(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Loads other than 100 clients, and clients that do not wait for their answers: here each sent its next transaction when the last had ended, so that a slow server was also asked less.",
		"Values of autovacuum_vacuum_cost_delay other than 2ms and 20ms.",
		"PostgreSQL versions other than 16.4.",
		"Other hosts: this one has 2 CPUs and 4 GB of memory, on ext4; server and clients shared it.",
		"Data larger than memory: 12 MB of tables and indexes at the start fit into 4 GB.",
		"The cost of checkpoints: none came within a measurement.",
		"Whole autovacuum cycles in every trial: 1 to 4 runs ended within a measurement, fewer than 3 in some.",
		"Full durability: every arm ran with synchronous_commit = off.",
		"What builds up over hours or days (bloat, transaction ID age): each trial measured 10s and started from freshly loaded and vacuumed data.",
	}
	if diff := cmp.Diff(want, res.NotTested); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
