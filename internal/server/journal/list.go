package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// Entry is a journal with pending changes, as List found it.
type Entry struct {
	Path    string
	Server  Server
	Owner   Owner
	Opened  time.Time
	Pending []Change
	// Alive says that its process still runs and will put the changes back
	// itself.
	Alive bool
}

// List returns the journals of a directory that have pending changes, oldest
// first. A directory that does not exist has none. Journals that cannot be
// read do not hide the others: they are in the error, with their line.
func List(dir string) ([]Entry, error) {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list journals: %w", err)
	}
	var out []Entry
	var errs []error
	for _, d := range names {
		if !strings.HasSuffix(d.Name(), suffix) {
			continue
		}
		path := filepath.Join(dir, d.Name())
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // its process removed it just now
			continue
		}
		var c contents
		if err == nil {
			c, err = decode(text)
		}
		if err != nil {
			errs = append(errs, corrupt(path, err))
			continue
		}
		if len(c.pending) > 0 {
			out = append(out, Entry{path, c.header.Server, c.header.Owner, c.header.Opened, c.pending, c.header.Owner.Alive()})
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return a.Opened.Compare(b.Opened) })
	return out, errors.Join(errs...)
}

func corrupt(path string, err error) error {
	return pgassay.WithHint(fmt.Errorf("read journal %s: %w", path, err),
		"The file says what pgassay changed on a server; put the values marked \"before\" back by hand, then delete it.")
}

// Resume opens a journal of a process that has ended, to put its changes back
// and note that with Done. It refuses (pgassay.ErrRefused) while the process
// lives or another one has resumed the journal.
func Resume(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("resume journal: %w", err)
	}
	j, err := resume(f, path)
	if err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

func resume(f *os.File, path string) (*Journal, error) {
	if err := lock(f); err != nil {
		if errors.Is(err, errBusy) {
			err = fmt.Errorf("%w: %w", pgassay.ErrRefused, err)
		}
		return nil, fmt.Errorf("resume journal %s: %w", path, err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("resume journal: %w", err)
	}
	c, err := decode(text)
	if err == nil && c.header == nil {
		err = errors.New("it has no header: its process ended before it changed anything")
	}
	if err != nil {
		return nil, corrupt(path, err)
	}
	if o := c.header.Owner; o.Alive() && o != self() {
		return nil, pgassay.WithHint(fmt.Errorf("resume journal %s: %w: its pgassay (process %d) still runs", path, pgassay.ErrRefused, o.PID),
			"It puts its changes back itself when it ends; stop it with ^C or SIGTERM.")
	}
	// What was cut off must not become the start of the next line.
	if err := f.Truncate(int64(c.whole)); err != nil {
		return nil, fmt.Errorf("resume journal: %w", err)
	}
	return &Journal{path: path, server: c.header.Server, f: f, size: int64(c.whole), seq: c.seq, pending: c.pending}, nil
}
