package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/lab/store"
)

// tool is a pgassay that runs as a process of its own, so that it can be
// killed.
type tool struct {
	*exec.Cmd
	lines chan string // of stderr; closed at its end
	done  chan struct{}
	mu    sync.Mutex
	all   []string
	err   error
}

// startTool starts the test binary as pgassay.
func startTool(t *testing.T, dir string, env []string, args ...string) *tool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &tool{Cmd: exec.Command(self, args...), lines: make(chan string, 10000), done: make(chan struct{})}
	p.Args[0] = "pgassay" // testscript.Main runs the command of this name
	p.Dir = dir
	p.Env = append(append(os.Environ(), "CI=true"), env...)
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		defer close(p.lines)
		for scan := bufio.NewScanner(r); scan.Scan(); {
			p.mu.Lock()
			p.all = append(p.all, scan.Text())
			p.mu.Unlock()
			p.lines <- scan.Text()
		}
		p.err = p.Wait()
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill() // it has ended, or it must
		<-p.done
	})
	return p
}

// limit is the longest that a test waits for something to happen.
const limit = 90 * time.Second

// waitLine waits for a line of stderr that contains text.
func (p *tool) waitLine(t *testing.T, text string) {
	t.Helper()
	deadline := time.After(limit)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				t.Fatalf("pgassay ended before %q; it said:\n%s", text, p.said())
			}
			if strings.Contains(line, text) {
				return
			}
		case <-deadline:
			t.Fatalf("no line with %q within %v; pgassay said:\n%s", text, limit, p.said())
		}
	}
}

func (p *tool) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.all, "\n")
}

// waitCode waits for its end and returns the exit code, -1 for a signal.
func (p *tool) waitCode(t *testing.T) int {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(limit):
		t.Fatalf("pgassay did not end within %v; it said:\n%s", limit, p.said())
	}
	var exit *exec.ExitError
	if errors.As(p.err, &exit) {
		return exit.ExitCode()
	}
	if p.err != nil {
		t.Fatal(p.err)
	}
	return 0
}

// runTool runs pgassay to its end and returns its exit code and its stderr.
func runTool(t *testing.T, dir string, env []string, args ...string) (int, string) {
	t.Helper()
	p := startTool(t, dir, env, args...)
	code := p.waitCode(t)
	return code, p.said()
}

// eventually waits until cond holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !cond() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s: not within %v", what, limit)
		}
	}
}

// measuredCode says whether an exit code means that everything was measured: on
// a slow machine the short trials are too few transactions for a verdict.
func measuredCode(code int) bool { return code == exitDone || code == exitInvalid }

// small is an experiment of four short trials.
const small = `version: 1
name: small
question: Does it survive?
dataset: {builtin: pgbench, scale: 1}
workload:
  scripts: [{builtin: pgbench-simple-update}]
  clients: [2]
  warmup: 500ms
  measure: 1500ms
arms:
  a: {}
  b: {settings: {random_page_cost: 2}}
design: {stop: {fixed: 2}, baseline: a, primary: {metric: tps, level: 2}}
`

// writeSmall writes the experiment and returns its directory.
func writeSmall(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "small.yaml"), []byte(small), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readRun(t *testing.T, dir string) *store.Run {
	t.Helper()
	s, err := store.OpenReadOnly(t.Context(), filepath.Join(dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// cells lists the valid trials as "block arm".
func cells(run *store.Run) map[string]int {
	out := map[string]int{}
	for _, r := range run.Trials {
		if r.Outcome == pgassay.OutcomeValid {
			out[fmt.Sprint(r.Order.Block, r.Order.Arm)]++
		}
	}
	return out
}

// wantWhole fails unless every cell has exactly one valid trial.
func wantWhole(t *testing.T, run *store.Run) {
	t.Helper()
	got := cells(run)
	for _, cell := range []string{"1 0", "1 1", "2 0", "2 1"} {
		if got[cell] != 1 {
			t.Errorf("cell %s has %d valid trials, want 1", cell, got[cell])
		}
	}
	if !run.Complete {
		t.Errorf("the run is not complete: %s", run.Stop)
	}
}
