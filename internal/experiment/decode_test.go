package experiment_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/experiments"
	"github.com/pgassay/pgassay/internal/experiment"
)

var update = flag.Bool("update", false, "write golden files and experiments/schema.json")

// files are what test experiments may name.
var files = fstest.MapFS{
	"schema.sql":         {Data: []byte("CREATE TABLE t (id int);\n")},
	"scripts/update.sql": {Data: []byte("-- shape: t updates=1 initial=1\n\\set id random(1, 10)\nUPDATE t SET id = :id;\n")},
}

func options() experiment.Options {
	return experiment.Options{Files: files, Builtin: experiments.FS, MemoryBytes: 4 << 30}
}

func mustDecode(tb testing.TB, text string, o experiment.Options) *experiment.File {
	tb.Helper()
	f, err := experiment.Decode("test.yaml", []byte(text), o)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// sameExperiment compares all but what depends on where the text stood.
func sameExperiment(a, b *pgassay.Experiment) string {
	x, y := *a, *b
	x.Notes, y.Notes, x.Profile, y.Profile = nil, nil, "", ""
	i, errX := json.Marshal(x)
	j, errY := json.Marshal(y)
	if errX == nil && errY == nil && bytes.Equal(i, j) { // much faster than a difference
		return ""
	}
	return cmp.Diff(a, b, cmpopts.IgnoreFields(pgassay.Experiment{}, "Notes", "Profile"), cmpopts.EquateEmpty())
}

// golden compares got with a file, or writes it with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestErrors holds every testdata/errors/NAME.yaml against NAME.txt: the whole
// text a user would see. Lines "#profile", "#set" and "#server" at the top of
// the YAML give options.
func TestErrors(t *testing.T) {
	names, err := filepath.Glob("testdata/errors/*.yaml")
	if err != nil || len(names) < 40 {
		t.Fatalf("got %d files, %v, want at least 40", len(names), err)
	}
	for _, file := range names {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			o, server := options(), ""
			for _, line := range strings.Split(string(text), "\n") {
				key, value, _ := strings.Cut(line, " ")
				switch key {
				case "#profile":
					o.Profile = value
				case "#set":
					o.Sets = append(o.Sets, value)
				case "#server":
					server = value
				}
			}
			got, err := experiment.Decode(filepath.Base(file), text, o)
			if err == nil && server != "" {
				err = got.CheckServer(knowledge(server))
			}
			var out string
			switch {
			case err != nil:
				out = err.Error()
				if !errors.Is(err, pgassay.ErrUsage) {
					t.Error("the error does not wrap ErrUsage")
				}
			case len(got.Warnings) > 0:
				out = (&experiment.Problems{List: got.Warnings}).Error()
			default:
				t.Fatal("got no problem, want one")
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", out+"\n")
		})
	}
}

const minimal = `version: 1
name: minimal
dataset: {builtin: events, rows: 10_000}
workload:
  scripts: [{builtin: insert-batch}]
  clients: [8, 2]
`

func TestDefaults(t *testing.T) {
	f := mustDecode(t, minimal, options())
	e := f.Experiment
	if len(e.Arms) != 1 || e.Arms[0].Name != "baseline" || e.Baseline != 0 {
		t.Errorf("got arms %+v, baseline %d, want the one arm baseline", e.Arms, e.Baseline)
	}
	if len(e.Loads) != 2 || e.Loads[0].Clients != 2 || e.Loads[1].Name != "8 clients" {
		t.Errorf("got loads %+v, want 2 and 8 ascending", e.Loads)
	}
	want := pgassay.Design{Kind: "factorial", Stop: pgassay.Stop{FixedBlocks: 4}, Primary: pgassay.Primary{Metric: "tps", Load: 1},
		Detect: 0.05, Delta: 0.025, Alpha: 0.05, Seed: 1, Reset: pgassay.ResetRestore}
	if diff := cmp.Diff(want, e.Design); diff != "" {
		t.Errorf("design (-want +got):\n%s", diff)
	}
	if e.Dataset.Rows != 10_000 || strings.Contains(e.Dataset.Load, "${") {
		t.Errorf("got %d rows and load %q, want 10000 and no placeholder", e.Dataset.Rows, e.Dataset.Load)
	}
	s := e.Workload.Scripts[0]
	if diff := cmp.Diff([]pgassay.TableShape{{Table: "events", Inserts: 10}}, s.Shape); diff != "" {
		t.Errorf("shape (-want +got):\n%s", diff)
	}
	wantVariables := []pgassay.Variable{{Name: "batch", Value: "10"}, {Name: "rows", Value: "10000"}}
	if diff := cmp.Diff(wantVariables, s.Variables); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
}

// TestMerge: maps merge, lists and values replace, null deletes; --set comes
// after the profile, and Resolved gives the same experiment without either.
func TestMerge(t *testing.T) {
	text := minimal + `
server: {settings: {work_mem: 4MB, shared_buffers: 25%, jit: off}}
arms:
  a: {}
  b: {settings: {work_mem: 8MB}}
  c: {extends: b, tables: {events: {fillfactor: 70, toast.autovacuum_enabled: off}}}
profiles:
  p:
    server: {settings: {jit: null, effective_cache_size: "min(8GB, 50%)"}}
    workload: {clients: [4], measure: {transactions: 1_000}}
    arms: {b: {settings: {random_page_cost: 1.1}}}
`
	o := options()
	o.Profile, o.Sets = "p", []string{"dataset.rows=20_000", "workload.scripts.0.weight=3", "arms.a=null"}
	f := mustDecode(t, text, o)
	e := f.Experiment
	want := []pgassay.Setting{{Name: "work_mem", Value: "4MB"}, {Name: "shared_buffers", Value: "1024MB"}, {Name: "effective_cache_size", Value: "2048MB"}}
	if diff := cmp.Diff(want, e.Server.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if len(e.Notes) != 1 || !strings.HasPrefix(e.Notes[0], "test.yaml:") {
		t.Errorf("got notes %q, want one about effective_cache_size", e.Notes)
	}
	if len(e.Arms) != 2 || e.Arms[1].Name != "c" || len(e.Arms[1].Tables) != 2 || e.Arms[1].Tables[1].Table != "events.toast" {
		t.Errorf("got arms %+v, want b and c", e.Arms)
	}
	if got := e.Arms[1].Settings; len(got) != 4 || got[0].Value != "8MB" || got[3].Name != "random_page_cost" {
		t.Errorf("got settings %+v of arm c, want those of the server, of b and of the profile", got)
	}
	if e.Workload.Measure.Transactions != 1000 || e.Workload.Scripts[0].Weight != 3 || e.Dataset.Rows != 20_000 {
		t.Errorf("got measure %+v, weight %d, rows %d", e.Workload.Measure, e.Workload.Scripts[0].Weight, e.Dataset.Rows)
	}
	again, err := experiment.Decode("again.yaml", f.Resolved(), options())
	if err != nil {
		t.Fatalf("resolved:\n%s\n%v", f.Resolved(), err)
	}
	if diff := sameExperiment(e, again.Experiment); diff != "" {
		t.Errorf("resolved (-original +resolved):\n%s", diff)
	}
}

// TestCycles: a measurement by cycles has no length until one is chosen, and
// the resolved file keeps it with the reason.
func TestCycles(t *testing.T) {
	f := mustDecode(t, minimal+"  measure: {cycles: 4}\n", options())
	want := pgassay.Measure{Cycles: 4, Of: pgassay.CycleVacuum, Max: 20 * time.Minute}
	if diff := cmp.Diff(want, f.Experiment.Workload.Measure); diff != "" || !f.Experiment.Workload.Measure.ToChoose() {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
	f.Choose(190*time.Second, `measured 5,600 transactions/s: "0.2" needs them`)
	want.Duration, want.Because = 190*time.Second, `measured 5,600 transactions/s: "0.2" needs them`
	again := mustDecode(t, string(f.Resolved()), options())
	if diff := cmp.Diff(want, again.Experiment.Workload.Measure); diff != "" || again.Experiment.Workload.Measure.ToChoose() {
		t.Errorf("resolved (-want +got):\n%s\n%s", diff, f.Resolved())
	}
	if diff := sameExperiment(f.Experiment, again.Experiment); diff != "" {
		t.Errorf("resolved (-original +resolved):\n%s", diff)
	}
}

// TestFactors: every combination in the file's order, the last factor fastest,
// excluded ones left out, named arms after them.
func TestFactors(t *testing.T) {
	text := minimal + `
server: {settings: {work_mem: 4MB}}
factors:
  autovacuum_vacuum_scale_factor: [0.1, 0.2]
  events.fillfactor: [100, 70]
  $batch: [10, 100]
  dataset.rows: [10_000, 20_000]
arms:
  extra: {settings: {work_mem: 8MB}}
design:
  exclude: [{events.fillfactor: 70, $batch: any, dataset.rows: 20_000}]
  baseline: {autovacuum_vacuum_scale_factor: 0.20, dataset.rows: 20000}
`
	e := mustDecode(t, text, options()).Experiment
	if len(e.Arms) != 16-4+1 {
		t.Fatalf("got %d arms, want 13", len(e.Arms))
	}
	wantFactors := []pgassay.Factor{
		{Kind: pgassay.FactorSetting, Name: "autovacuum_vacuum_scale_factor", Levels: []string{"0.1", "0.2"}},
		{Kind: pgassay.FactorStorage, Name: "events.fillfactor", Levels: []string{"100", "70"}},
		{Kind: pgassay.FactorVariable, Name: "$batch", Levels: []string{"10", "100"}},
		{Kind: pgassay.FactorDataset, Name: "dataset.rows", Levels: []string{"10000", "20000"}},
	}
	if diff := cmp.Diff(wantFactors, e.Factors); diff != "" {
		t.Errorf("factors (-want +got):\n%s", diff)
	}
	names := []string{e.Arms[0].Name, e.Arms[1].Name, e.Arms[12].Name, e.Arms[e.Baseline].Name}
	want := []string{
		"autovacuum_vacuum_scale_factor=0.1, events.fillfactor=100, $batch=10, dataset.rows=10000",
		"autovacuum_vacuum_scale_factor=0.1, events.fillfactor=100, $batch=10, dataset.rows=20000",
		"extra",
		"autovacuum_vacuum_scale_factor=0.2, events.fillfactor=100, $batch=10, dataset.rows=20000",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	a := e.Arms[1]
	if a.Dataset.Rows != 20_000 || !cmp.Equal(a.Variables, []pgassay.Variable{{Name: "batch", Value: "10"}, {Name: "rows", Value: "20000"}}) {
		t.Errorf("got %d rows and variables %v", a.Dataset.Rows, a.Variables)
	}
	if !cmp.Equal(a.Treatment, []pgassay.Setting{{Name: "work_mem", Value: "4MB"}, {Name: "autovacuum_vacuum_scale_factor", Value: "0.1"}}) {
		t.Errorf("got treatment %v", a.Treatment)
	}
	if e.Workload.Scripts[0].Shape != nil {
		t.Error("the shape depends on a factor: want nil")
	}
}

func TestFiles(t *testing.T) {
	text := strings.Replace(strings.Replace(minimal, "{builtin: events, rows: 10_000}", "{init: schema.sql}", 1), "{builtin: insert-batch}", "{file: scripts/update.sql}, {sql: 'SELECT 1;'}", 1)
	f := mustDecode(t, text, options())
	if f.Experiment.Dataset.InitSQL != "CREATE TABLE t (id int);\n" || f.Experiment.Dataset.Rows != -1 {
		t.Errorf("got dataset %+v", f.Experiment.Dataset)
	}
	if len(f.Attached) != 2 || len(f.Experiment.Workload.Scripts) != 2 || f.Experiment.Workload.Scripts[0].Shape[0].Updates != 1 || !f.Experiment.Workload.Scripts[0].Shape[0].Initial {
		t.Errorf("got files %v, scripts %+v", f.Attached, f.Experiment.Workload.Scripts)
	}
}

func TestSchema(t *testing.T) {
	golden(t, "../../experiments/schema.json", string(experiment.Schema()))
}

// TestBuiltins: every experiment decodes with and without each of its
// profiles, and comes back equal from its resolved form; every script and
// dataset says what it is.
func TestBuiltins(t *testing.T) {
	profiles := map[string][]string{"autovacuum": {"quick", "full", "published"}}
	for _, entry := range experiments.List() {
		t.Run(entry.Kind+"-"+entry.Name, func(t *testing.T) {
			if entry.Description == "" || strings.HasSuffix(entry.Description, ".") || strings.Contains(entry.Description, ":") && entry.Kind != "dataset" && strings.HasPrefix(entry.Description, "version") {
				t.Errorf("got description %q", entry.Description)
			}
			text, err := experiments.FS.ReadFile(entry.Path)
			if err != nil {
				t.Fatal(err)
			}
			switch entry.Kind {
			case "experiment":
				for _, profile := range append([]string{""}, profiles[entry.Name]...) {
					o := options()
					o.Profile = profile
					f := mustDecode(t, string(text), o)
					again, err := experiment.Decode("again.yaml", f.Resolved(), options())
					if err != nil {
						t.Fatalf("profile %q resolved:\n%s\n%v", profile, f.Resolved(), err)
					}
					if diff := sameExperiment(f.Experiment, again.Experiment); diff != "" {
						t.Errorf("profile %q (-original +resolved):\n%s", profile, diff)
					}
				}
			case "dataset":
				one := strings.Replace(minimal, "builtin: events, rows: 10_000", "builtin: "+entry.Name, 1)
				one = strings.Replace(one, "builtin: insert-batch", "sql: SELECT 1", 1)
				d := mustDecode(t, one, options()).Experiment.Dataset
				if d.Rows <= 0 || strings.Contains(d.Schema+d.Load+d.Finish, "${") {
					t.Errorf("got %d rows, want some and no placeholder left", d.Rows)
				}
			case "script":
				dataset := map[bool]string{true: "pgbench", false: strings.Split(entry.Name, "-")[0]}[strings.HasPrefix(entry.Name, "pgbench")]
				if dataset != "pgbench" && dataset != "upsert" && dataset != "ladder" {
					dataset = "events"
				}
				one := strings.Replace(minimal, "builtin: events, rows: 10_000", "builtin: "+dataset, 1)
				one = strings.Replace(one, "insert-batch", entry.Name, 1)
				if s := mustDecode(t, one, options()).Experiment.Workload.Scripts[0]; len(s.Shape) == 0 {
					t.Error("got no shape")
				}
			}
		})
	}
}
