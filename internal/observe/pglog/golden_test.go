package pglog_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/observe/pglog"
)

var update = flag.Bool("update", false, "rewrite the golden files; look at the difference before committing it")

// read returns a log's entries and counts; the log must read without an error.
func read(t *testing.T, text string) ([]pglog.Entry, pglog.Counts) {
	t.Helper()
	var entries []pglog.Entry
	counts, err := pglog.Read(pglog.NewStderr(strings.NewReader(text), nil), func(e pglog.Entry) { entries = append(entries, e) })
	if err != nil {
		t.Fatal(err)
	}
	return entries, counts
}

// TestGolden reads a log of each version and compares its events, the time
// zero being midnight.
func TestGolden(t *testing.T) {
	zero := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	logs, err := filepath.Glob("testdata/*.log")
	if err != nil || len(logs) != 6 {
		t.Fatalf("found %v, %v; want six logs", logs, err)
	}
	for _, path := range logs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			entries, counts := read(t, string(text))
			if counts.UnknownLines != 0 || counts.Strays != 0 {
				t.Errorf("%d unknown lines and %d strays, want none", counts.UnknownLines, counts.Strays)
			}
			var events []pgassay.Event
			for _, e := range entries {
				if ev, ok := e.Event(zero, "appdb"); ok {
					events = append(events, ev)
				}
			}
			got, err := json.MarshalIndent(events, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(path, ".log") + ".golden.json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}
