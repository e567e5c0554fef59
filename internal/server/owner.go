package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// owner names the process that an instance belongs to. A process number alone
// may be somebody else's later; with the start time it is not.
type owner struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // field 22 of /proc/PID/stat, "" where there is none
	// Postmaster is the server's process number, once it is known.
	Postmaster int `json:"postmaster,omitempty"`
}

const ownerFile = "owner.json"

// startTime reads a process's start time in clock ticks since boot.
func startTime(pid int) (string, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return "", false
	}
	return string(fields[19]), true
}

func self() owner {
	start, _ := startTime(os.Getpid())
	return owner{PID: os.Getpid(), Start: start}
}

func (o owner) write(dir string) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ownerFile), b, 0o644)
}

// alive says whether the owner still runs.
func (o owner) alive() bool {
	if o.Start != "" {
		start, ok := startTime(o.PID)
		return ok && start == o.Start
	}
	return syscall.Kill(o.PID, 0) == nil || errors.Is(syscall.Kill(o.PID, 0), syscall.EPERM)
}

// grace is how old a directory without an owner file must be before it is
// taken for a left-over: its owner may be about to write one.
const grace = time.Minute

// removeOrphans removes instances whose owner has died. A server that still
// runs in one of them is stopped first.
func (h *Home) removeOrphans() (removed []string, err error) {
	entries, err := os.ReadDir(h.path(instancesDir))
	if err != nil {
		return nil, fmt.Errorf("look for left-overs: %w", err)
	}
	var errs []error
	for _, e := range entries {
		dir := h.path(instancesDir, e.Name())
		text, err := os.ReadFile(filepath.Join(dir, ownerFile))
		if err != nil {
			info, statErr := e.Info()
			if statErr != nil || time.Since(info.ModTime()) < grace {
				continue
			}
		} else {
			var o owner
			if json.Unmarshal(text, &o) == nil && o.alive() {
				continue
			}
		}
		if err := stopLeftover(filepath.Join(dir, "data")); err != nil {
			errs = append(errs, err)
			continue
		}
		if err := os.RemoveAll(dir); err != nil && !errors.Is(err, os.ErrPermission) {
			errs = append(errs, fmt.Errorf("remove left-over: %w", err))
			continue
		}
		removed = append(removed, dir)
	}
	return removed, errors.Join(errs...)
}

// stopLeftover kills a server that runs on a data directory of a dead owner.
// The process is only touched when it is a postgres with just this directory.
func stopLeftover(dataDir string) error {
	text, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if err != nil {
		return nil // no server
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 {
		return nil
	}
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || !bytes.Contains(cmdline, []byte("\x00-D\x00"+dataDir+"\x00")) {
		return nil // it ended, or the number is somebody else's
	}
	pids := append(descendants(pid), pid)
	for _, p := range pids {
		if err := syscall.Kill(p, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop left-over server %d: %w", p, err)
		}
	}
	for range 100 {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("left-over server %d does not end", pid)
}
