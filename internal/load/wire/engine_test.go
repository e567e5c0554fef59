package wire_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/load/wire"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// player is a client that sends statements in order and keeps what came back.
type player struct {
	mu     sync.Mutex
	send   []*wire.Statement
	values [][]string // by statement: its parameters, "NULL" for NULL
	got    []string
	then   func(i int)   // called after the i-th reply
	nap    time.Duration // once, before the next statement
	gone   error
}

func (p *player) AppendParam(dst []byte, statement, _, param int) ([]byte, bool) {
	v := p.values[statement][param]
	if v == "NULL" {
		return dst, true
	}
	return append(dst, v...), false
}

func (p *player) Next(int64) wire.Action {
	p.mu.Lock()
	defer p.mu.Unlock()
	if nap := p.nap; nap > 0 {
		p.nap = 0
		return wire.Action{Kind: wire.Sleep, Wait: nap}
	}
	if len(p.got) >= len(p.send) {
		return wire.Action{Kind: wire.Stop}
	}
	return wire.Action{Kind: wire.Send, Statement: p.send[len(p.got)]}
}

func (p *player) Done(_ int64, r *wire.Reply) {
	p.add(fmt.Sprintf("%c rows=%d %s", r.Status, r.Rows, r.Code))
}
func (p *player) Lost(int64, error) { p.add("lost") }
func (p *player) Gone(err error)    { p.gone = err }

func (p *player) add(text string) {
	p.mu.Lock()
	p.got = append(p.got, strings.TrimSpace(text))
	n := len(p.got)
	p.mu.Unlock()
	if p.then != nil {
		p.then(n - 1)
	}
}

// statement cuts "a :1 b; c" into parts at \; and parameters at :N.
func statement(id int, sql string) *wire.Statement {
	st := &wire.Statement{ID: id}
	for i, one := range strings.Split(sql, `\;`) {
		p := wire.Part{Name: fmt.Sprintf("s%d_%d", id, i)}
		for j, piece := range strings.Split(one, ":v") {
			if j > 0 {
				p.SQL += fmt.Sprintf("$%d", j)
			}
			p.SQL += piece
			p.Pieces = append(p.Pieces, piece)
		}
		st.Parts = append(st.Parts, p)
	}
	return st
}

func options(in *labtest.Instance, protocol wire.Protocol, all []*wire.Statement) wire.Options {
	start := time.Now()
	return wire.Options{
		Connect:    func(ctx context.Context) (*pgconn.PgConn, error) { return in.Target().ConnectRaw(ctx, "load") },
		Protocol:   protocol,
		Statements: all,
		Now:        func() int64 { return int64(time.Since(start)) },
		Waits:      []time.Duration{50 * time.Millisecond, 50 * time.Millisecond},
	}
}

// each runs a test for every engine and protocol, on one server.
func each(t *testing.T, test func(t *testing.T, in *labtest.Instance, engine string, protocol wire.Protocol)) {
	in := labtest.Server(t, labtest.Options{})
	for _, engine := range wire.Names {
		for _, protocol := range []wire.Protocol{wire.Simple, wire.Extended, wire.Prepared} {
			t.Run(engine+"/"+string(protocol), func(t *testing.T) { test(t, in, engine, protocol) })
		}
	}
}

// conformance is a session. A sql of "=N" is the statement of case N again.
var conformance = []struct{ says, sql, values, want string }{
	{"a query writes no rows", "SELECT 1", "", "I rows=0"},
	{"an empty statement is fine", "-- nothing", "", "I rows=0"},
	{"a table is made", "CREATE TABLE t (a int PRIMARY KEY, b text)", "", "I rows=0"},
	{"an insert into a table that was not there at the start", "INSERT INTO t VALUES (:v, :v)", "1 'x'", "I rows=1"},
	{"the same statement again fails", "=3", "1 'x'", "I rows=0 23505"},
	{"and works with other values", "=3", "2 NULL", "I rows=1"},
	{"rows are added up", "INSERT INTO t SELECT g FROM generate_series(10, 19) g", "", "I rows=10"},
	{"an update", "UPDATE t SET b = 'y' WHERE a >= :v", "15", "I rows=5"},
	{"a delete", "DELETE FROM t WHERE a > 17", "", "I rows=2"},
	{"a query after it", "SELECT * FROM t", "", "I rows=0"},
	{"a negative number after a minus", "SELECT 1 / (5 -:v)", "-5", "I rows=0"},
	{"an answer longer than any buffer", "SELECT repeat('x', 300000)", "", "I rows=0"},
	{"a notice is no error", "DO $$ BEGIN RAISE NOTICE 'hello'; END $$", "", "I rows=0"},
	{"an error has its SQLSTATE", "SELECT 1 / 0", "", "I rows=0 22012"},
	{"a syntax error", "SELEC 1", "", "I rows=0 42601"},
	{"an error text longer than the buffer", "DO $$ BEGIN RAISE EXCEPTION '" + strings.Repeat("x", 20_000) + "' USING ERRCODE = '22000'; END $$", "", "I rows=0 22000"},
	{"a request longer than any socket buffer", "SELECT length(:v)", "'" + strings.Repeat("x", 4<<20) + "'", "I rows=0"},
	{"many small messages", "SELECT g, repeat('x', g % 77) FROM generate_series(1, 30000) g", "", "I rows=0"},
	{"a parameter's change is told", "SET application_name = 'pgassay/changed'", "", "I rows=0"},
	{"who listens", "LISTEN news", "", "I rows=0"},
	{"hears itself", "NOTIFY news, 'hello'", "", "I rows=0"},
	{"after which all goes on", "SELECT 1", "", "I rows=0"},
	{"a block", "BEGIN", "", "T rows=0"},
	{"a statement in it", "INSERT INTO t VALUES (100)", "", "T rows=1"},
	{"it fails", "SELECT 1 / 0", "", "E rows=0 22012"},
	{"and takes nothing more", "SELECT 1", "", "E rows=0 25P02"},
	{"until it is rolled back", "ROLLBACK", "", "I rows=0"},
	{"the insert is gone", "DELETE FROM t WHERE a = 100", "", "I rows=0"},
	{"statements together", `INSERT INTO t VALUES (200)\; INSERT INTO t VALUES (201)\; SELECT 1`, "", "I rows=2"},
	{"are one transaction", `INSERT INTO t VALUES (300)\; SELECT 1 / 0\; SELECT 1`, "", ""},
	{"so nothing of it stays", "DELETE FROM t WHERE a = 300", "", "I rows=0"},
	{"what was prepared may be thrown away", "DISCARD ALL", "", "I rows=0"},
	{"and then a statement fails at most once", "=3", "400 'x'", "I rows=1|I rows=0 26000"},
	{"and works again", "=3", "401 'x'", "I rows=1"},
}

// TestConformance: every engine reports the same for the same statements.
func TestConformance(t *testing.T) {
	cases := conformance
	each(t, func(t *testing.T, in *labtest.Instance, engine string, protocol wire.Protocol) {
		in.Exec(t, "DROP TABLE IF EXISTS t")
		p := &player{}
		var all []*wire.Statement
		byCase := make([]*wire.Statement, len(cases))
		for i, c := range cases {
			if after, again := strings.CutPrefix(c.sql, "="); again {
				var n int
				fmt.Sscan(after, &n)
				byCase[i] = byCase[n]
			} else {
				byCase[i] = statement(len(all), c.sql)
				all = append(all, byCase[i])
				p.values = append(p.values, nil)
			}
		}
		p.send = byCase
		p.then = func(i int) {
			if i+1 < len(cases) {
				p.values[byCase[i+1].ID] = strings.Fields(cases[i+1].values)
			}
		}
		for i, c := range cases {
			if i == 3 {
				p.values[byCase[i].ID] = strings.Fields(c.values)
			}
		}
		if protocol != wire.Simple { // there a value is the text itself
			next := p.then
			p.then = func(i int) {
				next(i)
				if i+1 < len(cases) {
					for j, v := range p.values[byCase[i+1].ID] {
						p.values[byCase[i+1].ID][j] = strings.Trim(v, "'")
					}
				}
			}
		}
		run(t, engine, options(in, protocol, all), p)
		for i, c := range cases {
			if i >= len(p.got) {
				t.Fatalf("%d of %d statements were answered; gone: %v", len(p.got), len(cases), p.gone)
			}
			// In a failed implicit transaction the rows of its first part may or may
			// not have been counted.
			if c.want == "" {
				c.want = "I rows=1 22012|I rows=0 22012"
			}
			if !slices.Contains(strings.Split(c.want, "|"), p.got[i]) {
				t.Errorf("%s: got %s, want %s", c.says, p.got[i], c.want)
			}
		}
	})
}

func run(t *testing.T, engine string, o wire.Options, players ...*player) {
	t.Helper()
	e, err := wire.New(engine, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Open(t.Context(), len(players)); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var clients []wire.Client
	for _, p := range players {
		clients = append(clients, p)
	}
	e.Run(t.Context(), clients)
}

// TestReconnect: a backend that is killed is replaced, and the client goes on.
func TestReconnect(t *testing.T) {
	each(t, func(t *testing.T, in *labtest.Instance, engine string, protocol wire.Protocol) {
		all := []*wire.Statement{statement(0, "SELECT 1"), statement(1, "SELECT pg_terminate_backend(pg_backend_pid())")}
		p := &player{send: []*wire.Statement{all[0], all[1], all[0]}}
		run(t, engine, options(in, protocol, all), p)
		if diff := cmp.Diff([]string{"I rows=0", "lost", "I rows=0"}, p.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestGone: a server that stays away is given up after a bounded number of tries.
func TestGone(t *testing.T) {
	for _, engine := range wire.Names {
		in := labtest.Server(t, labtest.Options{})
		all := []*wire.Statement{statement(0, "SELECT 1")}
		p := &player{send: []*wire.Statement{all[0], all[0], all[0]}}
		p.then = func(i int) {
			if i == 0 {
				in.Stop(t, 9)
			}
		}
		run(t, engine, options(in, wire.Prepared, all), p)
		if p.gone == nil || len(p.got) != 2 || p.got[1] != "lost" {
			t.Errorf("%s: got %v, gone %v, want one answer, one loss and an error", engine, p.got, p.gone)
		}
	}
}

// TestCancel: when the context ends, a statement that runs is cancelled on the
// server and Run returns.
func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, in *labtest.Instance, engine string, protocol wire.Protocol) {
		all := []*wire.Statement{statement(0, "SELECT pg_sleep(3600)")}
		e, err := wire.New(engine, options(in, protocol, all))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Open(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			e.Run(ctx, []wire.Client{&player{send: all}, &player{send: all}})
		}()
		const sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
		await(t, in, sleeping, "2")
		cancel()
		<-done
		await(t, in, sleeping, "0")
	})
}

// await asks until the answer is want.
func await(t *testing.T, in *labtest.Instance, sql, want string) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for in.Query1(t, sql) != want {
		select {
		case <-deadline.C:
			t.Fatalf("%s never was %s", sql, want)
		case <-tick.C:
		}
	}
}

// napper sleeps between its statements and checks that it slept long enough.
type napper struct {
	repeat

	naps   []time.Duration
	asleep bool
	until  int64
	early  int
}

func (n *napper) Next(now int64) wire.Action {
	if n.asleep && now < n.until {
		n.early++
	}
	if n.asleep = !n.asleep && len(n.naps) > 0; n.asleep {
		wait := n.naps[0]
		n.naps = n.naps[1:]
		n.until = now + int64(wait)
		return wire.Action{Kind: wire.Sleep, Wait: wait}
	}
	return n.repeat.Next(now)
}

// TestSleep: nobody wakes early, and everybody wakes, whoever else sleeps.
func TestSleep(t *testing.T) {
	each(t, func(t *testing.T, in *labtest.Instance, engine string, protocol wire.Protocol) {
		all := []*wire.Statement{statement(0, "SELECT :v::int")}
		e, err := wire.New(engine, options(in, protocol, all))
		if err != nil {
			t.Fatal(err)
		}
		const clients, statements = 5, 20
		if err := e.Open(t.Context(), clients); err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		var nappers []*napper
		var list []wire.Client
		for i := range clients {
			n := &napper{repeat: repeat{st: all[0], left: statements}}
			for j := range statements {
				n.naps = append(n.naps, time.Duration((i*7+j*11)%9)*500*time.Microsecond) // also none
			}
			nappers, list = append(nappers, n), append(list, n)
		}
		e.Run(t.Context(), list)
		for i, n := range nappers {
			if n.early > 0 || n.left != -1 || n.bad != "" || len(n.naps) > 0 {
				t.Errorf("client %d woke early %d times, has %d statements and %d naps left, %s", i, n.early, n.left+1, len(n.naps), n.bad)
			}
		}
	})
}

// TestKilledAsleep: a connection that ends while its client sleeps is found
// broken at the next statement, and only there.
func TestKilledAsleep(t *testing.T) {
	each(t, func(t *testing.T, in *labtest.Instance, engine string, protocol wire.Protocol) {
		all := []*wire.Statement{statement(0, "SELECT pg_backend_pid()"), statement(1, "SELECT 1")}
		p := &player{send: []*wire.Statement{all[0], all[1], all[1]}}
		p.then = func(i int) {
			if i == 0 {
				in.Exec(t, "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'pgassay/load'")
				p.nap = 10 * time.Millisecond
			}
		}
		run(t, engine, options(in, protocol, all), p)
		if diff := cmp.Diff([]string{"I rows=0", "lost", "I rows=0"}, p.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestCopy: the engines of ours read what COPY sends, and lose the session that
// waits for data.
func TestCopy(t *testing.T) {
	for _, engine := range wire.Names {
		if engine == "pgconn" {
			continue // it has calls of their own for COPY
		}
		in := labtest.Server(t, labtest.Options{})
		in.Exec(t, "CREATE TABLE t AS SELECT repeat('x', 100) FROM generate_series(1, 5000)")
		for _, protocol := range []wire.Protocol{wire.Simple, wire.Extended, wire.Prepared} {
			all := []*wire.Statement{statement(0, "COPY t TO STDOUT"), statement(1, "COPY t FROM STDIN"), statement(2, "SELECT 1")}
			p := &player{send: []*wire.Statement{all[0], all[1], all[2]}}
			run(t, engine, options(in, protocol, all), p)
			if diff := cmp.Diff([]string{"I rows=5000", "lost", "I rows=0"}, p.got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", engine, protocol, diff)
			}
		}
	}
}

// TestNew: names and protocols that do not exist are refused.
func TestNew(t *testing.T) {
	if _, err := wire.New("smoke", wire.Options{Protocol: wire.Prepared}); err == nil {
		t.Error("an unknown engine was made")
	}
	if _, err := wire.New("", wire.Options{Protocol: "quick"}); err == nil {
		t.Error("an engine for an unknown protocol was made")
	}
}

// TestCheck: faults come with their statement and line, nothing is executed.
func TestCheck(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	conn, err := in.Target().ConnectRaw(t.Context(), "check")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	all := []*wire.Statement{statement(0, "CREATE TABLE t (a int)"), statement(1, `SELECT 1\; SELECT 'ü',
	:v +
	FROM x`), statement(2, "SELECT * FROM t")}
	faults, err := wire.Check(t.Context(), conn, wire.Prepared, all)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range faults {
		got = append(got, fmt.Sprintf("%d.%d+%d %s", f.Statement, f.Part, f.Line, f.Err.Code))
	}
	if diff := cmp.Diff([]string{"1.1+2 42601", "2.0+0 42P01"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	faults, err = wire.Check(t.Context(), conn, wire.Simple, all[1:2])
	if err != nil || len(faults) != 0 {
		t.Errorf("the simple protocol: got %v, %v, want no faults: variables may stand for any text", faults, err)
	}
}

// repeat is a client that sends one statement n times.
type repeat struct {
	st   *wire.Statement
	left int
	bad  string
}

func (r *repeat) AppendParam(dst []byte, _, _, _ int) ([]byte, bool) {
	return append(dst, "12345"...), false
}
func (r *repeat) Next(int64) wire.Action {
	if r.left--; r.left < 0 {
		return wire.Action{Kind: wire.Stop}
	}
	return wire.Action{Kind: wire.Send, Statement: r.st}
}
func (r *repeat) Done(_ int64, reply *wire.Reply) { r.bad += reply.Code }
func (r *repeat) Lost(_ int64, err error)         { r.bad += err.Error() }
func (r *repeat) Gone(err error)                  { r.bad += err.Error() }

// TestAllocations: a round trip allocates nothing. What is allocated belongs to
// the start of a run.
func TestAllocations(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	all := []*wire.Statement{statement(0, "SELECT :v::int")}
	for _, engine := range wire.Names {
		if engine == "pgconn" {
			continue // it allocates
		}
		for _, protocol := range []wire.Protocol{wire.Simple, wire.Extended, wire.Prepared} {
			e, err := wire.New(engine, options(in, protocol, all))
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Open(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			const trips = 3000
			r := &repeat{st: all[0], left: trips}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			e.Run(t.Context(), []wire.Client{r})
			runtime.ReadMemStats(&after)
			e.Close()
			if n := after.Mallocs - before.Mallocs; n > trips/10 || r.bad != "" {
				t.Errorf("%s, %s: %d allocations in %d round trips, %s", engine, protocol, n, trips, r.bad)
			}
		}
	}
}

// BenchmarkRoundTrip is the cost of a round trip with one client, prepared.
func BenchmarkRoundTrip(b *testing.B) {
	in := labtest.Server(b, labtest.Options{})
	all := []*wire.Statement{statement(0, "SELECT :v::int")}
	for _, engine := range wire.Names {
		b.Run(engine, func(b *testing.B) {
			e, err := wire.New(engine, options(in, wire.Prepared, all))
			if err != nil {
				b.Fatal(err)
			}
			if err := e.Open(context.Background(), 1); err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			b.ReportAllocs()
			b.ResetTimer()
			r := &repeat{st: all[0], left: b.N}
			e.Run(context.Background(), []wire.Client{r})
			if r.bad != "" {
				b.Fatal(r.bad)
			}
		})
	}
}
