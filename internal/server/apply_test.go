package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server"
)

// TestApply: settings change by a reload where that is enough, else by a
// restart, and a new session has them when Apply returns.
func TestApply(t *testing.T) {
	oldAndNew(t, func(t *testing.T, b pgassay.Build) {
		h := mustHome(t)
		in := mustInstance(t, h, mustTemplate(t, h, server.TemplateSpec{Build: b, Dataset: small(100)}), pgassay.Setting{Name: "work_mem", Value: "5MB"})
		for _, c := range []struct {
			sentence  string
			settings  []pgassay.Setting
			restarted bool
			want      string // work_mem, autovacuum_naptime, shared_buffers
		}{
			{"a reload is enough", []pgassay.Setting{{Name: "work_mem", Value: "6MB"}, {Name: "autovacuum_naptime", Value: "7s"}}, false, "6MB 7s 128MB"},
			{"what is left out returns to its default", []pgassay.Setting{{Name: "autovacuum_naptime", Value: "8s"}}, false, "4MB 8s 128MB"},
			{"memory that is shared needs a restart", []pgassay.Setting{{Name: "autovacuum_naptime", Value: "8s"}, {Name: "shared_buffers", Value: "16MB"}}, true, "4MB 8s 16MB"},
			{"the same again needs nothing", []pgassay.Setting{{Name: "shared_buffers", Value: "16MB"}, {Name: "autovacuum_naptime", Value: "8s"}}, false, "4MB 8s 16MB"},
			{"a restart takes the default back", nil, true, "4MB 1min 128MB"},
		} {
			restarted, err := in.Apply(limited(t), c.settings)
			if err != nil {
				t.Fatalf("%s: %v", c.sentence, err)
			}
			if restarted != c.restarted {
				t.Errorf("%s: restarted: got %v, want %v", c.sentence, restarted, c.restarted)
			}
			got := query(t, in, "SELECT concat_ws(' ', current_setting('work_mem'), current_setting('autovacuum_naptime'), current_setting('shared_buffers'))")
			if got != c.want {
				t.Errorf("%s: got %s, want %s", c.sentence, got, c.want)
			}
			if got := query(t, in, "SELECT count(*)::text FROM t"); got != "90" {
				t.Errorf("%s: got %s rows, want 90", c.sentence, got)
			}
		}
	})
}

// TestApplyErrors: what does not take effect is an error with the setting's
// name, the wanted and the actual value.
func TestApplyErrors(t *testing.T) {
	h := mustHome(t)
	in := mustInstance(t, h, mustTemplate(t, h, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(100)}))
	for _, c := range []struct {
		sentence string
		setting  pgassay.Setting
		want     []string
	}{
		{"an unknown setting is refused before anything is done", pgassay.Setting{Name: "no_such", Value: "1"}, []string{"no setting no_such"}},
		{"a place of ours is refused", pgassay.Setting{Name: "port", Value: "1"}, []string{"port", "socket"}},
	} {
		if _, err := in.Apply(limited(t), []pgassay.Setting{c.setting}); err == nil {
			t.Errorf("%s: no error", c.sentence)
		} else {
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%s: got %q, want it to say %q", c.sentence, err, w)
				}
			}
		}
	}
	if got := query(t, in, "SELECT count(*)::text FROM t"); got != "90" {
		t.Errorf("after refusals: got %s rows, want 90", got)
	}
	// The server ignores an invalid value at a reload; its new sessions show it.
	defer server.ReloadWithin(200 * time.Millisecond)()
	_, err := in.Apply(limited(t), []pgassay.Setting{{Name: "work_mem", Value: "1kB"}})
	if err == nil || !strings.Contains(err.Error(), "work_mem = 1kB is not in force: the server has 4096") {
		t.Errorf("a value that a reload ignores: got %v", err)
	}
	// A restart with it fails, and Stop still tidies up.
	if _, err = in.Apply(limited(t), []pgassay.Setting{{Name: "wal_level", Value: "minimal"}}); err == nil || !strings.Contains(err.Error(), "max_wal_senders") {
		t.Errorf("a restart that fails: got %v, want the server's words", err)
	}
	if got := in.PID(); got != 0 {
		t.Errorf("after a failed restart: got process %d, want none", got)
	}
}
