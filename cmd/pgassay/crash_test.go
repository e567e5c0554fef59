package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
)

// TestKilled: after kill -9 of pgassay no server survives it, and going on makes
// just what was not finished.
func TestKilled(t *testing.T) {
	dir, env := writeSmall(t), []string{"PGASSAY_HOME=" + home(t)}
	homeDir := strings.TrimPrefix(env[0], "PGASSAY_HOME=")
	p := startTool(t, dir, env, "run", "small.yaml", "--output", "out", "--progress", "json")
	p.waitLine(t, `"kind":"done"`)
	p.waitLine(t, `"kind":"tick"`) // in the middle of the second trial
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.waitCode(t)
	eventually(t, "servers end after kill -9", func() bool { return len(serversBelow(homeDir)) == 0 })
	before := readRun(t, filepath.Join(dir, "out"))
	if len(before.Trials) != 1 || before.Complete {
		t.Fatalf("after the kill there are %d finished trials (complete: %v), want 1", len(before.Trials), before.Complete)
	}

	code, said := runTool(t, dir, env, "run", "--resume", "out", "--progress", "plain")
	if !measuredCode(code) {
		t.Fatalf("resume: exit code %d; it said:\n%s", code, said)
	}
	after := readRun(t, filepath.Join(dir, "out"))
	wantWhole(t, after)
	if d := cmp.Diff(before.Trials[0], after.Trials[0]); d != "" {
		t.Errorf("the finished trial was touched:\n%s", d)
	}
	if after.Trials[1].Outcome != pgassay.OutcomeInterrupted {
		t.Errorf("the trial in hand is %s, want interrupted", after.Trials[1].Outcome)
	}
	left, err := filepath.Glob(filepath.Join(homeDir, "instances", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "report.html")); err != nil {
		t.Error(err)
	}
}

// TestServerKilled: when the server dies in the middle of a trial, the trial is
// marked and repeated, and the run completes.
func TestServerKilled(t *testing.T) {
	dir, env := writeSmall(t), []string{"PGASSAY_HOME=" + home(t)}
	homeDir := strings.TrimPrefix(env[0], "PGASSAY_HOME=")
	p := startTool(t, dir, env, "run", "small.yaml", "--output", "out", "--progress", "json")
	p.waitLine(t, `"kind":"done"`)
	p.waitLine(t, `"tps":`) // the load runs
	for _, pid := range serversBelow(homeDir) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if code := p.waitCode(t); !measuredCode(code) {
		t.Fatalf("exit code %d; it said:\n%s", code, p.said())
	}
	run := readRun(t, filepath.Join(dir, "out"))
	wantWhole(t, run)
	failed := 0
	for _, r := range run.Trials {
		if r.Outcome == pgassay.OutcomeFailed {
			failed++
			if !strings.Contains(r.Reason, "the server ended") && !strings.Contains(r.Reason, "clients lost") {
				t.Errorf("the reason is %q, want the server's end", r.Reason)
			}
		}
	}
	if failed != 1 {
		t.Errorf("%d failed trials, want 1", failed)
	}
}

// TestInterrupt: the first ^C ends the run after the trial in hand; the
// second ends it at once. Both exit with 130, and the run can go on.
func TestInterrupt(t *testing.T) {
	for _, signals := range []int{1, 2} {
		t.Run(strconv.Itoa(signals), func(t *testing.T) {
			dir, env := writeSmall(t), []string{"PGASSAY_HOME=" + home(t)}
			p := startTool(t, dir, env, "run", "small.yaml", "--output", "out", "--progress", "json")
			p.waitLine(t, `"kind":"tick"`)
			for i := range signals {
				if err := p.Process.Signal(os.Interrupt); err != nil {
					t.Fatal(err)
				}
				p.waitLine(t, []string{"finishing the trial", "stopping"}[i])
			}
			if code := p.waitCode(t); code != exitInterrupted {
				t.Fatalf("exit code %d, want 130; it said:\n%s", code, p.said())
			}
			if !strings.Contains(p.said(), "pgassay run --resume out") {
				t.Errorf("it does not say how to go on:\n%s", p.said())
			}
			if pids := serversBelow(strings.TrimPrefix(env[0], "PGASSAY_HOME=")); len(pids) > 0 {
				t.Errorf("servers left running: %v", pids)
			}
			want := map[int]int{1: 1, 2: 0}[signals]
			if got := len(cells(readRun(t, filepath.Join(dir, "out")))); got != want {
				t.Errorf("%d valid trials, want %d", got, want)
			}
			if code, said := runTool(t, dir, env, "run", "--resume", "out", "--progress", "plain"); !measuredCode(code) {
				t.Fatalf("resume: exit code %d; it said:\n%s", code, said)
			}
			wantWhole(t, readRun(t, filepath.Join(dir, "out")))
		})
	}
}

// TestTerminated: SIGTERM and SIGHUP end a run at once and in order; a reader of
// stderr that goes away does not end it.
func TestTerminated(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			dir, env := writeSmall(t), []string{"PGASSAY_HOME=" + home(t)}
			homeDir := strings.TrimPrefix(env[0], "PGASSAY_HOME=")
			p := startTool(t, dir, env, "run", "small.yaml", "--output", "out", "--progress", "json")
			p.waitLine(t, `"kind":"tick"`)
			if err := p.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := p.waitCode(t); code != exitInterrupted {
				t.Errorf("exit code %d, want 130; it said:\n%s", code, p.said())
			}
			left, err := filepath.Glob(filepath.Join(homeDir, "instances", "*"))
			if pids := serversBelow(homeDir); err != nil || len(left) > 0 || len(pids) > 0 {
				t.Errorf("left behind: %v, servers %v, %v", left, pids, err)
			}
		})
	}
	t.Run("closed stderr", func(t *testing.T) {
		dir, env := writeSmall(t), append(os.Environ(), "CI=true", "PGASSAY_HOME="+home(t))
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, "run", "small.yaml", "--output", "out", "--progress", "json")
		cmd.Args[0], cmd.Dir, cmd.Env, cmd.Stderr = "pgassay", dir, env, w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // its exit code may be that of an invalid comparison
		if code := cmd.ProcessState.ExitCode(); !measuredCode(code) {
			t.Errorf("exit code %d after stderr was closed", code)
		}
		wantWhole(t, readRun(t, filepath.Join(dir, "out")))
	})
}

// TestRunDirFull: when the disk of the run directory is full, the run ends with
// a clear word, what was recorded is good, and after making room it goes on.
func TestRunDirFull(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting a small file system needs root")
	}
	dir, env := writeSmall(t), []string{"PGASSAY_HOME=" + home(t)}
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", out, "tmpfs", 0, "size=16m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(out, 0); err != nil {
			t.Error(err)
		}
	})
	p := startTool(t, dir, env, "run", "small.yaml", "--output", "out", "--progress", "json")
	p.waitLine(t, `"kind":"done"`)
	fill := filepath.Join(out, "fill")
	if err := fillUp(fill); err != nil {
		t.Fatal(err)
	}
	if code := p.waitCode(t); code != exitFailed {
		t.Fatalf("exit code %d, want 1; it said:\n%s", code, p.said())
	}
	if !strings.Contains(p.said(), "is full") || !strings.Contains(p.said(), "resume") {
		t.Errorf("it does not say what happened and what to do:\n%s", p.said())
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if n := len(cells(readRun(t, out))); n < 1 {
		t.Errorf("%d valid trials in the run file, want at least the one that was done", n)
	}
	if code, said := runTool(t, dir, env, "run", "--resume", "out", "--progress", "plain"); !measuredCode(code) {
		t.Fatalf("resume: exit code %d; it said:\n%s", code, said)
	}
	wantWhole(t, readRun(t, out))
}

// fillUp writes a file until the disk is full.
func fillUp(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	chunk := make([]byte, 64<<10)
	for {
		if _, err := f.Write(chunk); err != nil {
			return f.Close()
		}
	}
}
