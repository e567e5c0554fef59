package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pgassay/pgassay"
)

const stuckHint = "Look at it with ps; `pgassay clean` removes its files when it is gone."

// killServer kills whatever runs on a data directory and waits until all of it
// is gone. Nothing else is touched: see [serverProcesses].
func killServer(dataDir string, limit time.Duration) error {
	for deadline := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		// Again and again: what was about to be forked was not in the list.
		pids := serverProcesses(dataDir)
		if len(pids) == 0 {
			return nil
		}
		if err := killAll(pids); err != nil {
			return fmt.Errorf("kill server: %w", err)
		}
		if time.Now().After(deadline) {
			return pgassay.WithHint(fmt.Errorf("server process %d cannot be stopped", pids[0]), stuckHint)
		}
	}
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

// serverProcesses lists the processes of the server on a data directory and
// what they have started, ascending; none where there is no /proc. A process is
// the server's when its program is postgres and it works in this directory, as
// all of them do. The number in postmaster.pid is not needed: it may be
// somebody else's by now, and backends can outlive a postmaster that was killed.
func serverProcesses(dataDir string) []int {
	data, err := os.Stat(dataDir)
	if err != nil {
		return nil
	}
	var found []int
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is valid
	for _, link := range links {
		process := filepath.Dir(link)
		comm, err := os.ReadFile(filepath.Join(process, "comm"))
		if err != nil || strings.TrimSpace(string(comm)) != "postgres" {
			continue
		}
		cwd, err := os.Stat(link) // fails for a zombie
		if err != nil || !os.SameFile(cwd, data) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(process)); err == nil {
			found = append(found, pid)
		}
	}
	for _, pid := range slices.Clone(found) {
		found = append(found, descendants(pid)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}
