package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	cmd    *exec.Cmd
	pid    int
	exited chan struct{} // closed when it has ended
	err    error         // how it ended; read after exited
	done   chan struct{} // closed when it and all its children have ended
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

// outputLimit bounds the wait for a program's output to end after the program:
// a child that it left behind may hold it open.
const outputLimit = 5 * time.Second

// command makes a command that runs as the account, away from our terminal's
// signals, and is killed when we die. The end of ctx kills its children, too
// (initdb has some, and they would go on writing into what we remove).
func (u *User) command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = environment()
	cmd.SysProcAttr = u.attributes(syscall.SIGKILL)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = outputLimit
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
	// The account may own the log's directory: a link there is not followed.
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
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
	p := &postmaster{cmd: cmd, exited: make(chan struct{}), done: make(chan struct{})}
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
		close(p.exited)
		_, _ = io.Copy(io.Discard, r) // nobody writes: it returns when the last child has gone
		_ = r.Close()                 // it was only read
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	return p, nil
}

// ended says whether the server has ended. Children that were busy may live on
// for a while after a postmaster that was killed; [postmaster.stop] ends them.
func (p *postmaster) ended() bool {
	select {
	case <-p.exited:
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
		if err := p.kill(l.kill); err != nil {
			return err
		}
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
		if within(p.exited, step.wait) {
			if err := p.kill(l.kill); err != nil {
				return err
			}
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

// lingerLimit is how long children may take to follow a postmaster that has
// ended; after a proper stop none is left.
const lingerLimit = 100 * time.Millisecond

// kill kills all processes that are left at once and waits for their end.
func (p *postmaster) kill(limit time.Duration) error {
	if p.ended() && within(p.done, lingerLimit) {
		return nil
	}
	if err := killServer(p.cmd.Dir, limit); err != nil {
		return err
	}
	// Where there is no /proc only the postmaster is known; its children follow.
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill server: %w", err)
	}
	if !within(p.done, limit) {
		return pgassay.WithHint(fmt.Errorf("something that server process %d has started does not end", p.pid), stuckHint)
	}
	return nil
}

// within says whether a channel is closed within a time.
func within(closed <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-closed:
		return true
	case <-timer.C:
		return false
	}
}
