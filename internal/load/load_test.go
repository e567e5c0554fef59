package load_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/load"
	"github.com/pgassay/pgassay/internal/load/hist"
	"github.com/pgassay/pgassay/internal/load/wire"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const bank = `
CREATE TABLE branches (bid int PRIMARY KEY, balance bigint NOT NULL);
CREATE TABLE tellers (tid int PRIMARY KEY, balance bigint NOT NULL);
CREATE TABLE accounts (aid int PRIMARY KEY, balance bigint NOT NULL);
CREATE TABLE history (tid int, bid int, aid int, delta int, client int);
INSERT INTO branches SELECT g, 0 FROM generate_series(1, 2) g;
INSERT INTO tellers SELECT g, 0 FROM generate_series(1, 20) g;
INSERT INTO accounts SELECT g, 0 FROM generate_series(1, 2000) g;
ANALYZE;`

const tpcb = `\set aid random(1, 1000 * :scale)
\set bid random(1, :scale)
\set tid random(1, 10 * :scale)
\set delta random(-5000, 5000)
BEGIN;
UPDATE accounts SET balance = balance + :delta WHERE aid = :aid;
SELECT balance FROM accounts WHERE aid = :aid;
UPDATE tellers SET balance = balance + :delta WHERE tid = :tid;
UPDATE branches SET balance = balance + :delta WHERE bid = :bid;
INSERT INTO history VALUES (:tid, :bid, :aid, :delta, :client_id);
END;
`

func one(name, text string) []pgassay.Script {
	return []pgassay.Script{{Name: name, Text: text, Weight: 1}}
}

func transactions(n int64) pgassay.Measure { return pgassay.Measure{Transactions: n} }

// decode reads the histogram of a script, "" for all.
func decode(t *testing.T, r load.Result, name string) *hist.Histogram {
	t.Helper()
	for _, h := range r.Histograms {
		if h.Script == name {
			out, err := hist.Decode(h.Encoded)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
	}
	t.Fatalf("no histogram for %q", name)
	return nil
}

func query(t *testing.T, in *labtest.Instance, sql string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(in.Query1(t, sql), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// eachEngine runs a test for every engine, beside other tests: it is for tests
// that mostly wait.
func eachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	t.Parallel()
	for _, engine := range wire.Names {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

// TestBank: on every version, by every engine and protocol, the quota is met to
// the transaction, TPC-B's sums agree, and the server counted what we counted.
func TestBank(t *testing.T) {
	majors := labtest.Majors()
	if len(majors) == 0 {
		labtest.BinDir(t, 0) // skips, or fails in CI
	}
	for _, major := range majors {
		in := labtest.Server(t, labtest.Options{Major: major})
		in.Exec(t, bank)
		var want int64
		for _, engine := range wire.Names {
			for _, protocol := range []string{"simple", "extended", "prepared"} {
				const n = 301
				r, err := load.Run(t.Context(), load.Config{
					Target: in.Target(), Scripts: one("tpcb", tpcb), Scale: 2, Clients: 4, Measure: transactions(n), Seed: 1, Protocol: protocol, Engine: engine,
				})
				if err != nil {
					t.Fatalf("PostgreSQL %d, %s, %s: %v", major, engine, protocol, err)
				}
				want += n
				s := r.Scripts[0]
				if s.Transactions != n || s.Failed != 0 || s.Rows != 4*n {
					t.Errorf("PostgreSQL %d, %s, %s: got %+v, want %d transactions of 4 rows", major, engine, protocol, s, n)
				}
				if got := decode(t, r, "").Count(); got != n {
					t.Errorf("the histogram has %d transactions, want %d", got, n)
				}
			}
		}
		if got := query(t, in, "SELECT count(*) FROM history"); got != want {
			t.Errorf("PostgreSQL %d: history has %d rows, want %d", major, got, want)
		}
		for _, table := range []string{"branches", "tellers", "accounts"} {
			if got := query(t, in, "SELECT (SELECT sum(balance) FROM "+table+") - (SELECT sum(delta) FROM history)"); got != 0 {
				t.Errorf("PostgreSQL %d: %s is off by %d", major, table, got)
			}
		}
	}
}

// TestMeasure: an interval by time, with everything a trial records.
func TestMeasure(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	in.Exec(t, "CREATE TABLE t (a int, b text)")
	var ticks []load.Tick
	var began, ended time.Time
	const clients = 4
	r, err := load.Run(t.Context(), load.Config{
		Target: in.Target(), Clients: clients, Seed: 3,
		Scripts: []pgassay.Script{
			{Name: "insert", Text: "INSERT INTO t SELECT g, :word FROM generate_series(1, :batch) g;", Weight: 1, Variables: []pgassay.Variable{{Name: "batch", Value: "7"}, {Name: "word", Value: "own"}}},
			{Name: "select", Text: "SELECT 1;", Weight: 3},
		},
		Variables: []pgassay.Variable{{Name: "word", Value: "arm"}},
		Warmup:    1600 * time.Millisecond, Measure: pgassay.Measure{Duration: 2 * time.Second},
		Begin: func(at time.Time) { began = at }, End: func(at time.Time) { ended = at },
		Tick: func(k load.Tick) { ticks = append(ticks, k) },
	})
	if err != nil {
		t.Fatal(err)
	}
	insert, sel := r.Scripts[0], r.Scripts[1]
	if insert.Transactions == 0 || insert.Rows != 7*insert.Transactions || sel.Rows != 0 {
		t.Errorf("got %+v and %+v, want 7 rows for each insert and none for a select", insert, sel)
	}
	if share := float64(insert.Transactions) / float64(insert.Transactions+sel.Transactions); math.Abs(share-0.25) > 0.05 {
		t.Errorf("a script of weight 1 of 4 ran in %.3f of the transactions", share)
	}
	if got := query(t, in, "SELECT count(*) FROM t WHERE b = 'arm'"); got < insert.Rows || got%7 != 0 {
		t.Errorf("the server has %d rows, want at least the %d that were measured, by sevens", got, insert.Rows)
	}
	if r.MeasuredNS != 2e9 || !began.Equal(r.Started) || ended.Sub(began) != 2*time.Second {
		t.Errorf("measured %d ns from %v (begin %v, end %v)", r.MeasuredNS, r.Started, began, ended)
	}
	if got, want := decode(t, r, "insert").Count()+decode(t, r, "select").Count(), decode(t, r, "").Count(); got != want || want != insert.Transactions+sel.Transactions {
		t.Errorf("histograms have %d and %d transactions, want %d", got, want, insert.Transactions+sel.Transactions)
	}
	// What is not in a transaction is the client's own time between two of them,
	// which is none by construction; the edges of the interval remain.
	if l := r.Little(clients); math.Abs(l) > 0.05 {
		t.Errorf("Little's law is off by %.3f: %.3f of %d clients", l, r.Concurrency, clients)
	}
	if r.ClientCPUS <= 0 || r.ConnectS <= 0 {
		t.Errorf("client CPU %v s, connecting %v s, want more than 0", r.ClientCPUS, r.ConnectS)
	}
	checkSeries(t, r)
	if len(ticks) < 4 || ticks[0].Phase != "connect" || ticks[1].Phase != "warm-up" || ticks[len(ticks)-1].Phase != "measure" ||
		ticks[len(ticks)-1].Transactions != insert.Transactions+sel.Transactions || ticks[len(ticks)-1].P99NS <= 0 {
		t.Errorf("ticks: %+v", ticks)
	}
}

// checkSeries: all six are there, ascending, before and after zero, and the
// rates of the measured seconds add up to the count.
func checkSeries(t *testing.T, r load.Result) {
	t.Helper()
	if len(r.Series) != 6 {
		t.Fatalf("got %d series, want 6", len(r.Series))
	}
	for _, s := range r.Series {
		if len(s.At) != len(s.Value) || len(s.At) < 3 || s.At[0] >= 0 || s.At[len(s.At)-1] != r.MeasuredNS {
			t.Errorf("%s: at %v, values %v", s.Name, s.At, s.Value)
			continue
		}
		sum, last := 0.0, int64(0)
		for i, at := range s.At {
			if i > 0 && at <= s.At[i-1] {
				t.Errorf("%s does not ascend: %v", s.Name, s.At)
			}
			if at > 0 {
				sum += s.Value[i] * float64(at-last) / 1e9
				last = at
			}
		}
		want := float64(r.Scripts[0].Transactions + r.Scripts[1].Transactions)
		// Clients that end a transaction while the monitor looks may be seen a
		// little later; the last look is not after the end.
		if s.Name == pgassay.SeriesTPS && math.Abs(sum-want) > 4 {
			t.Errorf("tps over the interval is %.1f transactions, want %.0f", sum, want)
		}
		if s.Name == pgassay.SeriesInFlight && s.Value[len(s.Value)-1] > 4 {
			t.Errorf("in flight: %v, want at most the clients", s.Value)
		}
	}
}

// TestFaults: what is wrong with a script or a configuration is said before any
// load, with script and line.
func TestFaults(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	for _, c := range []struct{ says, text, protocol, want, hint string }{
		{"a syntax error on the second line of a statement", "SELECT 1;\nSELECT\n 1 +;", "", "bad.sql:3: syntax error at or near \";\"", ""},
		{"a table that is not there", "SELECT * FROM nowhere;", "", `bad.sql:1: relation "nowhere" does not exist`, ""},
		{"a syntax error beside DDL", "CREATE TABLE x (a int);\nSELEC 1;", "", `bad.sql:2: syntax error at or near "SELEC"`, ""},
		{"a script error", "\\set x foo(1)", "", "bad.sql:1:8: unknown function foo", ""},
		{"an undefined variable", "SELECT :x;", "", "bad.sql:1:8: undefined variable :x", ""},
		{"a variable where no parameter can be", "\\set n 1\nCREATE TABLE t (a int DEFAULT :n, b int) WITH (fillfactor = :n);", "", "bad.sql:2: syntax error", "simple protocol"},
		{"COPY from the client", "COPY t FROM STDIN;", "", "bad.sql:1: COPY FROM STDIN needs data", ""},
		{"an unknown protocol", "SELECT 1;", "quick", `unknown protocol "quick"`, ""},
	} {
		_, err := load.Run(t.Context(), load.Config{
			Target: in.Target(), Scripts: one("bad.sql", c.text), Clients: 1, Measure: transactions(1), Protocol: c.protocol,
			Begin: func(time.Time) { t.Errorf("%s: the load began", c.says) },
		})
		want := strings.ReplaceAll(c.want, ` at or near ";"`, "")
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, pgassay.ErrUsage) || !strings.Contains(pgassay.Hint(err), c.hint) {
			t.Errorf("%s: got %v (hint %q), want %s", c.says, err, pgassay.Hint(err), c.want)
		}
	}
	for says, c := range map[string]load.Config{
		"no clients":       {Target: in.Target(), Scripts: one("x", "SELECT 1;"), Measure: transactions(1)},
		"no measure":       {Target: in.Target(), Scripts: one("x", "SELECT 1;"), Clients: 1},
		"two measures":     {Target: in.Target(), Scripts: one("x", "SELECT 1;"), Clients: 1, Measure: pgassay.Measure{Transactions: 1, Duration: 1}},
		"no script":        {Target: in.Target(), Clients: 1, Measure: transactions(1)},
		"no target":        {Scripts: one("x", "SELECT 1;"), Clients: 1, Measure: transactions(1)},
		"negative warm-up": {Target: in.Target(), Scripts: one("x", "SELECT 1;"), Clients: 1, Measure: transactions(1), Warmup: -1},
	} {
		if _, err := load.Run(t.Context(), c); !errors.Is(err, pgassay.ErrUsage) {
			t.Errorf("%s: got %v, want a usage error", says, err)
		}
	}
}

// TestScriptEndsRun: a fault that shows at run time ends the run.
func TestScriptEndsRun(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	for _, c := range []struct{ says, text, want string }{
		{"division by zero", "SELECT 1;\n\\set x 1 / (:client_id - :client_id)", "late.sql:2: division by zero"},
		{"a block left open", "BEGIN;", "late.sql: it ends within a transaction block"},
	} {
		_, err := load.Run(t.Context(), load.Config{
			Target: in.Target(), Scripts: one("late.sql", c.text), Clients: 3, Measure: pgassay.Measure{Duration: time.Hour},
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, pgassay.ErrUsage) {
			t.Errorf("%s: got %v, want %s", c.says, err, c.want)
		}
	}
}

// TestFailures: failures are counted by class, and committed + failed is what
// was asked for.
func TestFailures(t *testing.T) {
	in := labtest.Server(t, labtest.Options{Settings: map[string]string{"deadlock_timeout": "5ms"}})
	in.Exec(t, "CREATE TABLE pair (id int PRIMARY KEY, n int NOT NULL); INSERT INTO pair VALUES (1, 0), (2, 0); CREATE TABLE log (n int)")
	for _, c := range []struct{ says, text, code string }{
		{"deadlock", "\\set a random(1, 2)\nBEGIN;\nINSERT INTO log VALUES (1);\nUPDATE pair SET n = n + 1 WHERE id = :a;\nSELECT pg_sleep(0.002);\nUPDATE pair SET n = n + 1 WHERE id = 3 - :a;\nEND;", "40P01"},
		{"serialization", "BEGIN ISOLATION LEVEL SERIALIZABLE;\nINSERT INTO log VALUES (1);\nSELECT sum(n) FROM pair;\nUPDATE pair SET n = n + 1 WHERE id = 1;\nEND;", "40001"},
		{"timeout", "\\set ms random(0, 1) * 100000\nBEGIN;\nSET LOCAL statement_timeout = 20;\nINSERT INTO log VALUES (1);\nSELECT pg_sleep(:ms);\nEND;", "57014"},
		{"an error outside of a block", "\\set x random(0, 1)\nINSERT INTO log SELECT 1 / :x;", "22012"},
	} {
		in.Exec(t, "TRUNCATE log")
		const n = 60
		r, err := load.Run(t.Context(), load.Config{Target: in.Target(), Scripts: one(c.says, c.text), Clients: 6, Measure: transactions(n), Seed: 5})
		if err != nil {
			t.Fatalf("%s: %v", c.says, err)
		}
		s := r.Scripts[0]
		if s.Transactions+s.Failed != n || s.Failed == 0 || s.Errors[c.code] != s.Failed || !strings.Contains(s.FirstError, "SQLSTATE "+c.code) {
			t.Errorf("%s: got %+v, want %d in all, some of them %s", c.says, s, n, c.code)
		}
		if got := query(t, in, "SELECT count(*) FROM log"); got != s.Transactions {
			t.Errorf("%s: the server committed %d, we counted %d", c.says, got, s.Transactions)
		}
		if got := query(t, in, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgassay/load'"); got != 0 {
			t.Errorf("%s: %d sessions are left", c.says, got)
		}
	}
}

// TestKilled: clients whose backend is killed connect again and go on.
func TestKilled(t *testing.T) {
	for _, engine := range wire.Names {
		in := labtest.Server(t, labtest.Options{})
		in.Exec(t, "CREATE TABLE log (n int)")
		conn := in.Conn(t)
		var once sync.Once
		const n = 3000
		r, err := load.Run(t.Context(), load.Config{
			Target: in.Target(), Scripts: one("insert", "BEGIN;\nINSERT INTO log VALUES (1);\nEND;"), Clients: 5, Measure: transactions(n), Engine: engine,
			Begin: func(time.Time) {
				once.Do(func() {
					if _, err := conn.Exec(context.Background(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pgassay/load'"); err != nil {
						t.Error(err)
					}
				})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		s := r.Scripts[0]
		if s.Transactions+s.Failed != n || s.Failed == 0 || s.Failed > 5 || s.Errors["connection"] != s.Failed {
			t.Errorf("%s: got %+v, want %d in all, one to five of them lost", engine, s, n)
		}
		// A backend may be killed between its commit and its answer.
		if got := query(t, in, "SELECT count(*) FROM log"); got < s.Transactions || got > s.Transactions+s.Failed {
			t.Errorf("%s: the server committed %d, we counted %d and %d unknown", engine, got, s.Transactions, s.Failed)
		}
	}
}

// TestServerStops: when the server is gone for good, Run says how many clients
// lost it and returns what was measured.
func TestServerStops(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		in := labtest.Server(t, labtest.Options{})
		began := make(chan struct{})
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			<-began
			in.Stop(t, 3)
		}()
		var once sync.Once
		r, err := load.Run(t.Context(), load.Config{
			Target: in.Target(), Scripts: one("s", "SELECT 1;"), Clients: 3, Measure: pgassay.Measure{Duration: time.Hour}, Engine: engine,
			Tick: func(k load.Tick) {
				if k.Phase == "measure" && k.Transactions > 0 {
					once.Do(func() { close(began) })
				}
			},
		})
		<-stopped
		if err == nil || !strings.Contains(err.Error(), "3 of 3 clients lost the server") {
			t.Errorf("%s: got %v, want all clients to have lost the server", engine, err)
		}
		if s := r.Scripts[0]; s.Transactions == 0 || s.Errors["connection"] != 3 || r.MeasuredNS <= 0 {
			t.Errorf("%s: got %+v in %d ns", engine, s, r.MeasuredNS)
		}
	})
}

// TestCancel: when the context ends Run returns what was measured, and no
// statement is left on the server.
func TestCancel(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		in := labtest.Server(t, labtest.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		r, err := load.Run(ctx, load.Config{
			Target: in.Target(), Scripts: []pgassay.Script{{Name: "quick", Text: "SELECT 1;", Weight: 50}, {Name: "slow", Text: "SELECT pg_sleep(3600);", Weight: 1}},
			Clients: 4, Measure: pgassay.Measure{Duration: time.Hour}, Engine: engine,
			End: func(time.Time) { t.Error("End was called") },
			Tick: func(k load.Tick) {
				if k.Phase == "measure" {
					cancel()
				}
			},
		})
		cancel()
		if !errors.Is(err, context.Canceled) || r.Scripts[0].Transactions == 0 || r.MeasuredNS <= 0 || r.MeasuredNS > int64(time.Minute) {
			t.Errorf("%s: got %v, %+v in %d ns", engine, err, r.Scripts, r.MeasuredNS)
		}
	})
}

// TestSlowEnd: a transaction that outlives the interval is cancelled after the
// grace; it is no error and does not count.
func TestSlowEnd(t *testing.T) {
	t.Parallel()
	in := labtest.Server(t, labtest.Options{})
	r, err := load.Run(t.Context(), load.Config{
		Target: in.Target(), Scripts: one("slow", "SELECT pg_sleep(3600);"), Clients: 2, Measure: pgassay.Measure{Duration: 100 * time.Millisecond},
	})
	if err != nil || r.Scripts[0].Transactions+r.Scripts[0].Failed != 0 {
		t.Errorf("got %v, %+v, want nothing", err, r.Scripts)
	}
	// The server acts on a cancel a moment after it was asked to.
	tick, limit := time.NewTicker(20*time.Millisecond), time.After(30*time.Second)
	defer tick.Stop()
	for query(t, in, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") != 0 {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("statements run on 30 s after the end")
		}
	}
}

// TestKeysOnServer: one seed gives the same keys, client by client, whatever the
// engine and the protocol.
func TestKeysOnServer(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	in.Exec(t, "CREATE TABLE keys (no serial, client int, k bigint)")
	var first string
	for i, c := range []struct{ engine, protocol string }{{"", "prepared"}, {"net", "prepared"}, {"pgconn", "prepared"}, {"", "simple"}} {
		in.Exec(t, "TRUNCATE keys")
		_, err := load.Run(t.Context(), load.Config{
			Target: in.Target(), Scripts: one("keys", "\\set k random_zipfian(1, 1000000, 1.1)\nINSERT INTO keys (client, k) VALUES (:client_id, :k);"),
			Clients: 3, Measure: transactions(300), Seed: 11, Engine: c.engine, Protocol: c.protocol,
		})
		if err != nil {
			t.Fatal(err)
		}
		// How many transactions a client got varies; the keys it began with do not.
		got := in.Query1(t, "SELECT string_agg(k::text, ' ' ORDER BY client, n) FROM (SELECT client, k, row_number() OVER (PARTITION BY client ORDER BY no) n FROM keys) s WHERE n <= 4")
		if i == 0 {
			first = got
		}
		if got != first || len(strings.Fields(got)) < 4 {
			t.Errorf("%s, %s: got keys %s, want %s", c.engine, c.protocol, got, first)
		}
	}
}

// TestEmptyScript: a script without SQL does not hang.
func TestEmptyScript(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	r, err := load.Run(t.Context(), load.Config{
		Target: in.Target(), Scripts: one("sets", "\\set x random(1, 2)\n\\if :x = 3\nSELECT 1;\n\\endif"), Clients: 2, Measure: transactions(50),
	})
	if err != nil || r.Scripts[0].Transactions != 50 {
		t.Errorf("got %v, %+v, want 50 transactions", err, r.Scripts)
	}
}

// BenchmarkLoad is the whole path of a transaction on a real server: client
// CPU, and allocations, which are those of a run's start and end divided by its
// transactions, none per transaction.
func BenchmarkLoad(b *testing.B) {
	in := labtest.Server(b, labtest.Options{Settings: map[string]string{"shared_buffers": "64MB"}})
	in.Exec(b, bank)
	for _, c := range []struct{ name, text string }{
		{"select", "\\set aid random(1, 1000 * :scale)\nSELECT balance FROM accounts WHERE aid = :aid;"},
		{"tpcb", tpcb},
	} {
		for _, engine := range wire.Names {
			b.Run(fmt.Sprintf("%s/%s", c.name, engine), func(b *testing.B) {
				b.ReportAllocs()
				r, err := load.Run(context.Background(), load.Config{
					Target: in.Target(), Scripts: one(c.name, c.text), Scale: 2, Clients: 16, Measure: transactions(int64(b.N)), Engine: engine,
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.ClientCPUS*1e6/float64(b.N), "client-µs/txn")
				b.ReportMetric(float64(b.N)/(float64(r.MeasuredNS)/1e9), "tps")
			})
		}
	}
}
