package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pgassay/pgassay"
)

// postmaster is a running server process, our child.
type postmaster struct {
	cmd  *exec.Cmd
	pid  int
	done chan struct{} // closed when it and all its children have ended
	err  error         // how it ended; read after done
	// crashed says that we killed it on purpose.
	crashed atomic.Bool
}

// environment is what PostgreSQL's programs see: nothing of ours that could
// change what they do.
func environment() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C", "LC_ALL=C", "TZ=UTC"}
}

// onOwnThread runs f on a thread of its own and waits for it. The kernel's
// parent-death signal follows the thread that forked, not the process.
func onOwnThread(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		done <- f()
	}()
	return <-done
}

// command makes a command that runs as the account, away from our terminal's
// signals, and is killed when we die.
func (u *User) command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = environment()
	cmd.SysProcAttr = u.attributes(syscall.SIGKILL)
	return cmd
}

// run runs a program to its end and returns what it wrote.
func (u *User) run(ctx context.Context, dir, program string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	cmd := u.command(ctx, dir, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := onOwnThread(cmd.Run)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("run %s: %w%s", filepath.Base(program), err, indented(out.String()))
	}
	return out.Bytes(), err
}

func indented(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	return "\n    " + strings.ReplaceAll(s, "\n", "\n    ")
}

// startPostmaster starts postgres on a data directory. Its output is appended
// to logPath. When this process dies, however it dies, the kernel sends the
// postmaster SIGQUIT: it ends at once, and nothing is lost that anybody needs,
// because instances are throw-away and templates are only kept after a clean
// stop.
//
// All children of the postmaster inherit the writing end of a pipe; when its
// reading end reports the end of file, the last of them is gone.
func (u *User) startPostmaster(bin, dataDir, logPath string) (*postmaster, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open server log: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start server: %w", err), log.Close())
	}
	cmd := exec.Command(filepath.Join(bin, "postgres"), "-D", dataDir)
	cmd.Dir = dataDir
	cmd.Env = environment()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = u.attributes(syscall.SIGQUIT)
	p := &postmaster{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		closeErr := errors.Join(w.Close(), log.Close())
		if err != nil {
			started <- errors.Join(err, closeErr, r.Close())
			return
		}
		p.pid = cmd.Process.Pid
		started <- nil
		p.err = cmd.Wait()
		// Nobody writes: the read returns when the last child has gone.
		if _, err := r.Read(make([]byte, 1)); err == nil {
			p.err = errors.Join(p.err, errors.New("unexpected data on the children's pipe"))
		}
		_ = r.Close() // it was only read
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	return p, nil
}

// ended says whether the server and all its children are gone.
func (p *postmaster) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// limits bound the ways to stop a server: how long each may take.
type limits struct{ fast, immediate, kill time.Duration }

// stopLimits are generous: a fast stop writes all dirty buffers.
var stopLimits = limits{fast: 60 * time.Second, immediate: 15 * time.Second, kill: 10 * time.Second}

var (
	// errImmediate says that the server had to be stopped without writing its
	// buffers, errKilled that it did not even do that by itself.
	errImmediate = errors.New("the server did not stop in time and was stopped without a checkpoint")
	errKilled    = errors.New("the server did not stop by itself and was killed")
	// errGone says that the server had ended before it was told to.
	errGone = errors.New("the server had ended by itself")
)

// stop stops the server: fast, then, when it does not end, harder. The error
// wraps errGone, errImmediate or errKilled when it was no clean stop; after
// [postmaster.crash] there is nothing to stop and no error.
func (p *postmaster) stop(l limits) error {
	if p.crashed.Load() {
		return nil
	}
	if p.ended() {
		if p.err != nil {
			return fmt.Errorf("%w (%w)", errGone, p.err)
		}
		return errGone
	}
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
		forced error
	}{{syscall.SIGINT, l.fast, nil}, {syscall.SIGQUIT, l.immediate, errImmediate}} {
		if err := p.cmd.Process.Signal(step.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("signal server: %w", err)
		}
		if p.endsWithin(step.wait) {
			if step.forced == nil && p.err != nil {
				return fmt.Errorf("the server did not stop cleanly: %w", p.err)
			}
			return step.forced
		}
	}
	return errors.Join(errKilled, p.kill(l.kill))
}

// crash kills every process of the server at once.
func (p *postmaster) crash() error {
	p.crashed.Store(true)
	return p.kill(stopLimits.kill)
}

// kill kills all processes at once and waits for their end.
func (p *postmaster) kill(limit time.Duration) error {
	if err := killAll(append(descendants(p.pid), p.pid)); err != nil && !p.endsWithin(limit) {
		return fmt.Errorf("kill server: %w", err)
	}
	if !p.endsWithin(limit) {
		return pgassay.WithHint(fmt.Errorf("server process %d cannot be stopped", p.pid), "Look at it with ps; `pgassay clean` removes its files when it is gone.")
	}
	return nil
}

// endsWithin waits for the end of the server and all its children.
func (p *postmaster) endsWithin(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return p.ended()
	}
}
