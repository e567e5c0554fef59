package observe_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/observe"
	"github.com/pgassay/pgassay/internal/observe/pglog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watched are the settings of a server that tells everything.
func watched() map[string]string {
	return map[string]string{
		"log_line_prefix": pglog.Prefix, "log_autovacuum_min_duration": "0", "log_checkpoints": "on", "lc_messages": "C", "log_timezone": "UTC",
		"autovacuum": "on", "autovacuum_naptime": "1s", "autovacuum_vacuum_cost_delay": "0", "autovacuum_vacuum_insert_threshold": "-1",
	}
}

// each runs a test on every version that is there.
func each(t *testing.T, test func(t *testing.T, major int)) {
	majors := labtest.Majors()
	if len(majors) == 0 {
		labtest.BinDir(t, 0) // skips, or fails in CI
	}
	for _, major := range majors {
		t.Run(fmt.Sprint(major), func(t *testing.T) { test(t, major) })
	}
}

// await asks the server until the SQL says true; it fails after a minute.
func await(t *testing.T, in *labtest.Instance, sql string) {
	t.Helper()
	conn := in.Conn(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		var yes bool
		if err := conn.QueryRow(ctx, `SELECT `+sql).Scan(&yes); err != nil {
			t.Fatalf("wait until %s: %v", sql, err)
		}
		if yes {
			return
		}
		if _, err := conn.Exec(ctx, `SELECT pg_sleep(0.05)`); err != nil {
			t.Fatalf("wait until %s: %v", sql, err)
		}
	}
}

func start(t *testing.T, c observe.Config) *observe.Observer {
	t.Helper()
	if c.Interval == 0 {
		c.Interval = 50 * time.Millisecond
	}
	o, err := observe.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

func collect(t *testing.T, o *observe.Observer) observe.Seen {
	t.Helper()
	seen, err := o.Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range seen.Series {
		if len(s.At) == 0 || len(s.At) != len(s.Value) || !slices.IsSorted(s.At) {
			t.Errorf("series %s of %q has %d times (in order: %t) and %d values", s.Name, s.Object, len(s.At), slices.IsSorted(s.At), len(s.Value))
		}
	}
	return seen
}

// find returns a series, failing when it is not there.
func find(t *testing.T, seen observe.Seen, name pgassay.SeriesName, object string) pgassay.Series {
	t.Helper()
	for _, s := range seen.Series {
		if s.Name == name && s.Object == object {
			return s
		}
	}
	t.Errorf("no series %s of %q", name, object)
	return pgassay.Series{Value: []float64{0}, At: []int64{0}}
}

// TestTrial makes autovacuum run and sees it in the events, the series, the
// snapshots and the CPU accounts.
func TestTrial(t *testing.T) {
	each(t, func(t *testing.T, major int) {
		in := labtest.Server(t, labtest.Options{Major: major, Settings: watched(), Database: "appdb"})
		in.Exec(t, `CREATE TABLE "My.Table" (id int PRIMARY KEY, v int, big text) WITH (fillfactor = 90);
			INSERT INTO "My.Table" SELECT i, 0 FROM generate_series(1, 20000) i`)
		// Counts that a session delivers after a VACUUM are added to what that found.
		await(t, in, `pg_stat_get_tuples_inserted('"My.Table"'::regclass) = 20000`)
		in.Exec(t, `VACUUM (FREEZE, ANALYZE) "My.Table"`)
		await(t, in, `pg_stat_get_vacuum_count('"My.Table"'::regclass) = 1 AND pg_stat_get_analyze_count('"My.Table"'::regclass) = 1`)
		conn := in.Conn(t)
		o := start(t, observe.Config{Target: in.Target(), Database: "appdb", ServerPID: in.PID, LogPath: in.LogPath})
		before, err := observe.Snapshot(t.Context(), conn)
		if err != nil {
			t.Fatal(err)
		}
		zero := time.Now()
		o.Begin(zero)
		in.Exec(t, `UPDATE "My.Table" SET v = v + 1`)
		in.Exec(t, `CHECKPOINT`)
		await(t, in, `pg_stat_get_autovacuum_count('"My.Table"'::regclass) > 0 AND pg_stat_get_autoanalyze_count('"My.Table"'::regclass) > 0`)
		ended := time.Now()
		o.End(ended)
		after, err := observe.Snapshot(t.Context(), conn)
		if err != nil {
			t.Fatal(err)
		}
		in.Stop(t, syscall.SIGINT)
		seen := collect(t, o)
		if len(seen.Missing) > 0 {
			t.Errorf("missing %q, want nothing", seen.Missing)
		}
		checkEvents(t, seen, ended.Sub(zero).Nanoseconds())
		checkSeries(t, seen)
		checkSnapshots(t, before, after, major)
		u := seen.Use
		for name, v := range map[string]float64{"client": u.ClientCPUS, "backends": u.BackendCPUS, "autovacuum": u.AutovacuumCPUS, "checkpointer": u.CheckpointCPUS,
			"walwriter": u.WALWriterCPUS, "other": u.OtherCPUS, "sampler": u.SamplerCPUS, "busy": seen.Host.BusyShare, "steal": seen.Host.StealShare, "foreign": seen.Host.ForeignCPUS} {
			if v < 0 {
				t.Errorf("%s: got %v, want a time", name, v)
			}
		}
		if u.ServerCPUS() <= 0 || u.SamplerCPUS <= 0 {
			t.Errorf("got %v s of server CPU and %v s for the sampler, want some", u.ServerCPUS(), u.SamplerCPUS)
		}
		if seen.Host.BootID == "" || seen.Host.CPUs == 0 || seen.Host.MemoryBytes == 0 {
			t.Errorf("got host %+v", seen.Host)
		}
	})
}

// checkEvents wants the vacuum and the checkpoint within the interval.
func checkEvents(t *testing.T, seen observe.Seen, length int64) {
	t.Helper()
	kinds := map[pgassay.EventKind]int{}
	for _, e := range seen.Events {
		kinds[e.Kind]++
		if e.Kind != pgassay.EventAutovacuum || e.Object != "public.My.Table" {
			continue
		}
		// The log's clock counts whole milliseconds.
		if e.At < -1e6 || e.At > length || e.Numbers["tuples_removed"]+e.Numbers["tuples_remain"] < 20000 || e.Numbers["elapsed_s"] < 0 {
			t.Errorf("got %+v in an interval of %d ns", e, length)
		}
		kinds["ours"]++
	}
	if kinds["ours"] == 0 || kinds[pgassay.EventAutoanalyze] == 0 || kinds[pgassay.EventCheckpoint] == 0 || kinds[pgassay.EventCheckpointStart] == 0 {
		t.Errorf("got events %v, want a vacuum of our table, an analyze and a checkpoint", kinds)
	}
	if kinds[pgassay.EventServerError] != 0 {
		t.Errorf("got %d server errors from an orderly stop: %+v", kinds[pgassay.EventServerError], seen.Events)
	}
}

func checkSeries(t *testing.T, seen observe.Seen) {
	t.Helper()
	dead := find(t, seen, pgassay.SeriesDeadRows, "public.My.Table")
	if m := slices.Max(dead.Value); m != 20000 {
		t.Errorf("got at most %v dead rows, want the 20000 updated ones", m)
	}
	if m := slices.Min(find(t, seen, pgassay.SeriesLiveRows, "public.My.Table").Value); m != 20000 {
		t.Errorf("got at least %v live rows, want 20000", m)
	}
	size := find(t, seen, pgassay.SeriesTableBytes, "public.My.Table").Value
	if size[len(size)-1] <= size[0] {
		t.Errorf("got table sizes from %v to %v, want growth", size[0], size[len(size)-1])
	}
	wal := find(t, seen, pgassay.SeriesWALBytes, "")
	for i, v := range wal.Value {
		if wal.At[i] < 0 && v > 0 {
			t.Errorf("got %v bytes of WAL before the zero, want none", v)
		}
	}
	if last := wal.Value[len(wal.Value)-1]; last < 1e6 {
		t.Errorf("got %v bytes of WAL, want over a megabyte", last)
	}
	find(t, seen, pgassay.SeriesAutovacuums, "")
	for _, name := range []pgassay.SeriesName{pgassay.SeriesHostCPU, pgassay.SeriesIOWait} {
		for _, v := range find(t, seen, name, "").Value {
			if v < 0 || v > 1 {
				t.Errorf("%s: got %v, want a share", name, v)
			}
		}
	}
	find(t, seen, pgassay.SeriesDirtyBytes, "")
}

func checkSnapshots(t *testing.T, before, after pgassay.Snapshot, major int) {
	t.Helper()
	get := func(s pgassay.Snapshot) pgassay.Relation {
		i := slices.IndexFunc(s.Relations, func(r pgassay.Relation) bool { return r.Schema == "public" && r.Name == "My.Table" })
		if i < 0 {
			t.Fatalf("no public.My.Table in %+v", s.Relations)
		}
		return s.Relations[i]
	}
	b, a := get(before), get(after)
	if b.Kind != "r" || b.Tuples != 20000 || b.LiveRows != 20000 || b.Indexes != 1 || b.IndexBytes == 0 || b.HeapBytes == 0 || b.Options["fillfactor"] != "90" || b.AllVisible != b.Pages {
		t.Errorf("got %+v before", b)
	}
	if frozen := b.AllFrozen; major >= 18 && frozen != b.Pages || major < 18 && frozen != -1 {
		t.Errorf("got %d all-frozen pages of %d on %d", frozen, b.Pages, major)
	}
	if a.Updated-b.Updated != 20000 || a.Autovacuums-b.Autovacuums < 1 || a.Autoanalyzes-b.Autoanalyzes < 1 || a.Vacuums != b.Vacuums || a.HeapBytes <= b.HeapBytes {
		t.Errorf("got %+v before and %+v after", b, a)
	}
	if len(after.Relations) != 2 || after.Relations[0].Schema != "pg_toast" || after.Relations[0].Kind != "t" {
		t.Errorf("got %d relations, want a TOAST table and its owner", len(after.Relations))
	}
	for _, name := range []string{"xact_commit", "xact_rollback", "blks_read", "blks_hit", "temp_bytes", "deadlocks", "wal_bytes", "wal_records", "wal_fpi",
		"checkpoints_timed", "checkpoints_requested", "buffers_checkpoint", "buffers_backend", "backends"} {
		v, ok := after.Counters[name]
		if !ok || name != "backends" && v < before.Counters[name] {
			t.Errorf("%s: got %v (there: %t) after %v", name, v, ok, before.Counters[name])
		}
	}
	if d := after.Counters["checkpoints_requested"] - before.Counters["checkpoints_requested"]; d < 1 {
		t.Errorf("got %v requested checkpoints, want ours", d)
	}
	if after.Counters["wal_bytes"] == before.Counters["wal_bytes"] || after.Counters["buffers_checkpoint"] == before.Counters["buffers_checkpoint"] {
		t.Error("WAL bytes and checkpoint buffers did not grow")
	}
}

// TestMonitorRole: a role that is only a member of pg_monitor sees all that SQL
// shows; one without any right is told what it lacks. Neither has the host's
// side of a remote server.
func TestMonitorRole(t *testing.T) {
	each(t, func(t *testing.T, major int) {
		in := labtest.Server(t, labtest.Options{Major: major, Settings: watched()})
		in.Exec(t, `CREATE TABLE t (id int); CREATE ROLE monitor LOGIN; GRANT pg_monitor TO monitor; CREATE ROLE nobody LOGIN`)
		remote := []string{"CPU of the server and of foreign processes", "server log"}
		for role, want := range map[string][]string{"monitor": remote, "nobody": append([]string{"autovacuum workers at work"}, remote...)} {
			target := dial.Socket(in.SocketDir, in.Target().Port(), role, in.Target().Database())
			o := start(t, observe.Config{Target: target, Tables: []string{"public.t", "absent"}})
			o.Begin(time.Now())
			o.End(time.Now())
			seen := collect(t, o)
			want = append(want, "table absent")
			var got []string
			for _, m := range seen.Missing {
				what, _, _ := strings.Cut(m, ":")
				got = append(got, what)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: got missing %q, want %q", role, seen.Missing, want)
			}
			find(t, seen, pgassay.SeriesDeadRows, "public.t")
			find(t, seen, pgassay.SeriesWALBytes, "")
			if seen.Host.ForeignCPUS >= 0 || seen.Use.BackendCPUS >= 0 {
				t.Errorf("%s: got %+v, %+v, want the server's CPU unknown", role, seen.Use, seen.Host)
			}
		}
		conn, err := dial.Socket(in.SocketDir, in.Target().Port(), "monitor", in.Target().Database()).Connect(t.Context(), "test")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		s, err := observe.Snapshot(t.Context(), conn)
		if err != nil || len(s.Relations) != 1 || len(s.Counters) != 14 {
			t.Errorf("got %+v, %v, want one table and all counters", s, err)
		}
	})
}

// TestKilled: a server that dies in the middle is named, and does not make the
// observer fail.
func TestKilled(t *testing.T) {
	in := labtest.Server(t, labtest.Options{Settings: watched()})
	o := start(t, observe.Config{Target: in.Target(), ServerPID: in.PID, LogPath: in.LogPath})
	o.Begin(time.Now())
	in.Stop(t, syscall.SIGKILL)
	o.Await(t, true, 1)
	o.End(time.Now())
	seen := collect(t, o)
	text := strings.Join(seen.Missing, "\n")
	for _, want := range []string{"statistics: ", "CPU of the server: "} {
		if !strings.Contains(text, want) {
			t.Errorf("got missing %q, want %q in it", seen.Missing, want)
		}
	}
	if seen.Host.BusyShare < 0 {
		t.Errorf("got %+v, want the host's share", seen.Host)
	}
}

// TestCrash: a backend is killed, the server recovers, the observer connects
// again and the log tells of the crash.
func TestCrash(t *testing.T) {
	in := labtest.Server(t, labtest.Options{Settings: watched()})
	o := start(t, observe.Config{Target: in.Target(), ServerPID: in.PID, LogPath: in.LogPath})
	o.Begin(time.Now())
	var pid int
	conn, err := in.Target().Connect(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	o.Await(t, true, 1)
	o.Await(t, false, 2)
	o.End(time.Now())
	in.Stop(t, syscall.SIGINT)
	seen := collect(t, o)
	crashed := slices.ContainsFunc(seen.Events, func(e pgassay.Event) bool {
		return e.Kind == pgassay.EventServerError && e.Numbers["crash"] == 1 && strings.Contains(e.Text, fmt.Sprintf("(PID %d) was terminated by signal 9", pid))
	})
	if !crashed {
		t.Errorf("got events %+v, want the killed backend", seen.Events)
	}
	if len(seen.Missing) == 0 {
		t.Error("got nothing missing, want the lost session named")
	}
}

func TestStartFails(t *testing.T) {
	if _, err := observe.Start(t.Context(), observe.Config{}); err == nil {
		t.Error("got no error without a target")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := observe.Start(ctx, observe.Config{Target: dial.Socket(t.TempDir(), 5432, "u", "d")}); err == nil {
		t.Error("got no error without a server")
	}
}

func TestSettings(t *testing.T) {
	settings := watched()
	settings["primary_conninfo"] = "host=h password=secret"
	in := labtest.Server(t, labtest.Options{Settings: settings})
	all, err := observe.Settings(t.Context(), in.Conn(t))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]pgassay.SettingState{}
	for _, s := range all {
		byName[s.Name] = s
	}
	n := byName["autovacuum_naptime"]
	if n.Setting != "1" || n.Unit != "s" || n.Context != "sighup" || n.VarType != "integer" || n.Source != "configuration file" || n.SourceFile == "" || n.Min != "1" || n.BootValue != "60" {
		t.Errorf("got %+v", n)
	}
	if e := byName["wal_level"]; !slices.Contains(e.EnumValues, "replica") || e.VarType != "enum" {
		t.Errorf("got %+v", e)
	}
	if strings.Contains(byName["primary_conninfo"].Setting, "secret") {
		t.Errorf("got %q, want the password masked", byName["primary_conninfo"].Setting)
	}
}

// BenchmarkLook measures what one look at the statistics costs the server, with
// 100 idle sessions and 20 tables:
//
//	go test -run xxx -bench Look ./internal/observe/
func BenchmarkLook(b *testing.B) {
	in := labtest.Server(b, labtest.Options{Settings: map[string]string{"max_connections": "120"}})
	for i := range 20 {
		in.Exec(b, fmt.Sprintf(`CREATE TABLE t%d AS SELECT generate_series(1, 1000) i`, i))
	}
	for range 100 {
		in.Conn(b)
	}
	o, err := observe.Start(b.Context(), observe.Config{Target: in.Target(), ServerPID: in.PID, LogPath: in.LogPath, Interval: 5 * time.Millisecond})
	if err != nil {
		b.Fatal(err)
	}
	defer o.Close()
	o.Await(b, false, 20) // the plan is cached by then
	o.Begin(time.Now())
	o.Await(b, false, b.N)
	o.End(time.Now())
	if _, err := o.Collect(b.Context()); err != nil {
		b.Fatal(err)
	}
	looks, server, own := o.Cost()
	b.ReportMetric(server/float64(looks)*1e3, "server-ms/look")
	b.ReportMetric(own/float64(looks)*1e3, "own-ms/look")
	b.ReportMetric(0, "ns/op")
}
