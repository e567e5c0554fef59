package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pgassay/pgassay"
)

// runDir is a run directory that this process works in. Its lock is the
// directory's own (flock), so that nothing is left when the process dies.
type runDir struct {
	path string
	lock *os.File
}

// errDirInUse says that another pgassay works in the run directory.
var errDirInUse = errors.New("run directory is in use by another pgassay")

func (d *runDir) file(name string) string { return filepath.Join(d.path, name) }

// database is the run file.
func (d *runDir) database() string { return d.file("run.db") }

// createRunDir makes path, or NAME-TIMESTAMP below pgassay-runs when path is
// empty. The directory must be new or empty.
func createRunDir(path, name string, now time.Time) (*runDir, error) {
	if path == "" {
		path = filepath.Join("pgassay-runs", safeName(name)+"-"+now.Format("20060102-150405"))
	}
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, pgassay.WithHint(fmt.Errorf("make run directory: %w", err), "Choose another place with --output DIR.")
		}
	case err != nil:
		return nil, fmt.Errorf("make run directory: %w", err)
	case len(entries) > 0:
		hint := "Choose another directory with --output DIR."
		if _, err := os.Stat(filepath.Join(path, "run.db")); err == nil {
			hint = "It holds a run: go on with it by `pgassay run --resume " + path + "`, or choose another directory with --output DIR."
		}
		return nil, pgassay.WithHint(fmt.Errorf("%w: directory %s is not empty", pgassay.ErrUsage, path), hint)
	}
	return lockRunDir(path)
}

// openRunDir locks an existing run directory.
func openRunDir(path string) (*runDir, error) {
	if _, err := os.Stat(filepath.Join(path, "run.db")); err != nil {
		return nil, pgassay.WithHint(fmt.Errorf("%w: %s is not a run directory: %w", pgassay.ErrUsage, path, err),
			"Name a directory that `pgassay run` made; it holds a file run.db.")
	}
	return lockRunDir(path)
}

func lockRunDir(path string) (*runDir, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open run directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		closeErr := f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = pgassay.WithHint(fmt.Errorf("%w: %s", errDirInUse, path), "Wait for it, or stop it with ^C.")
		}
		return nil, errors.Join(err, closeErr)
	}
	return &runDir{path: path, lock: f}, nil
}

// close gives the lock back.
func (d *runDir) close() error { return d.lock.Close() }

// safeName keeps what is harmless in a file name.
func safeName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, s)
	s = strings.Trim(s, "-.")
	if s == "" {
		return "run"
	}
	return s[:min(len(s), 60)]
}
