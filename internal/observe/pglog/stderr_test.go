package pglog_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay/internal/observe/pglog"
)

// records reads all records of a log.
func records(t *testing.T, s *pglog.Stderr) []pglog.Record {
	t.Helper()
	var all []pglog.Record
	for {
		rec, err := s.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
}

func TestStderr(t *testing.T) {
	at := time.Date(2026, 12, 1, 0, 9, 45, 285e6, time.UTC)
	const p = "2026-12-01 00:09:45.285 UTC [42] "
	for _, tt := range []struct {
		it, log string
		want    []pglog.Record
		strays  int
	}{
		{"reads the backend type before the severity", p + "autovacuum worker LOG:  hello\n",
			[]pglog.Record{{Time: at, PID: 42, Backend: "autovacuum worker", Severity: "LOG", Message: "hello"}}, 0},
		{"does without a backend type", p + "LOG:  hello\n",
			[]pglog.Record{{Time: at, PID: 42, Severity: "LOG", Message: "hello"}}, 0},
		{"reads a last line without a line break", p + "LOG:  hello",
			[]pglog.Record{{Time: at, PID: 42, Severity: "LOG", Message: "hello"}}, 0},
		{"takes away one TAB of each continuation, not two", p + "LOG:  a\n\tb\n\t\tc\n",
			[]pglog.Record{{Time: at, PID: 42, Severity: "LOG", Message: "a\nb\n\tc"}}, 0},
		{"attaches hint, detail and context of the same process", p + "ERROR:  a\n" + p + "DETAIL:  d\n\te\n" + p + "HINT:  h\n" + p + "CONTEXT:  c\n" + p + "STATEMENT:  s\n" + p + "LOG:  b\n",
			[]pglog.Record{{Time: at, PID: 42, Severity: "ERROR", Message: "a", Detail: "d\ne", Hint: "h", Context: "c"}, {Time: at, PID: 42, Severity: "LOG", Message: "b"}}, 0},
		{"gives the hint of another process to nobody", p + "LOG:  a\n2026-12-01 00:09:45.285 UTC [43] HINT:  h\n",
			[]pglog.Record{{Time: at, PID: 42, Severity: "LOG", Message: "a"}}, 1},
		{"counts what other programs write", "cp: no such file\n" + p + "LOG:  a\nnoise\n\n" + p + "LOG:  b\n",
			[]pglog.Record{{Time: at, PID: 42, Severity: "LOG", Message: "a"}, {Time: at, PID: 42, Severity: "LOG", Message: "b"}}, 3},
		{"does not take a line of SQL for a heading", p + "LOG:  statement: SELECT\n\t2026-12-01 00:09:45.285 UTC [42] LOG:  x\n",
			[]pglog.Record{{Time: at, PID: 42, Severity: "LOG", Message: "statement: SELECT\n2026-12-01 00:09:45.285 UTC [42] LOG:  x"}}, 0},
		{"counts the continuation of nothing", "\tlost\n" + p + "LOG:  a\n",
			[]pglog.Record{{Time: at, PID: 42, Severity: "LOG", Message: "a"}}, 1},
	} {
		t.Run(tt.it, func(t *testing.T) {
			s := pglog.NewStderr(iotest.OneByteReader(strings.NewReader(tt.log)), nil)
			if diff := cmp.Diff(tt.want, records(t, s)); diff != "" {
				t.Errorf("records differ (-want +got):\n%s", diff)
			}
			if s.Strays() != tt.strays {
				t.Errorf("got %d strays, want %d", s.Strays(), tt.strays)
			}
		})
	}
}

func TestStamps(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		it, stamp string
		zone      *time.Location
		want      time.Time
	}{
		{"is UTC when the line says so, whatever the zone", "2026-12-01 00:00:00.001 UTC", berlin, time.Date(2026, 12, 1, 0, 0, 0, 1e6, time.UTC)},
		{"reads winter time", "2026-12-01 01:00:00.000 CET", berlin, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
		{"reads the first of the two hours when summer time ends", "2026-10-25 02:30:00.000 CEST", berlin, time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)},
		{"reads the second one", "2026-10-25 02:30:00.000 CET", berlin, time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC)},
		{"takes a numeric zone as it stands", "2026-12-01 03:00:00.000 +03", nil, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
		{"takes one with minutes", "2026-12-01 05:45:00.000 +0545", nil, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
		{"uses the zone when it does not know the abbreviation", "2026-12-01 01:00:00.000 XYZ", berlin, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
	} {
		t.Run(tt.it, func(t *testing.T) {
			got := records(t, pglog.NewStderr(strings.NewReader(tt.stamp+" [1] LOG:  x\n"), tt.zone))
			if len(got) != 1 || !got[0].Time.Equal(tt.want) {
				t.Errorf("got %v, want one record at %v", got, tt.want)
			}
		})
	}
}

func TestStderrReadError(t *testing.T) {
	boom := errors.New("boom")
	s := pglog.NewStderr(io.MultiReader(strings.NewReader("2026-12-01 00:00:00.000 UTC [1] LOG:  x\n"), iotest.ErrReader(boom)), nil)
	if _, err := s.Next(); !errors.Is(err, boom) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

// TestBounded: a statement of 8 MB keeps its first megabyte, and the record
// after it is whole.
func TestBounded(t *testing.T) {
	log := "2026-12-01 00:00:00.000 UTC [1] LOG:  " + strings.Repeat("x", 4<<20) + "\n" + strings.Repeat("\t"+strings.Repeat("y", 1023)+"\n", 4<<10) +
		"2026-12-01 00:00:00.000 UTC [1] LOG:  end\n"
	got := records(t, pglog.NewStderr(strings.NewReader(log), nil))
	if len(got) != 2 || len(got[0].Message) > 1<<20 || got[1].Message != "end" {
		t.Errorf("got %d records, want a bounded one and %q", len(got), "end")
	}
}
