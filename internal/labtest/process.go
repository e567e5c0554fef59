package labtest

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// runLocked calls run on a thread of its own and waits for it. The kernel's
// parent-death signal follows the thread that forked, not the process: if that
// thread ended early, the child would be stopped in the middle.
func runLocked(cmd *exec.Cmd, run func(*exec.Cmd) error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd.SysProcAttr = serverUser().attr()
		done <- run(cmd)
	}()
	return <-done
}

// process is a child with the children that it made.
type process struct {
	pid  int
	cmd  *exec.Cmd
	done chan struct{} // closed when the child and its own children have ended
	err  error         // how the child ended; read after done
}

// start starts the command and waits for its end in the background.
//
// The end of a postmaster that was killed is not the end of its backends, which
// notice it a little later and hold the shared memory until then. All of them
// inherit the writing end of a pipe; when it is closed, all have gone.
func start(cmd *exec.Cmd) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{w}
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer r.Close()
		cmd.SysProcAttr = serverUser().attr()
		err := cmd.Start()
		w.Close()
		if err != nil {
			started <- err
			return
		}
		p.pid = cmd.Process.Pid
		started <- nil
		p.err = cmd.Wait()
		_, _ = r.Read(make([]byte, 1)) // nobody writes: it returns at the end
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// ended says whether all have ended.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// signal sends a signal to the child, and never to another process that got
// its number later.
func (p *process) signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }
