package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/server"
)

// TestStop: however a server is when it is stopped, afterwards it is gone with
// its files, and what was wrong is said.
func TestStop(t *testing.T) {
	h := mustHome(t)
	tpl := mustTemplate(t, h, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(100)})
	defer server.StopWithin(200 * time.Millisecond)()
	for _, c := range []struct {
		sentence string
		before   func(*server.Instance) error
		want     string
	}{
		{"a server that hangs is killed", func(in *server.Instance) error { return in.Signal(syscall.SIGSTOP) }, "was killed"},
		{"a server that ended by itself is no clean stop", func(in *server.Instance) error {
			err := in.Signal(syscall.SIGKILL)
			in.Ended()
			return err
		}, "ended by itself"},
		{"a server that somebody else stopped is no clean stop", func(in *server.Instance) error {
			err := in.Signal(syscall.SIGINT)
			in.Ended()
			return err
		}, "ended by itself"},
		{"a client that does not read what it asked for does not hold up a stop", func(in *server.Instance) error {
			return send(t, in, "SELECT repeat('x', 1000) FROM generate_series(1, 10000000)")
		}, ""},
		{"a busy backend does not outlive a postmaster that was killed", func(in *server.Instance) error {
			return errors.Join(send(t, in, "DO $$ BEGIN LOOP END LOOP; END $$"), in.Signal(syscall.SIGKILL))
		}, "signal: killed"},
		{"a server that was crashed on purpose has nothing left to stop", func(in *server.Instance) error { return in.Crash() }, ""},
	} {
		in, err := h.Instance(limited(t), tpl, server.InstanceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		pid := in.PID()
		if err := c.before(in); err != nil {
			t.Errorf("%s: %v", c.sentence, err)
		}
		_, err = in.Stop(context.Background())
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: got %v, want no error", c.sentence, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want an error with %q", c.sentence, err, c.want)
		}
		if _, alive := server.ProcessStart(pid); alive {
			t.Errorf("%s: process %d is still there", c.sentence, pid)
		}
		if left := processesOn(t, in.Dir()); len(left) > 0 {
			t.Errorf("%s: processes are still there: %v", c.sentence, left)
		}
		if _, err := os.Stat(in.Dir()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %s is still there", c.sentence, in.Dir())
		}
		if _, err := in.Stop(context.Background()); err != nil {
			t.Errorf("%s: the second stop: got %v, want nothing done", c.sentence, err)
		}
	}
}

// send sends a query whose result nobody reads, and waits until it runs.
func send(tb testing.TB, in *server.Instance, sql string) error {
	tb.Helper()
	conn := mustConnect(tb, in)
	tb.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // the server is gone: close without a farewell
		_ = conn.Close(ctx)
	})
	conn.PgConn().Exec(context.Background(), sql)
	pid := conn.PgConn().PID()
	watch := mustConnect(tb, in)
	until(tb, "the query runs", func() bool {
		var state string
		err := watch.QueryRow(limited(tb), "SELECT state FROM pg_stat_activity WHERE pid = $1 AND query = $2", pid, sql).Scan(&state)
		return err == nil && state == "active"
	})
	return watch.Close(limited(tb))
}

// TestLeave: a server that is to be kept outlives the process that made it, is
// left alone while it runs, also by clean, and its files go when it has been
// stopped.
func TestLeave(t *testing.T) {
	h := mustHome(t)
	cmd, out := mustHelper(t, "leave", h.Dir(), mustBuild(t, 0), nil)
	var first int
	var dir, socket string
	if _, err := fmt.Fscan(out, &first, &dir, &socket); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the helper failed: %v", err)
	}
	if removed, err := h.RemoveOrphans(); err != nil || len(removed) > 0 {
		t.Errorf("while the kept server runs: removed %v, %v", removed, err)
	}
	conn, err := dial.Socket(socket, 5432, server.Superuser, server.Superuser).Connect(limited(t), "test")
	if err != nil {
		t.Fatal(err)
	}
	var rows, pid int
	if err := conn.QueryRow(limited(t), "SELECT (SELECT count(*) FROM t), (string_to_array(pg_read_file('postmaster.pid'), E'\\n'))[1]::int").Scan(&rows, &pid); err != nil {
		t.Fatal(err)
	}
	if rows != 1800 || pid == first {
		t.Errorf("the kept server has %d rows and process %d, want 1800 and another than %d", rows, pid, first)
	}
	if err := errors.Join(conn.Close(limited(t)), syscall.Kill(pid, syscall.SIGINT)); err != nil {
		t.Fatal(err)
	}
	until(t, "the kept server ends", func() bool { _, alive := server.ProcessStart(pid); return !alive })
	if removed, err := h.RemoveOrphans(); err != nil || len(removed) != 1 || removed[0] != dir {
		t.Errorf("when the kept server has ended: removed %v, %v, want %s", removed, err, dir)
	}
}
