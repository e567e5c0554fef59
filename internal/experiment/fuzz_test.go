package experiment_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/experiments"
	"github.com/pgassay/pgassay/internal/experiment"
)

// FuzzDecode: decoding never panics, every problem has a place, and what
// decodes comes back as the same experiment from its resolved form.
func FuzzDecode(f *testing.F) {
	for _, pattern := range []string{"testdata/errors/*.yaml", "../../experiments/*.yaml"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("got %d files of %s, %v", len(names), pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text, "full", "dataset.rows=20_000")
		}
	}
	f.Add([]byte(minimal+"arms: {\"a: b\": {sql: [\"VACUUM\\n\\tFULL\", \" x \"]}, \"null\": {variables: {v: \"é\"}}}\n"), "", "workload.warmup=1s")
	f.Fuzz(func(t *testing.T, text []byte, profile, set string) {
		o := options()
		for _, o.Profile = range []string{"", profile} {
			check(t, text, o)
		}
		o.Profile, o.Sets = "", []string{set}
		check(t, text, o)
	})
}

func check(t *testing.T, text []byte, o experiment.Options) {
	t.Helper()
	f, err := experiment.Decode("fuzz.yaml", text, o)
	if err != nil {
		var p *experiment.Problems
		if !errors.As(err, &p) || len(p.List) == 0 {
			t.Fatalf("got %v, want problems", err)
		}
		for _, one := range p.List {
			if one.Line < 1 || one.Column < 1 || one.Message == "" {
				t.Fatalf("got %+v, want a place and a message", one)
			}
		}
		return
	}
	again, err := experiment.Decode("again.yaml", f.Resolved(), experiment.Options{Files: files, Builtin: experiments.FS})
	if err != nil {
		t.Fatalf("resolved:\n%s\n%v", f.Resolved(), err)
	}
	if diff := sameExperiment(f.Experiment, again.Experiment); diff != "" {
		t.Fatalf("resolved:\n%s\n(-original +resolved):\n%s", f.Resolved(), diff)
	}
	_ = f.CheckServer(knowledge("attached"))
}
