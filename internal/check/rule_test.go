package check_test

import (
	"slices"
	"testing"

	"github.com/pgassay/pgassay/internal/check"
)

// TestRules holds the table together and against the contexts of the manual.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range check.Rules() {
		if seen[r.Name] {
			t.Errorf("%s has two rules", r.Name)
		}
		seen[r.Name] = true
		if r.Precondition == "" || len(r.Counters) == 0 || r.Through == "" {
			t.Errorf("%s is incomplete: %+v", r.Name, r)
		}
		if (r.Through == check.ThroughVacuum) != (r.Trigger != "") {
			t.Errorf("%s acts through %s and has the trigger %q", r.Name, r.Through, r.Trigger)
		}
		if len(r.Contexts) == 0 && !r.Storage {
			t.Errorf("%s is neither a setting nor a storage parameter", r.Name)
		}
	}
	for _, c := range []struct {
		name    string
		major   int
		context string
	}{
		{"autovacuum_max_workers", 17, "postmaster"},
		{"autovacuum_max_workers", 18, "sighup"},
		{"autovacuum_vacuum_max_threshold", 17, ""},
		{"autovacuum_vacuum_max_threshold", 18, "sighup"},
		{"vacuum_buffer_usage_limit", 15, ""},
		{"shared_buffers", 14, "postmaster"},
		{"wal_compression", 16, "superuser"},
		{"maintenance_work_mem", 16, "user"},
		{"fillfactor", 16, ""},
	} {
		r, ok := check.RuleFor(c.name)
		if got := r.Context(c.major); !ok || got != c.context {
			t.Errorf("%s on %d: got %q, %v, want %q", c.name, c.major, got, ok, c.context)
		}
	}
	if _, ok := check.RuleFor("geqo_seed"); ok {
		t.Error("geqo_seed has no rule, so that it is never passed")
	}
	if r, _ := check.RuleFor("fillfactor"); !slices.Contains(r.Counters, "n_tup_hot_upd") {
		t.Error("fillfactor is seen in heap-only updates")
	}
}
