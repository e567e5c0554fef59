package pglog_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/observe/pglog"
)

const body16 = "\npages: 0 removed, 1 remain, 1 scanned (100.00% of total)\ntuples: 0 removed, 1 remain, 0 are dead but not yet removable" +
	"\nbuffer usage: 1 hits, 2 misses, 3 dirtied\nsystem usage: CPU: user: 0.01 s, system: 0.02 s, elapsed: 0.05 s"

// TestNames: whatever a table is called, its name survives.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'B', '.', '"', '\n', '\t', ' ', ':', 'é'}), 1, 20, -1)
		schema, table, index := name.Draw(t, "schema"), name.Draw(t, "table"), strings.ReplaceAll(name.Draw(t, "index"), "\n\n", "\n")
		database := rapid.SampledFrom([]string{"appdb", "my.app", "d"}).Draw(t, "database")
		full := database + "." + schema + "." + table
		message := `automatic vacuum of table "` + full + `": index scans: 1` +
			strings.Replace(body16, "\nbuffer", "\nindex \""+index+"\": pages: 5 in total, 1 newly deleted, 2 currently deleted, 3 reusable\nbuffer", 1)
		log := "2026-12-01 00:00:00.000 UTC [1] autovacuum worker LOG:  " + strings.ReplaceAll(message, "\n", "\n\t") + "\n"
		rec, err := pglog.NewStderr(strings.NewReader(log), nil).Next()
		if err != nil {
			t.Fatal(err)
		}
		e, ok := pglog.Parse(rec)
		v, isVacuum := e.(*pglog.Vacuum)
		if !ok || !isVacuum {
			t.Fatalf("got %v from %q, want a vacuum", e, log)
		}
		if v.Usage.Dirtied != 3 || v.PagesScanned != 1 || len(v.Indexes) != 1 || v.Indexes[0].Name != index {
			t.Errorf("got %+v, want dirtied 3, scanned 1, index %q", v, index)
		}
		ev, _ := v.Event(rec.Time, database)
		if ev.Object != schema+"."+table {
			t.Errorf("got object %q, want %q", ev.Object, schema+"."+table)
		}
		a, ok := pglog.Parse(pglog.Record{Severity: "LOG", Message: `automatic analyze of table "` + full + "\"\nbuffer usage: 1 hits, 2 misses, 3 dirtied"})
		if an, isAnalyze := a.(*pglog.Analyze); !ok || !isAnalyze || string(an.Relation) != full || an.Usage.Hits != 1 {
			t.Errorf("got %+v, want an analyze of %q", a, full)
		}
	})
}

func TestOtherDatabase(t *testing.T) {
	v := &pglog.Vacuum{Relation: "other.public.t"}
	for watched, want := range map[string]string{"": "public.t", "other": "public.t", "appdb": "other.public.t"} {
		if e, _ := v.Event(time.Time{}, watched); e.Object != want {
			t.Errorf("watching %q: got object %q, want %q", watched, e.Object, want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		it, severity, message string
		want                  string // the event's text, "" for none
	}{
		{"a killed backend is a crash", "LOG", "server process (PID 77) was terminated by signal 9: Killed", "LOG: server process (PID 77) was terminated by signal 9: Killed"},
		{"so is a killed checkpointer", "LOG", "checkpointer process (PID 7) was terminated by signal 11: Segmentation fault", "LOG: checkpointer process (PID 7) was terminated by signal 11: Segmentation fault"},
		{"a background worker ends with code 1 in every stop", "LOG", `background worker "logical replication launcher" (PID 9) exited with exit code 1`, ""},
		{"a killed background worker is a crash", "LOG", `background worker "x" (PID 9) was terminated by signal 9: Killed`, `LOG: background worker "x" (PID 9) was terminated by signal 9: Killed`},
		{"recovery after a crash", "LOG", "database system was not properly shut down; automatic recovery in progress", "LOG: database system was not properly shut down; automatic recovery in progress"},
		{"a warning of a crash", "WARNING", "terminating connection because of crash of another server process", "WARNING: terminating connection because of crash of another server process"},
		{"a panic", "PANIC", "could not write to file", "PANIC: could not write to file"},
		{"a fatal error", "FATAL", "sorry, too many clients already", "FATAL: sorry, too many clients already"},
		{"an orderly stop is no fault", "FATAL", "terminating connection due to administrator command", ""},
		{"nor of an autovacuum worker", "FATAL", "terminating autovacuum process due to administrator command", ""},
		{"nor a knock at a door that is not open yet", "FATAL", "the database system is starting up", ""},
		{"an ordinary error is the clients' business", "ERROR", "division by zero", ""},
		{"talk is no fault", "LOG", "database system is ready to accept connections", ""},
	} {
		t.Run(tt.it, func(t *testing.T) {
			got := ""
			if e, ok := pglog.Parse(pglog.Record{Severity: tt.severity, Message: tt.message}); ok {
				if ev, ok := e.Event(time.Time{}, ""); ok {
					got = ev.Text
					if ev.Kind != pgassay.EventServerError {
						t.Errorf("got kind %s, want %s", ev.Kind, pgassay.EventServerError)
					}
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestVacuumValues spells out one line of 18 and one of 14; the golden files
// hold the rest.
func TestVacuumValues(t *testing.T) {
	entries, counts := read(t, "2026-12-01 00:00:10.000 UTC [5] autovacuum worker LOG:  automatic aggressive vacuum of table \"d.s.t\": index scans: 2\n"+
		"\tpages: 1 removed, 2 remain, 3 scanned (42.71% of total), 4 eagerly scanned\n\ttuples: 5 removed, 6 remain, 7 are dead but not yet removable\n"+
		"\tremovable cutoff: 789, which was 8 XIDs old when operation ended\n\tfrozen: 9 pages from table (0.00% of total) had 10 tuples frozen\n"+
		"\tvisibility map: 11 pages set all-visible, 12 pages set all-frozen (0 were all-visible)\n"+
		"\tindex scan needed: 13 pages from table (25.00% of total) had 14 dead item identifiers removed\n"+
		"\tindex \"i\": pages: 15 in total, 16 newly deleted, 17 currently deleted, 18 reusable\n\tdelay time: 1500.000 ms\n\tI/O timings: read: 250.000 ms, write: 500.000 ms\n"+
		"\tavg read rate: 49.912 MB/s, avg write rate: 67.921 MB/s\n\tbuffer usage: 19 hits, 20 reads, 21 dirtied\n"+
		"\tWAL usage: 22 records, 23 full page images, 24 bytes, 25 buffers full\n\tsystem usage: CPU: user: 0.25 s, system: 0.50 s, elapsed: 2.00 s\n"+
		"\tsomething new: 1\n")
	want := &pglog.Vacuum{
		At: time.Date(2026, 12, 1, 0, 0, 10, 0, time.UTC), PID: 5, Relation: "d.s.t", Aggressive: true, IndexScans: 2,
		PagesRemoved: 1, PagesRemain: 2, PagesScanned: 3, PagesEager: 4, TuplesRemoved: 5, TuplesRemain: 6, NotRemovable: 7, TuplesMissed: -1,
		CutoffAge: 8, FrozenPages: 9, FrozenTuples: 10, VisiblePages: 11, AllFrozenPages: 12, DeadItemPages: 13, DeadItems: 14, IndexScan: "needed",
		MemoryResets: -1, ParallelWorkers: -1,
		Indexes: []pglog.IndexPages{{Name: "i", Pages: 15, NewlyDeleted: 16, Deleted: 17, ReusablePage: 18}},
		Usage: pglog.Usage{Hits: 19, Misses: 20, Dirtied: 21, ReadS: 0.25, WriteS: 0.5, DelayS: 1.5, WALRecords: 22, WALFullPageImages: 23, WALBytes: 24,
			WALBuffersFull: 25, CPUUserS: 0.25, CPUSystemS: 0.5, ElapsedS: 2},
		Unknown: []string{"something new: 1"},
	}
	if diff := cmp.Diff([]pglog.Entry{want}, entries); diff != "" {
		t.Errorf("entries differ (-want +got):\n%s", diff)
	}
	if counts != (pglog.Counts{Records: 1, Entries: 1, UnknownLines: 1}) {
		t.Errorf("got counts %+v", counts)
	}
	e, ok := want.Event(want.At.Add(-5*time.Second), "d")
	if !ok || e.At != 5e9 || e.Duration != 2e9 || e.Object != "s.t" || e.Numbers["aggressive"] != 1 || e.Numbers["wraparound"] != 0 || e.Numbers["delay_s"] != 1.5 {
		t.Errorf("got event %+v", e)
	}
}

// FuzzRead: any bytes read without a panic, records and strays account for
// lines, no line is twice a record, and reading is a function of its input.
func FuzzRead(f *testing.F) {
	f.Add("2026-12-01 00:00:00.000 UTC [1] LOG:  automatic vacuum of table \"a.b.c\": index scans: 1" + strings.ReplaceAll(body16, "\n", "\n\t") + "\n")
	f.Add("2026-12-01 00:00:00.000 UTC [1] checkpointer LOG:  checkpoint complete: wrote 5 buffers (0.0%); 0 WAL file(s) added, 0 removed, 0 recycled; write=0.002 s, sync=0.001 s, total=0.005 s; sync files=4, longest=0.001 s, average=0.001 s; distance=4 kB, estimate=2810 kB\n")
	f.Add("2026-12-01 00:00:00.000 UTC [1] ERROR:  canceling autovacuum task\n2026-12-01 00:00:00.000 UTC [1] CONTEXT:  automatic analyze of table \"a.b.c\"\n")
	f.Add("noise\n\tmore\n2026-12-01 00:00:00.000 +03 [1] FATAL:  x\n")
	f.Fuzz(func(t *testing.T, log string) {
		run := func() ([]pglog.Entry, pglog.Counts) {
			var all []pglog.Entry
			counts, err := pglog.Read(pglog.NewStderr(strings.NewReader(log), nil), func(e pglog.Entry) { all = append(all, e) })
			if err != nil {
				t.Fatal(err)
			}
			return all, counts
		}
		entries, counts := run()
		if again, _ := run(); !reflect.DeepEqual(entries, again) {
			t.Error("two readings differ")
		}
		if lines := strings.Count(log, "\n") + 1; counts.Records+counts.Strays > lines {
			t.Errorf("%d records and %d strays from %d lines", counts.Records, counts.Strays, lines)
		}
		if counts.Entries != len(entries) || counts.Entries > counts.Records {
			t.Errorf("got %d entries, counted %+v", len(entries), counts)
		}
		for _, e := range entries {
			ev, ok := e.Event(time.Unix(0, 0), "a")
			if ok && (ev.Kind == "" || ev.Duration < 0) {
				t.Errorf("got event %+v", ev)
			}
			for name, v := range ev.Numbers {
				if v < 0 {
					t.Errorf("%s = %v, want no negative number", name, v)
				}
			}
		}
	})
}

// BenchmarkRead measures the parser on a log of vacuums and client messages.
func BenchmarkRead(b *testing.B) {
	one := "2026-12-01 00:00:00.000 UTC [1] autovacuum worker LOG:  automatic vacuum of table \"a.b.c\": index scans: 1" + strings.ReplaceAll(body16, "\n", "\n\t") + "\n" +
		strings.Repeat("2026-12-01 00:00:00.000 UTC [1] client backend LOG:  duration: 1.234 ms  statement: SELECT abalance FROM pgbench_accounts WHERE aid = 1234567;\n", 10)
	log := strings.Repeat(one, 500)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		if _, err := pglog.Read(pglog.NewStderr(strings.NewReader(log), nil), func(pglog.Entry) {}); err != nil {
			b.Fatal(err)
		}
	}
}
