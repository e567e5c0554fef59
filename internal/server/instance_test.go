package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server"
)

// TestClone: an instance begins exactly as its template ended: all rows, no
// work for vacuum, statistics that survived, and the same again after a trial
// has changed everything.
func TestClone(t *testing.T) {
	eachBuild(t, func(t *testing.T, b pgassay.Build) {
		h := mustHome(t)
		spec := server.TemplateSpec{
			Build: b, Dataset: small(5000),
			Storage: []pgassay.StorageSetting{{Table: "t", Name: "fillfactor", Value: "70"}, {Table: "t", Name: "autovacuum_vacuum_threshold", Value: "77"}},
		}
		tpl := mustTemplate(t, h, spec)
		for round := range 2 {
			in := mustInstance(t, h, tpl)
			got := query(t, in, `SELECT concat_ws(' ', (SELECT count(*) FROM t), n_live_tup, n_dead_tup, n_ins_since_vacuum, n_mod_since_analyze, vacuum_count > 0, autovacuum_count)
				FROM pg_stat_user_tables WHERE relname = 't'`)
			if want := "4500 4500 0 0 0 t 0"; got != want {
				t.Errorf("round %d: rows, live, dead, inserted since vacuum, modified since analyze, vacuumed, autovacuumed: got %s, want %s", round, got, want)
			}
			if got, want := query(t, in, "SELECT (reltuples, relpages = relallvisible)::text FROM pg_class WHERE relname = 't'"), "(4500,t)"; got != want {
				t.Errorf("round %d: reltuples, all visible: got %s, want %s", round, got, want)
			}
			if got := query(t, in, "SELECT pg_current_wal_lsn()::text"); got == "" {
				t.Error("no WAL position")
			}
			_, storage, err := in.Settings(limited(t))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := len(storage), 2; got != want {
				t.Errorf("storage parameters in force: got %v, want %d", storage, want)
			}
			query(t, in, "WITH d AS (DELETE FROM t RETURNING 1) SELECT count(*)::text FROM d")
			p := in.Phases()
			if p.RestoreS <= 0 || p.StartS <= 0 || p.RestoredMB < 10 {
				t.Errorf("phases were not measured: %+v", p)
			}
		}
		if want := 2; len(tpl.Relations) != want {
			t.Errorf("the template describes %d tables, want %d", len(tpl.Relations), want)
		}
	})
}

// TestSettings: what is asked for is in force in a session like a workload's,
// however it is written, and what is ours stays.
func TestSettings(t *testing.T) {
	eachBuild(t, func(t *testing.T, b pgassay.Build) {
		h := mustHome(t)
		in := mustInstance(t, h, mustTemplate(t, h, server.TemplateSpec{Build: b, Dataset: small(100)}),
			pgassay.Setting{Name: "Shared_Buffers", Value: "24MB"}, // needs a restart when it changes
			pgassay.Setting{Name: "autovacuum_naptime", Value: "1min"},
			pgassay.Setting{Name: "autovacuum_vacuum_cost_delay", Value: "1500us"},
			pgassay.Setting{Name: "autovacuum_vacuum_scale_factor", Value: "2e-2"},
			pgassay.Setting{Name: "synchronous_commit", Value: "off"},
			pgassay.Setting{Name: "wal_buffers", Value: "-1"}, // the server chooses
			pgassay.Setting{Name: "max_connections", Value: "50"},
			pgassay.Setting{Name: "search_path", Value: `"$user", public, it's`},
		)
		settings, _, err := in.Settings(limited(t))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, s := range settings {
			got[s.Name] = s.Setting + s.Unit
			if s.PendingRestart {
				t.Errorf("%s waits for a restart", s.Name)
			}
		}
		for name, want := range map[string]string{
			"shared_buffers": "30728kB", "autovacuum_naptime": "60s", "autovacuum_vacuum_cost_delay": "1.5ms",
			"autovacuum_vacuum_scale_factor": "0.02", "synchronous_commit": "off", "max_connections": "50",
			"search_path": `"$user", public, it's`,
			"fsync":       "on", "cluster_name": "pgassay", "listen_addresses": "", "log_autovacuum_min_duration": "0ms", "track_io_timing": "on",
			"log_line_prefix": server.LogLinePrefix,
		} {
			if got[name] != want {
				t.Errorf("%s: got %q, want %q", name, got[name], want)
			}
		}
		if info, err := os.Stat(in.Target().Host()); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("socket directory: got %v, %v, want mode 0700", info.Mode(), err)
		}
	})
}

// TestInstanceErrors: what cannot be done says so with names, and leaves
// nothing behind.
func TestInstanceErrors(t *testing.T) {
	h := mustHome(t)
	b := mustBuild(t, 0)
	tpl := mustTemplate(t, h, server.TemplateSpec{Build: b, Dataset: small(100)})
	alter := mustTemplate(t, h, server.TemplateSpec{Build: b, Dataset: small(100), SQL: []string{"ALTER SYSTEM SET work_mem = '5MB'", "ALTER DATABASE pgassay SET random_page_cost = 2"}})
	before := entries(t, h, "instances")
	for _, c := range []struct {
		sentence string
		template *server.Template
		setting  pgassay.Setting
		want     []string
	}{
		{"a setting that the version lacks is named", tpl, pgassay.Setting{Name: "autovacuum_vacum_threshold", Value: "1"}, []string{"has no setting autovacuum_vacum_threshold", b.Version}},
		{"a value out of range is told in the server's words", tpl, pgassay.Setting{Name: "autovacuum_naptime", Value: "-5"}, []string{"autovacuum_naptime", "outside the valid range"}},
		{"a wrong unit is told in the server's words", tpl, pgassay.Setting{Name: "work_mem", Value: "5KB"}, []string{"work_mem", "invalid value"}},
		{"settings that do not fit together are told in the server's words", tpl, pgassay.Setting{Name: "wal_level", Value: "minimal"}, []string{"max_wal_senders"}},
		{"a place of ours cannot be changed", tpl, pgassay.Setting{Name: "Port", Value: "1"}, []string{"Port", "socket of their own"}},
		{"a directive is no setting", tpl, pgassay.Setting{Name: "include", Value: "/etc/passwd"}, []string{"include", "directive"}},
		{"a name cannot smuggle a second setting", tpl, pgassay.Setting{Name: "a.b = 1\nfsync", Value: "off"}, []string{"cannot be written"}},
		{"ALTER SYSTEM in the dataset hides a setting", alter, pgassay.Setting{Name: "work_mem", Value: "6MB"}, []string{"work_mem = 6MB is not in force", "5120", "postgresql.auto.conf"}},
		{"a database's own setting hides one", alter, pgassay.Setting{Name: "random_page_cost", Value: "1.1"}, []string{"random_page_cost = 1.1 is not in force", "2", "database"}},
	} {
		in, err := h.Instance(limited(t), c.template, server.InstanceOptions{Settings: []pgassay.Setting{c.setting}})
		if err == nil {
			t.Errorf("%s: no error", c.sentence)
			_, err := in.Stop(context.Background())
			t.Log(err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %q, want it to say %q", c.sentence, err, w)
			}
		}
	}
	if got := entries(t, h, "instances"); len(got) > len(before) {
		t.Errorf("left behind: %v", got)
	}
}

// TestInherited: a server runs as the account that was chosen and holds nothing
// open of ours: no lock, no file, no other server's pipe. A whole life leaves no
// descriptor and no thread of ours behind.
func TestInherited(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return // only /proc tells
	}
	h := mustHome(t)
	tpl := mustTemplate(t, h, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(100)})
	other := mustInstance(t, h, tpl)
	before, leaks := descriptors(t, "self"), goleak.IgnoreCurrent()
	in, err := h.Instance(limited(t), tpl, server.InstanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mine, others := descriptors(t, "self"), descriptors(t, fmt.Sprint(other.PID()))
	pipes := 0 // that lead to us
	for _, to := range descriptors(t, fmt.Sprint(in.PID())) {
		switch {
		case strings.HasPrefix(to, "pipe:") && slices.Contains(others, to):
			t.Errorf("two servers hold %s", to)
		case strings.HasPrefix(to, "pipe:"):
			if slices.Contains(mine, to) {
				pipes++
			}
		case strings.HasPrefix(to, in.Dir()), strings.HasPrefix(to, "anon_inode:"), strings.HasPrefix(to, "socket:"), to == "/dev/null":
		default:
			t.Errorf("the server holds %s", to)
		}
	}
	if pipes != 1 {
		t.Errorf("the server holds %d ends of pipes of ours, want the one that tells its end", pipes)
	}
	info, err := os.Stat(fmt.Sprintf("/proc/%d", in.PID()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := int(info.Sys().(*syscall.Stat_t).Uid), h.User().UID; got != want || got == 0 {
		t.Errorf("the server runs as user %d, want %d", got, want)
	}
	if _, err := in.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if after := descriptors(t, "self"); len(after) > len(before) {
		t.Errorf("descriptors after: %v, before: %v", after, before)
	}
	if err := goleak.Find(leaks); err != nil {
		t.Error(err)
	}
}

// descriptors lists what a process holds open.
func descriptors(tb testing.TB, process string) []string {
	tb.Helper()
	links, err := filepath.Glob("/proc/" + process + "/fd/*")
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil {
			out = append(out, to)
		}
	}
	return out
}

// TestDeepHome: a home whose sockets would have too long a path still works,
// and the socket's place is removed.
func TestDeepHome(t *testing.T) {
	top, err := makeHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	h, err := openHome(filepath.Join(top, strings.Repeat("deep/", 20), "home"))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	in := mustInstance(t, h, mustTemplate(t, h, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(10)}))
	socket := in.Target().Host()
	if strings.HasPrefix(socket, top) || len(socket) > 90 {
		t.Errorf("socket directory: got %s, want a short one elsewhere", socket)
	}
	if got := query(t, in, "SELECT count(*)::text FROM t"); got != "9" {
		t.Errorf("rows: got %s, want 9", got)
	}
	if _, err := in.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there", socket)
	}
}
