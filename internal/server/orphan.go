package server

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// grace is how old a directory without an owner file must be before it is
// taken for a left-over: its owner may be about to write one.
const grace = time.Minute

// leftover says whether what is in dir belongs to nobody any more.
func leftover(dir string) bool {
	switch ownershipOf(dir) {
	case orphaned:
		return true
	case unowned:
		info, err := os.Stat(dir)
		return err == nil && time.Since(info.ModTime()) >= grace
	}
	return false
}

// removeOrphans removes instances whose owner has died. A server that still
// runs in one of them is stopped first. What belongs to another account and
// cannot be removed is left to that account.
func (h *Home) removeOrphans() (removed []string, err error) {
	entries, err := os.ReadDir(h.path(instancesDir))
	if err != nil {
		return nil, fmt.Errorf("look for left-overs: %w", err)
	}
	var errs []error
	for _, e := range entries {
		dir := h.path(instancesDir, e.Name())
		if !leftover(dir) {
			continue
		}
		err := removeLeftover(dir)
		switch {
		case errors.Is(err, os.ErrPermission):
		case err != nil:
			errs = append(errs, err)
		default:
			removed = append(removed, dir)
		}
	}
	removeStaleGroups()
	return removed, errors.Join(errs...)
}

// removeLeftover stops the server that runs in a directory of a dead owner and
// removes the directory and its socket.
func removeLeftover(dir string) error {
	if err := stopLeftover(filepath.Join(dir, "data")); err != nil {
		return err
	}
	if err := errors.Join(removeSocket(dir), os.RemoveAll(dir)); err != nil {
		return fmt.Errorf("remove left-over: %w", err)
	}
	return nil
}

// endLimit bounds the wait for a killed process to be gone.
const endLimit = 10 * time.Second

// stopLeftover kills a server that runs on a data directory of a dead owner.
// The process is only touched when it is a server with just this directory.
func stopLeftover(dataDir string) error {
	text, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if err != nil {
		return nil // no server
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 || !runsOn(pid, dataDir) {
		return nil // it ended, or the number is somebody else's
	}
	pids := append(descendants(pid), pid)
	if err := killAll(pids); err != nil {
		return fmt.Errorf("stop left-over server: %w", err)
	}
	for deadline := time.Now().Add(endLimit); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !anyAlive(pids) {
			return nil
		}
	}
	return fmt.Errorf("left-over server %d does not end", pid)
}

// runsOn says whether a process is a server on a data directory: its command
// line names it, or it works in it.
func runsOn(pid int, dataDir string) bool {
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return false
	}
	program, _, _ := bytes.Cut(cmdline, []byte{0})
	if filepath.Base(string(program)) != "postgres" {
		return false
	}
	if bytes.Contains(cmdline, []byte("\x00-D\x00"+dataDir+"\x00")) {
		return true
	}
	cwd, errC := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	data, errD := os.Stat(dataDir)
	return errC == nil && errD == nil && os.SameFile(cwd, data)
}

// killAll kills processes as a crash of all at once: all are stopped first, so
// that none can react to another's end (MECHANICS §12). One that has just ended
// is no error.
func killAll(pids []int) error {
	var errs []error
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, pid := range pids {
			if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
				errs = append(errs, fmt.Errorf("signal process %d: %w", pid, err))
			}
		}
	}
	return errors.Join(errs...)
}

func anyAlive(pids []int) bool {
	for _, pid := range pids {
		if _, alive := processStart(pid); alive {
			return true
		}
	}
	return false
}
