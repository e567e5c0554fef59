package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/pgassay/pgassay"
)

// HomeDir says where pgassay keeps what can be made again: PGASSAY_HOME, as
// root /var/lib/pgassay, else the user's cache directory.
func HomeDir(env func(string) (string, bool), uid int) (string, error) {
	if dir, ok := env("PGASSAY_HOME"); ok && dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("find home: %w", err)
		}
		return abs, nil
	}
	if uid == 0 {
		return "/var/lib/pgassay", nil
	}
	if dir, ok := env("XDG_CACHE_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "pgassay"), nil
	}
	if dir, ok := env("HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, ".cache", "pgassay"), nil
	}
	return "", pgassay.WithHint(errors.New("find home: neither PGASSAY_HOME nor HOME is set"), "Set PGASSAY_HOME to a directory for cached data.")
}

// Home is an open PGASSAY_HOME. It may be used from several goroutines and by
// several processes at once: what two of them want to make is locked.
type Home struct {
	dir  string
	user *User
	mu   sync.Mutex
	// shared are the locks on what this process uses, by name.
	shared map[string]*os.File
}

// The directories of a home. builds is package binaries'.
const (
	clustersDir  = "clusters"  // an initdb'ed data directory per build, and its catalogue
	templatesDir = "templates" // settled data directories by key
	instancesDir = "instances" // running servers
	locksDir     = "locks"
	journalDir   = "journal" // what we changed on servers of others
)

// OpenHome opens dir, makes what is missing and removes instances whose owner
// has died. user is the account that servers run as ([ChooseUser]).
func OpenHome(dir string, user *User) (*Home, error) {
	h := &Home{dir: dir, user: user, shared: map[string]*os.File{}}
	for _, sub := range []string{"", clustersDir, templatesDir, instancesDir, locksDir, journalDir} {
		path := filepath.Join(dir, sub)
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, pgassay.WithHint(fmt.Errorf("open home: %w", err), "Set PGASSAY_HOME to a directory that you may write to.")
		}
		if err := user.open(path); err != nil {
			return nil, err
		}
	}
	probe, err := os.CreateTemp(dir, ".writable-")
	if err != nil {
		return nil, pgassay.WithHint(fmt.Errorf("open home: %w", err), "Set PGASSAY_HOME to a directory that you may write to.")
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return nil, fmt.Errorf("open home: %w", err)
	}
	if err := user.canEnter(dir); err != nil {
		return nil, err
	}
	if _, err := h.removeOrphans(); err != nil {
		return nil, err
	}
	return h, nil
}

// Dir is the home's directory; JournalDir is where journals are.
func (h *Home) Dir() string { return h.dir }

// JournalDir is where journals of changes to servers of others are kept.
func (h *Home) JournalDir() string { return filepath.Join(h.dir, journalDir) }

func (h *Home) path(parts ...string) string {
	return filepath.Join(append([]string{h.dir}, parts...)...)
}
