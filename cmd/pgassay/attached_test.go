package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/labtest"
)

// settingLine is what postgresql.auto.conf says of a setting, "" for nothing.
func settingLine(t *testing.T, in *labtest.Instance, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(in.DataDir, "postgresql.auto.conf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, name) {
			return line
		}
	}
	return ""
}

// TestAttached: on a server of somebody nothing happens without permission; with
// it, settings are changed for the run and put back, and so is a database.
func TestAttached(t *testing.T) {
	for _, major := range labtest.Majors() {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			in := labtest.Server(t, labtest.Options{Major: major})
			in.Exec(t, "ALTER SYSTEM SET work_mem = '5MB'")
			in.Exec(t, "ALTER SYSTEM SET random_page_cost = '3.5'")
			dir, env := writeSmall(t), []string{"PGASSAY_HOME=" + home(t)}
			connect := []string{"-h", in.SocketDir, "-p", fmt.Sprint(in.Target().Port()), "-U", labtest.Superuser, "-d", "postgres"}
			run := func(args ...string) []string {
				return append(append([]string{"run", "small.yaml", "--progress", "json", "--output", "out"}, connect...), args...)
			}
			if code, said := runTool(t, dir, env, run()...); code != exitConnect || !strings.Contains(said, "--load-this-server") {
				t.Errorf("without permission: exit code %d, want 4 and the flag; it said:\n%s", code, said)
			}
			if code, said := runTool(t, dir, env, append(run("--load-this-server"), "--output", "out2")...); code == 0 || !strings.Contains(said, "--allow-settings") {
				t.Errorf("settings without permission: exit code %d; it said:\n%s", code, said)
			}
			p := startTool(t, dir, env, append(run("--load-this-server", "--allow-settings"), "--output", "killed")...)
			eventually(t, "the setting is changed", func() bool { return strings.Contains(settingLine(t, in, "random_page_cost"), "2") })
			if err := p.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p.waitCode(t)
			if code, said := runTool(t, dir, env, append([]string{"restore"}, connect...)...); code != 0 {
				t.Errorf("restore: exit code %d; it said:\n%s", code, said)
			}
			wantLines(t, in)
			if code, said := runTool(t, dir, env, append(run("--load-this-server", "--allow-settings"), "--output", "whole")...); !measuredCode(code) {
				t.Fatalf("with permission: exit code %d; it said:\n%s", code, said)
			}
			whole := readRun(t, filepath.Join(dir, "whole"))
			wantWhole(t, whole)
			for _, r := range whole.Trials {
				if r.Outcome != pgassay.OutcomeValid {
					t.Logf("trial %d is %s: %s", r.Order.Number, r.Outcome, r.Reason)
				}
			}
			wantLines(t, in)
			if n := in.Query1(t, "SELECT count(*)::text FROM pg_database WHERE datname = 'pgassay'"); fmt.Sprint(n) != "0" {
				t.Errorf("the experiment's database was left behind")
			}
		})
	}
}

// wantLines checks that postgresql.auto.conf says what it said before.
func wantLines(t *testing.T, in *labtest.Instance) {
	t.Helper()
	for name, want := range map[string]string{"work_mem": "work_mem = '5MB'", "random_page_cost": "random_page_cost = '3.5'"} {
		if got := settingLine(t, in, name); got != want {
			t.Errorf("postgresql.auto.conf says %q, want %q", got, want)
		}
	}
}

// TestAttachedRestart: a trial in which the server was restarted cannot count,
// even when its clients found their way back.
func TestAttachedRestart(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	dir, env := writeSmall(t), []string{"PGASSAY_HOME=" + home(t)}
	p := startTool(t, dir, env, "run", "small.yaml", "--progress", "json", "--output", "out", "--load-this-server", "--allow-settings",
		"-h", in.SocketDir, "-p", fmt.Sprint(in.Target().Port()), "-U", labtest.Superuser, "-d", "postgres")
	p.waitLine(t, `"tps":`)
	in.Stop(t, syscall.SIGINT)
	in.Start(t)
	code := p.waitCode(t)
	run := readRun(t, filepath.Join(dir, "out"))
	if len(run.Trials) == 0 || run.Trials[0].Outcome != pgassay.OutcomeFailed {
		t.Fatalf("exit code %d; the trial in which the server was restarted counts; it said:\n%s", code, p.said())
	}
}
