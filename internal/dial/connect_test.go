package dial_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/labtest"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	defer dial.Hurry()()
	goleak.VerifyTestMain(m)
}

// guarded is a server with a password, a peer and a closed user, and one slot
// for ordinary users.
func guarded(t *testing.T) *labtest.Instance {
	in := labtest.Server(t, labtest.Options{Database: "lab", Settings: map[string]string{"max_connections": "6", "superuser_reserved_connections": "3", "max_wal_senders": "0"}})
	in.Exec(t, `CREATE ROLE pw LOGIN PASSWORD 'right:\word'; CREATE ROLE peerless LOGIN; CREATE ROLE closed LOGIN; CREATE ROLE nologin;
		CREATE ROLE plain LOGIN CONNECTION LIMIT 10`)
	in.Exec(t, "CREATE DATABASE private")
	in.Exec(t, `REVOKE CONNECT ON DATABASE private FROM PUBLIC`)
	hba := "local all pw scram-sha-256\nlocal all peerless peer\nlocal all postgres,plain,nologin,absent trust\n"
	if err := os.WriteFile(filepath.Join(in.DataDir, "pg_hba.conf"), []byte(hba), 0o600); err != nil {
		t.Fatal(err)
	}
	in.Stop(t, syscall.SIGINT) // a reload would take effect some time later
	in.Start(t)
	return in
}

// TestErrors holds the text and the advice of every kind of failure against a
// golden file, and which are tried again.
func TestErrors(t *testing.T) {
	in := guarded(t)
	w := newWorld(t)
	w.vars["PGUSER"], w.vars["PGDATABASE"] = "plain", "lab"
	badPass := w.write(t, "badpass", "*:*:*:*:wrong", 0o600)
	hanging, closing, tlsPort := listen(t, hang), listen(t, hangUp), listen(t, shakeHands(t))
	starting := listen(t, func(_ int, c net.Conn) { refuse(c, "57P03", "the database system is starting up") })
	plain := listen(t, func(_ int, c net.Conn) { forward(c, filepath.Join(in.SocketDir, ".s.PGSQL.5432")) })
	nobody, err := net.Listen("tcp", "127.0.0.1:0") // its port is free after Close
	if err != nil {
		t.Fatal(err)
	}
	free := fmt.Sprint(nobody.Addr().(*net.TCPAddr).Port)
	nobody.Close()

	tests := []struct {
		name  string
		dsn   string
		tries int
	}{
		{"wrong password in a variable", "user=pw host=" + in.SocketDir, 1},
		{"wrong password in the string", "user=pw password=wrong host=" + in.SocketDir, 1},
		{"wrong password in a file", "user=pw passfile=" + badPass + " host=" + in.SocketDir, 1},
		{"no password", "user=pw host=" + in.SocketDir, 1},
		{"peer", "user=peerless host=" + in.SocketDir, 1},
		{"no pg_hba line", "user=closed host=" + in.SocketDir, 1},
		{"no such role", "user=absent host=" + in.SocketDir, 1},
		{"role without login", "user=nologin host=" + in.SocketDir, 1},
		{"no such database", "dbname=missing host=" + in.SocketDir, 1},
		{"no right on the database", "dbname=private host=" + in.SocketDir, 1},
		{"unknown parameter", "options='-c wrok_mem=1MB' host=" + in.SocketDir, 1},
		{"no socket", "host=" + w.home, 3},
		{"socket's path too long", "host=/" + strings.Repeat("x", 120), 1},
		{"nobody listens", "host=127.0.0.1 port=" + free, 3},
		{"nobody listens, no TLS wanted", "sslmode=disable host=127.0.0.1 port=" + free, 3},
		{"the server hangs", "sslmode=disable host=127.0.0.1 port=" + hanging.port, 3},
		{"the server hangs up", "sslmode=disable host=127.0.0.1 port=" + closing.port, 3},
		{"the server starts up", "sslmode=disable host=127.0.0.1 port=" + starting.port, 3},
		{"no TLS", "sslmode=require host=127.0.0.1 port=" + plain.port, 1},
		{"unknown authority", "sslmode=verify-full host=127.0.0.1 port=" + tlsPort.port, 1},
		{"two hosts", "host=127.0.0.1," + w.home + " sslmode=disable port=" + free, 3},
	}
	var got strings.Builder
	for _, tt := range tests {
		delete(w.vars, "PGPASSWORD")
		if strings.Contains(tt.name, "variable") {
			w.vars["PGPASSWORD"] = "wrong"
		}
		target, err := dial.Parse(dial.Flags{DSN: tt.dsn}, w.env)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		_, err = target.WithTimeout(200*time.Millisecond).ConnectRaw(t.Context(), "test")
		if err == nil {
			t.Fatalf("%s: connected", tt.name)
		}
		if !errors.Is(err, pgassay.ErrConnect) {
			t.Errorf("%s: %v does not wrap ErrConnect", tt.name, err)
		}
		if retried := strings.Contains(err.Error(), "(3 tries)"); retried != (tt.tries == 3) || retried != dial.Retriable(err) {
			t.Errorf("%s: tried again: %v, want %v", tt.name, retried, tt.tries == 3)
		}
		if got, want := target.NeedsPassword(err), tt.name == "no password"; got != want {
			t.Errorf("%s: NeedsPassword: got %v, want %v", tt.name, got, want)
		}
		fmt.Fprintf(&got, "# %s\n%v\n-> %s\n\n", tt.name, err, pgassay.Hint(err))
	}
	text := strings.NewReplacer(in.SocketDir, "SOCKETS", w.home, "HOME", ":"+free, ":FREE", "PGSQL."+free, "PGSQL.FREE", ":"+hanging.port, ":HANGS", ":"+closing.port, ":CLOSES",
		":"+starting.port, ":STARTS", ":"+plain.port, ":PLAIN", ":"+tlsPort.port, ":TLS").Replace(got.String())
	golden(t, "errors.golden", text)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); go test -rewrite accepts:\n%s", name, diff)
	}
}

// TestConnect: what a session is called and has, by both ways to connect.
func TestConnect(t *testing.T) {
	in := guarded(t)
	w := newWorld(t)
	w.write(t, ".pgpass", strings.Join([]string{"*:*:nosuch:pw:wrong", in.SocketDir + `:5432:lab:pw:right\:\\word`, "*:*:*:*:wrong"}, "\n"), 0o600)
	w.write(t, ".pg_service.conf", "[lab]\nhost="+in.SocketDir+"\ndbname=lab\nuser=pw\n", 0o600)
	w.vars["PGSERVICE"], w.vars["PGOPTIONS"], w.vars["PGTZ"], w.vars["PGAPPNAME"] = "lab", "-c work_mem=7MB", "Asia/Tokyo", "other"
	target, err := dial.Parse(dial.Flags{}, w.env)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := target.WithOption("synchronous_commit", "off").Connect(t.Context(), "collector")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	const ask = `SELECT concat_ws(' ', current_user, current_database(), current_setting('application_name'), current_setting('work_mem'),
		current_setting('timezone'), current_setting('synchronous_commit'), current_setting('client_encoding'), current_setting('statement_timeout'))`
	var got string
	if err := conn.QueryRow(t.Context(), ask).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if want := "pw lab pgassay/collector 7MB Asia/Tokyo off UTF8 0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	raw, err := in.Target().WithDatabase("private").ConnectRaw(t.Context(), "raw")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close(context.Background())
	results, err := raw.Exec(t.Context(), ask).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(results[0].Rows[0][0]), "postgres private pgassay/raw 4MB"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q…", got, want)
	}
}

// TestRetry: a server that starts up or is full is tried again, and reached.
func TestRetry(t *testing.T) {
	in := guarded(t)
	w := newWorld(t)
	for _, code := range []string{"57P03", "53300"} {
		f := listen(t, func(n int, c net.Conn) {
			if n < 3 {
				refuse(c, code, "not now")
				return
			}
			forward(c, filepath.Join(in.SocketDir, ".s.PGSQL.5432"))
		})
		target, err := dial.Parse(dial.Flags{DSN: "sslmode=disable user=plain dbname=lab host=127.0.0.1 port=" + f.port}, w.env)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := target.ConnectRaw(t.Context(), "test")
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if got := f.count.Load(); got != 3 {
			t.Errorf("%s: got %d tries, want 3", code, got)
		}
	}
}

// TestFull: a real server without a free slot.
func TestFull(t *testing.T) {
	in := guarded(t)
	w := newWorld(t)
	target, err := dial.Parse(dial.Flags{Host: in.SocketDir, User: "plain", Database: "lab"}, w.env)
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		conn, err := target.Connect(t.Context(), "test")
		if err == nil {
			defer conn.Close(context.Background())
			continue
		}
		if !dial.Retriable(err) || !strings.Contains(err.Error(), "(3 tries)") || !strings.Contains(pgassay.Hint(err), "max_connections") {
			t.Errorf("got %v (hint %s)", err, pgassay.Hint(err))
		}
		return
	}
	t.Error("the server has more slots than max_connections")
}

// TestCancel: the caller's end stops the tries and is not a failure to connect.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := listen(t, func(_ int, c net.Conn) {
		cancel()
		hang(0, c)
	})
	w := newWorld(t)
	target, err := dial.Parse(dial.Flags{DSN: "sslmode=disable user=u host=127.0.0.1 port=" + f.port}, w.env)
	if err != nil {
		t.Fatal(err)
	}
	_, err = target.Connect(ctx, "test")
	if !errors.Is(err, context.Canceled) || errors.Is(err, pgassay.ErrConnect) {
		t.Errorf("got %v, want a cancelled context", err)
	}
	if got := f.count.Load(); got != 1 {
		t.Errorf("got %d tries, want 1", got)
	}
}
