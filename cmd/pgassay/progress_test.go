package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/lab"
)

func twoArms() *pgassay.Experiment {
	return &pgassay.Experiment{Arms: []pgassay.Arm{{Name: "default"}, {Name: "ea\nger\x1b[2J"}}, Loads: []pgassay.Load{{Name: "4 clients", Clients: 4}}}
}

// steps are what a run of two trials reports; the second one fails.
func steps() []lab.Progress {
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	order := pgassay.TrialOrder{Number: 2, Block: 1, Position: 1, Arm: 1}
	ok := &pgassay.TrialRecord{Outcome: pgassay.OutcomeValid, Order: pgassay.TrialOrder{Number: 1, Block: 1}, MeasuredNS: 2e9, Scripts: []pgassay.ScriptResult{{Transactions: 24690}}}
	bad := &pgassay.TrialRecord{Outcome: pgassay.OutcomeFailed, Order: order, Reason: "the server ended"}
	return []lab.Progress{
		{Kind: lab.ProgressPrepare, At: at, Text: "loading events"},
		{Kind: lab.ProgressTrial, At: at, Planned: 2, Remaining: 20 * time.Second},
		{Kind: lab.ProgressTick, At: at.Add(3 * time.Second), Tick: lab.Tick{Phase: "measure", Elapsed: 3 * time.Second, TPS: 12345, P99NS: 1.5e6}},
		{Kind: lab.ProgressTick, At: at.Add(11 * time.Second), Tick: lab.Tick{Phase: "measure", Elapsed: 11 * time.Second, TPS: 12345, P99NS: 1.5e6, Failed: 2}},
		{Kind: lab.ProgressDone, At: at, Record: ok, Finished: 1, Planned: 2, Remaining: 185 * time.Second},
		{Kind: lab.ProgressTrial, At: at, Order: order, Planned: 2, Finished: 1},
		{Kind: lab.ProgressDone, At: at, Record: bad, Finished: 1, Planned: 2, Remaining: 3 * time.Hour},
		{Kind: lab.ProgressDecision, At: at, Text: "trial 2 is repeated: the server ended"},
	}
}

// TestPlainProgress: one line per change of state, and one every ten seconds.
func TestPlainProgress(t *testing.T) {
	var out bytes.Buffer
	s := newPlainScreen(&out, twoArms())
	for _, p := range steps() {
		s.progress(p)
	}
	want := `loading events
           measure 11 s  12,345 tps  P99 1.50 ms  2 failed
[1/2] block 1  default  4 clients  12,345 tps  3 min 05 s left
[1/2] block 1  ea ger [2J  4 clients  FAILED: the server ended  3 h 00 min left
trial 2 is repeated: the server ended
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("plain progress (-want +got):\n%s", d)
	}
}

// TestLiveModel: the lines of the live view follow the run, and are gone at its
// end.
func TestLiveModel(t *testing.T) {
	var m tea.Model = newLiveModel(twoArms(), false)
	m, _ = m.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
	wants := []string{
		"loading events", "0 of 2 trials  20 s left", "measure 3 s  12,345 tps  P99 1.50 ms  █",
		"2 failed", "1 of 2 trials  3 min 05 s left", "block 1: ea ger [2J at 4 clients", "1 of 2 trials", "1 of 2 trials",
	}
	for i, p := range steps() {
		m, _ = m.Update(p)
		view := m.View().Content
		if !strings.Contains(view, wants[i]) {
			t.Errorf("after step %d the view lacks %q:\n%s", i, wants[i], view)
		}
		for _, line := range strings.Split(view, "\n") {
			if n := len([]rune(line)); n > 60 && !strings.Contains(line, "\x1b") {
				t.Errorf("after step %d a line has %d columns, want at most 60: %q", i, n, line)
			}
		}
	}
	m, cmd := m.Update(endMsg{})
	if m.View().Content != "" || cmd == nil {
		t.Errorf("at the end the view is %q, want nothing", m.View().Content)
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{400 * time.Millisecond, "0 s"},
		{59400 * time.Millisecond, "59 s"},
		{time.Minute, "1 min 00 s"},
		{200 * time.Second, "3 min 20 s"},
		{2*time.Hour + 5*time.Minute, "2 h 05 min"},
	} {
		if got := duration(c.d); got != c.want {
			t.Errorf("duration(%v) = %q, want %q", c.d, got, c.want)
		}
	}
}

func TestThousands(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := thousands(v); got != want {
			t.Errorf("thousands(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestCommandLine: what is kept can be typed again, and holds no password.
func TestCommandLine(t *testing.T) {
	got := commandLine([]string{"/x/pgassay", "run", "my file.yaml", "--set", "design.stop={fixed: 1}", "--dsn", "postgresql://u:secret@h/d", "it's"})
	if strings.Contains(got, "secret") {
		t.Errorf("the password is in %q", got)
	}
	for _, want := range []string{"pgassay run 'my file.yaml' --set 'design.stop={fixed: 1}' --dsn ", `'it'\''s'`} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

func TestSafeName(t *testing.T) {
	for name, want := range map[string]string{"quick": "quick", "a b/c": "a-b-c", "../..": "run", "": "run", "ünï": "n", strings.Repeat("x", 80): strings.Repeat("x", 60)} {
		if got := safeName(name); got != want {
			t.Errorf("safeName(%q) = %q, want %q", name, got, want)
		}
	}
}
