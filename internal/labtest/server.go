package labtest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgassay/pgassay/internal/dial"
)

// Options say which server a test needs. The zero value is any version with
// its default settings, except what makes it quick (see [Server]).
type Options struct {
	// Major is the major version; 0 is any.
	Major int
	// Settings go to postgresql.conf, with PostgreSQL's syntax for values.
	Settings map[string]string
	// Database is created when it is not "" or "postgres".
	Database string
}

// Instance is a running server of a test.
type Instance struct {
	// DataDir is its data directory, BinDir that of its binaries, SocketDir
	// that of its Unix socket; LogPath is the server's log (its standard error).
	DataDir, BinDir, SocketDir, LogPath string
	// PID is the postmaster's process; it changes with [Instance.Start].
	PID int

	database string
	proc     *process
}

// port is part of the socket's name only: every instance has its own directory.
const port = 5432

// patience limits each wait for a server. It is that long because machines
// that test are slow and shared.
const patience = 2 * time.Minute

// Server starts a server for the test and stops and removes it at its end. It
// listens on a Unix socket only, does not fsync, and has 16 MB of shared
// buffers unless opt.Settings say otherwise. When the test fails, the end of
// the server's log is shown.
func Server(tb testing.TB, opt Options) *Instance {
	tb.Helper()
	in, err := create(tb, opt)
	if err != nil {
		tb.Fatalf("create server: %v", err)
	}
	in.Start(tb)
	if in.database != Superuser {
		conn, err := in.Target().WithDatabase("postgres").ConnectRaw(context.Background(), "labtest")
		if err != nil {
			tb.Fatal(err)
		}
		defer conn.Close(context.Background())
		name := `"` + strings.ReplaceAll(in.database, `"`, `""`) + `"`
		if _, err := conn.Exec(context.Background(), "CREATE DATABASE "+name).ReadAll(); err != nil {
			tb.Fatalf("create database %s: %v", in.database, err)
		}
	}
	return in
}

// create makes the directories and the configuration.
func create(tb testing.TB, opt Options) (*Instance, error) {
	tb.Helper()
	bin := BinDir(tb, opt.Major)
	base, err := os.MkdirTemp(shortTemp(), "pgassay-test-")
	if err != nil {
		return nil, err
	}
	in := &Instance{
		DataDir: filepath.Join(base, "data"), BinDir: bin, SocketDir: filepath.Join(base, "s"),
		LogPath: filepath.Join(base, "log"), database: opt.Database,
	}
	if in.database == "" {
		in.database = "postgres"
	}
	tb.Cleanup(func() { in.cleanup(tb, base) })
	if err := os.Mkdir(in.SocketDir, 0o700); err != nil {
		return nil, err
	}
	for _, dir := range []string{base, in.SocketDir} {
		if err := serverUser().give(dir); err != nil {
			return nil, err
		}
	}
	if err := populate(bin, in.DataDir, base); err != nil {
		return nil, err
	}
	return in, in.configure(opt.Settings)
}

// shortTemp is a temporary directory with a short name: a socket's path has at
// most 107 bytes (103 on macOS).
func shortTemp() string {
	if dir := os.TempDir(); len(dir) <= 40 {
		return dir
	}
	return "/tmp"
}

// configure appends to postgresql.conf, so that ALTER SYSTEM still wins.
func (in *Instance) configure(settings map[string]string) error {
	all := map[string]string{
		"listen_addresses": "", "unix_socket_directories": in.SocketDir, "port": fmt.Sprint(port),
		"fsync": "off", "shared_buffers": "16MB", "logging_collector": "off",
	}
	maps.Copy(all, settings)
	f, err := os.OpenFile(filepath.Join(in.DataDir, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(f, "%s = '%s'\n", name, strings.ReplaceAll(all[name], "'", "''"))
	}
	return f.Close()
}

// Start starts the server and waits until it takes connections. It may follow
// [Instance.Stop].
func (in *Instance) Start(tb testing.TB) {
	tb.Helper()
	log, err := os.OpenFile(in.LogPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		tb.Fatalf("open server log: %v", err)
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(in.BinDir, "postgres"), "-D", in.DataDir)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = in.DataDir, serverEnv(), log, log
	if in.proc, err = start(cmd); err != nil {
		tb.Fatalf("start server: %v", err)
	}
	in.PID = in.proc.pid
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !in.ready() {
		select {
		case <-in.proc.done:
			tb.Fatalf("start server: it ended: %v\n%s", in.proc.err, in.logTail())
		case <-deadline.C:
			tb.Fatalf("start server: not ready after %v\n%s", patience, in.logTail())
		case <-tick.C:
		}
	}
}

// ready reads postmaster.pid, whose eighth line says what the server is up to.
func (in *Instance) ready() bool {
	text, err := os.ReadFile(filepath.Join(in.DataDir, "postmaster.pid"))
	if err != nil {
		return false
	}
	lines := strings.Split(string(text), "\n")
	return len(lines) >= 8 && lines[0] == fmt.Sprint(in.PID) && strings.TrimSpace(lines[7]) == "ready"
}

// Stop ends the server with a signal (SIGINT: fast, SIGQUIT: immediate,
// SIGKILL: a crash) and waits until all its processes are gone. It does nothing when
// the server has ended.
func (in *Instance) Stop(tb testing.TB, sig syscall.Signal) {
	tb.Helper()
	if in.proc == nil {
		return
	}
	for _, s := range []syscall.Signal{sig, syscall.SIGQUIT, syscall.SIGKILL} {
		if in.proc.ended() {
			return
		}
		// An error says that the postmaster has ended and its children have not
		// yet: what is asked for.
		_ = in.proc.signal(s)
		timer := time.NewTimer(patience)
		select {
		case <-in.proc.done:
			timer.Stop()
			return
		case <-timer.C:
			tb.Errorf("stop server: still there %v after %v", patience, s)
		}
	}
}

func (in *Instance) cleanup(tb testing.TB, base string) {
	in.Stop(tb, syscall.SIGINT)
	if tb.Failed() {
		tb.Logf("server log (end):\n%s", in.logTail())
	}
	if err := os.RemoveAll(base); err != nil {
		tb.Errorf("remove server: %v", err)
	}
}

// logTail is the end of the server's log.
func (in *Instance) logTail() string {
	text, err := os.ReadFile(in.LogPath)
	if err != nil {
		return err.Error()
	}
	lines := strings.SplitAfter(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "")
}

// Target is the server's database as its superuser.
func (in *Instance) Target() *dial.Target {
	return dial.Socket(in.SocketDir, port, Superuser, in.database)
}
