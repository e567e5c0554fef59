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

// stopLimits bound the ways to stop: fast, immediate, kill.
var stopLimits = []struct {
	signal syscall.Signal
	wait   time.Duration
}{{syscall.SIGINT, 60 * time.Second}, {syscall.SIGQUIT, 10 * time.Second}, {syscall.SIGKILL, 10 * time.Second}}

// errForced says that a server did not stop cleanly.
var errForced = errors.New("the server did not stop by itself and was killed")

// stop stops the server: fast, then, when it does not end, harder.
func (p *postmaster) stop() error {
	for i, s := range stopLimits {
		if p.ended() {
			return p.err
		}
		if s.signal == syscall.SIGKILL {
			p.killChildren()
		}
		if err := p.cmd.Process.Signal(s.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("signal server: %w", err)
		}
		select {
		case <-p.done:
			if i > 0 {
				return errForced
			}
			return p.err
		case <-time.After(s.wait):
		}
	}
	return pgassay.WithHint(fmt.Errorf("server process %d cannot be stopped", p.pid), "Look at it with ps; `pgassay clean` removes its files when it is gone.")
}

// crash kills every process of the server at once: all are stopped first, so
// that none can react to another's end (MECHANICS §12).
func (p *postmaster) crash() error {
	children := append(descendants(p.pid), p.pid)
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have just ended
	}
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(10 * time.Second):
		return fmt.Errorf("server process %d survived SIGKILL", p.pid)
	}
}

// killChildren kills what a postmaster that is about to be killed would leave.
func (p *postmaster) killChildren() {
	for _, pid := range descendants(p.pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
