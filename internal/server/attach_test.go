package server_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/server"
)

func discard(string) {}

// autoConf is postgresql.auto.conf of a server without its comments.
func autoConf(tb testing.TB, in *labtest.Instance) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(in.DataDir, "postgresql.auto.conf"))
	if err != nil {
		tb.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(text)), "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func mustAttach(tb testing.TB, in *labtest.Instance, o server.AttachOptions) *server.Attached {
	tb.Helper()
	a, err := server.Attach(limited(tb), in.Target(), o)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// asRole is how another role reaches a server.
func asRole(in *labtest.Instance, role string) *dial.Target {
	return dial.Socket(in.SocketDir, in.Target().Port(), role, "postgres")
}

// refused checks that an error is a refusal with words and a hint.
func refused(tb testing.TB, sentence string, err error, words ...string) {
	tb.Helper()
	if !errors.Is(err, pgassay.ErrRefused) {
		tb.Errorf("%s: got %v, want a refusal", sentence, err)
		return
	}
	if pgassay.Hint(err) == "" {
		tb.Errorf("%s: the refusal has no hint", sentence)
	}
	for _, w := range words {
		if !strings.Contains(err.Error()+pgassay.Hint(err), w) {
			tb.Errorf("%s: got %q (hint %q), want %q in it", sentence, err, pgassay.Hint(err), w)
		}
	}
}

// TestAttachRefusals: nothing happens on a server of others without
// permission, and what cannot be done is refused with the reason.
func TestAttachRefusals(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	journal := t.TempDir()
	all := server.AttachOptions{Load: true, Settings: true, JournalDir: journal}
	_, err := server.Attach(limited(t), in.Target(), server.AttachOptions{})
	refused(t, "load without permission", err, "--load-this-server", server.MarkerDatabase)
	in.Exec(t, "CREATE DATABASE "+server.MarkerDatabase)
	a := mustAttach(t, in, server.AttachOptions{JournalDir: journal}) // the marker allows load
	refused(t, "settings without permission", a.Apply(limited(t), []pgassay.Setting{{Name: "work_mem", Value: "5MB"}}), "work_mem", "--allow-settings")
	if err := a.Apply(limited(t), nil); err != nil {
		t.Errorf("no settings: got %v, want nothing done", err)
	}
	a = mustAttach(t, in, all)
	refused(t, "a setting that needs a restart", a.Apply(limited(t), []pgassay.Setting{{Name: "shared_buffers", Value: "1GB"}}), "shared_buffers", "restart")
	if err := a.Apply(limited(t), []pgassay.Setting{{Name: "no_such", Value: "1"}}); !errors.Is(err, pgassay.ErrUsage) {
		t.Errorf("a setting that the server lacks: got %v, want a usage error", err)
	}
	in.Exec(t, "CREATE DATABASE pgassay")
	refused(t, "a database of that name that somebody made", a.Load(limited(t), small(10), nil, nil, discard), "did not make")
	in.Exec(t, "DROP DATABASE pgassay")
	in.Exec(t, "CREATE ROLE weak LOGIN")
	weak, err := server.Attach(limited(t), asRole(in, "weak"), all)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, "a role without rights", weak.Apply(limited(t), []pgassay.Setting{{Name: "work_mem", Value: "5MB"}}), "put back")
	if err := weak.Load(limited(t), small(10), nil, nil, discard); err == nil || !strings.Contains(pgassay.Hint(err), "CREATEDB") {
		t.Errorf("a role that may not create databases: got %v (hint %q)", err, pgassay.Hint(err))
	}
	if got := autoConf(t, in); got != "" {
		t.Errorf("after refusals only: postgresql.auto.conf has %q", got)
	}
	if left, err := os.ReadDir(journal); err != nil || len(left) > 0 {
		t.Errorf("after refusals only: journals %v, %v", left, err)
	}
}

// TestAttachedSettings: settings change by ALTER SYSTEM, those of the last arm
// are put back before the next one's, and in the end every line is what it was.
func TestAttachedSettings(t *testing.T) {
	for _, major := range labtest.Majors() {
		in := labtest.Server(t, labtest.Options{Major: major, Settings: map[string]string{"maintenance_work_mem": "70MB"}})
		in.Exec(t, "ALTER SYSTEM SET work_mem = '5MB'")
		in.Exec(t, "SELECT pg_reload_conf()")
		journal := t.TempDir()
		const before = "work_mem = '5MB'"
		until(t, "the reload", func() bool { return in.Query1(t, "SHOW work_mem") == "5MB" })
		a := mustAttach(t, in, server.AttachOptions{Load: true, Settings: true, JournalDir: journal})
		for _, c := range []struct {
			sentence, want string
			settings       []pgassay.Setting
		}{
			{"both kinds of lines", "6MB 80MB 2min", []pgassay.Setting{{Name: "work_mem", Value: "6MB"}, {Name: "maintenance_work_mem", Value: "80MB"}, {Name: "autovacuum_naptime", Value: "2min"}}},
			{"the second change does not forget what was before the first", "7MB 70MB 1min", []pgassay.Setting{{Name: "WORK_MEM", Value: "7MB"}}},
			{"an arm without settings", "5MB 70MB 1min", nil},
			{"a list in quotes", "5MB 70MB 9s", []pgassay.Setting{{Name: "autovacuum_naptime", Value: "9s"}, {Name: "search_path", Value: `"$user", public`}}},
		} {
			if err := a.Apply(limited(t), c.settings); err != nil {
				t.Fatalf("%d: %s: %v", major, c.sentence, err)
			}
			got := in.Query1(t, "SELECT concat_ws(' ', current_setting('work_mem'), current_setting('maintenance_work_mem'), current_setting('autovacuum_naptime'))")
			if got != c.want {
				t.Errorf("%d: %s: got %s, want %s", major, c.sentence, got, c.want)
			}
		}
		err := a.Apply(limited(t), []pgassay.Setting{{Name: "work_mem", Value: "5KB"}})
		if err == nil || !strings.Contains(err.Error(), "work_mem = 5KB") || pgassay.Hint(err) == "" {
			t.Errorf("%d: a wrong unit: got %v (hint %q)", major, err, pgassay.Hint(err))
		}
		for range 2 { // a second one does nothing
			if err := a.Restore(limited(t)); err != nil {
				t.Fatalf("%d: %v", major, err)
			}
		}
		if got := autoConf(t, in); got != before {
			t.Errorf("%d: after Restore: got %q, want %q", major, got, before)
		}
		if left, err := os.ReadDir(journal); err != nil || len(left) > 0 {
			t.Errorf("%d: after Restore: journals %v, %v", major, left, err)
		}
	}
}

// TestAttachedHidden: a value that a database of its own hides is an error and
// not a measurement.
func TestAttachedHidden(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	a := mustAttach(t, in, server.AttachOptions{Load: true, Settings: true, JournalDir: t.TempDir()})
	if err := a.Load(limited(t), small(10), nil, []string{"ALTER DATABASE pgassay SET work_mem = '9MB'"}, discard); err != nil {
		t.Fatal(err)
	}
	err := a.Apply(limited(t), []pgassay.Setting{{Name: "work_mem", Value: "6MB"}})
	if err == nil || !strings.Contains(err.Error(), "work_mem = 6MB is not in force") || !strings.Contains(err.Error(), "9216") {
		t.Errorf("got %v, want the hidden setting", err)
	}
	if err := a.Restore(limited(t)); err != nil {
		t.Fatal(err)
	}
}

// TestNoAlterSystem: a server that forbids ALTER SYSTEM (17 and later) is told
// apart before anything is tried.
func TestNoAlterSystem(t *testing.T) {
	for _, major := range labtest.Majors() {
		if major < 17 {
			continue
		}
		in := labtest.Server(t, labtest.Options{Major: major, Settings: map[string]string{"allow_alter_system": "off"}})
		a := mustAttach(t, in, server.AttachOptions{Load: true, Settings: true, JournalDir: t.TempDir()})
		refused(t, "allow_alter_system is off", a.Apply(limited(t), []pgassay.Setting{{Name: "work_mem", Value: "6MB"}}), "allow_alter_system")
	}
}

// TestCommandLine: what the command line sets cannot be changed.
func TestCommandLine(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	a := mustAttach(t, in, server.AttachOptions{Load: true, Settings: true, JournalDir: t.TempDir()})
	server.Pretend(a, "work_mem", "command line")
	refused(t, "from the command line", a.Apply(limited(t), []pgassay.Setting{{Name: "work_mem", Value: "6MB"}}), "command line")
}

// TestRestorePending: what a dead run left on a server is put back, once, and
// only on that server; a living run's changes are its own business.
func TestRestorePending(t *testing.T) {
	in, other := labtest.Server(t, labtest.Options{}), labtest.Server(t, labtest.Options{})
	in.Exec(t, "ALTER SYSTEM SET work_mem = '5MB'")
	dir := t.TempDir()
	cmd, out := mustAttachHelper(t, in, dir)
	if _, err := out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if restored, err := server.RestorePending(limited(t), in.Target(), dir); err != nil || len(restored) > 0 {
		t.Errorf("while the run lives: restored %v, %v", restored, err)
	}
	second := mustAttach(t, in, server.AttachOptions{Load: true})
	refused(t, "a second run at the same time", second.Load(limited(t), small(10), nil, nil, discard), "another pgassay")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the helper ended by itself")
	}
	if got, want := autoConf(t, in), "autovacuum_naptime = '7s'; work_mem = '6MB'"; got != want {
		t.Fatalf("after the kill: got %q, want %q", got, want)
	}
	if restored, err := server.RestorePending(limited(t), other.Target(), dir); err != nil || len(restored) > 0 {
		t.Errorf("on another server: restored %v, %v", restored, err)
	}
	restored, err := server.RestorePending(limited(t), in.Target(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var changes []string
	for _, r := range restored {
		changes = append(changes, r.Changes...)
	}
	if len(changes) != 3 || !slices.Contains(changes, "DROP DATABASE pgassay") {
		t.Errorf("restored %v, want two settings and the database", changes)
	}
	if got, want := autoConf(t, in), "work_mem = '5MB'"; got != want {
		t.Errorf("after RestorePending: got %q, want %q", got, want)
	}
	if got := in.Query1(t, "SELECT count(*)::text FROM pg_database WHERE datname = 'pgassay'"); got != "0" {
		t.Error("the experiment's database is still there")
	}
	if restored, err := server.RestorePending(limited(t), in.Target(), dir); err != nil || len(restored) > 0 {
		t.Errorf("a second time: restored %v, %v", restored, err)
	}
}
