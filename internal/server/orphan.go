package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	if err := killServer(filepath.Join(dir, "data"), stopLimits.kill); err != nil {
		return fmt.Errorf("stop left-over server: %w", err)
	}
	if err := errors.Join(removeSocket(dir), os.RemoveAll(dir)); err != nil {
		return fmt.Errorf("remove left-over: %w", err)
	}
	return nil
}
