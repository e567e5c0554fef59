package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/pgassay/pgassay"
)

// suffix ends a journal's file name.
const suffix = ".journal"

// Journal is one process's journal of one server. It is safe for concurrent
// use. While it is open, no other process can resume it.
type Journal struct {
	path   string
	server Server

	mu      sync.Mutex
	f       *os.File
	size    int64 // bytes of whole lines
	seq     int
	pending []Change
	broken  error // why nothing more can be recorded
}

// Open starts a journal for a server, in a directory that is made if need be.
// Nothing is on the disk until the first Record, so that a run that changes
// nothing leaves nothing behind.
func Open(dir string, server Server) (*Journal, error) {
	if server.SystemIdentifier == "" || filepath.Base(server.SystemIdentifier) != server.SystemIdentifier {
		return nil, fmt.Errorf("open journal: %q is not a system identifier", server.SystemIdentifier)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	return &Journal{path: dir, server: server}, nil
}

// create makes the file with its header.
func (j *Journal) create(at time.Time) error {
	dir := j.path
	if err := makeDir(dir); err != nil {
		return err
	}
	owner := self()
	f, err := os.CreateTemp(dir, fmt.Sprintf("%s-%d-*%s", j.server.SystemIdentifier, owner.PID, suffix))
	if err != nil {
		return err
	}
	j.f, j.path = f, f.Name()
	err = lock(f)
	if err == nil {
		err = j.append(header{formatVersion, j.server, owner, at})
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		_ = os.Remove(j.path) // it says nothing yet
	}
	return err
}

// Record writes a change with the next Seq, which it returns, and waits until
// it is on the disk. After an error the change must not be made; after an error
// of the disk nothing more can be recorded.
func (j *Journal) Record(c Change) (Change, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c.Seq = j.seq + 1
	err := c.validate()
	if err == nil && j.broken != nil {
		err = fmt.Errorf("after an earlier failure: %w", j.broken)
	}
	if err == nil && j.f == nil {
		if err = j.create(c.At); err != nil {
			j.broken = err
		}
	}
	if err == nil {
		err = j.append(line{Change: &c})
	}
	if err != nil {
		return Change{}, fmt.Errorf("record change of %s: %w", c.Name, err)
	}
	j.seq = c.Seq
	j.pending = append(j.pending, c)
	return c, nil
}

// Done notes that a change was put back. When the note is lost in a crash, the
// change is put back once more, which is harmless.
func (j *Journal) Done(c Change) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := slices.IndexFunc(j.pending, func(p Change) bool { return p.Seq == c.Seq })
	if i < 0 {
		return fmt.Errorf("note change %d of %s as put back: it is not pending", c.Seq, c.Name)
	}
	if j.broken != nil {
		return fmt.Errorf("note change of %s as put back: after an earlier failure: %w", c.Name, j.broken)
	}
	if err := j.append(line{Done: c.Seq}); err != nil {
		return fmt.Errorf("note change of %s as put back: %w", c.Name, err)
	}
	j.pending = slices.Delete(slices.Clone(j.pending), i, i+1)
	return nil
}

// append writes one line durably. When that fails, the part that was written
// is cut off again; after a failed fsync nobody knows what is on the disk.
func (j *Journal) append(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if _, err := j.f.WriteAt(text, j.size); err != nil {
		if cut := j.f.Truncate(j.size); cut != nil {
			j.broken = cut
		}
		return err
	}
	if err := j.f.Sync(); err != nil {
		j.broken = err
		return err
	}
	j.size += int64(len(text))
	return nil
}

// Pending returns the changes that were not put back, in the order in which
// they were made. Undo them from the last to the first.
func (j *Journal) Pending() []Change {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.pending)
}

// Server says which server the journal is about.
func (j *Journal) Server() Server { return j.server }

// Path is the file, or its directory as long as nothing was recorded.
func (j *Journal) Path() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.path
}

// Close lets go of the file and keeps it. It may be called twice.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.close()
}

func (j *Journal) close() error {
	if j.broken == nil {
		j.broken = os.ErrClosed
	}
	if j.f == nil {
		return nil
	}
	f := j.f
	j.f = nil
	if err := f.Close(); err != nil {
		return fmt.Errorf("close journal: %w", err)
	}
	return nil
}

// Remove deletes the journal and closes it. It refuses while changes are
// pending.
func (j *Journal) Remove() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.pending) > 0 {
		return fmt.Errorf("remove journal: %w: %d changes are not put back", pgassay.ErrRefused, len(j.pending))
	}
	if j.f == nil {
		return j.close()
	}
	if err := os.Remove(j.path); err != nil {
		return fmt.Errorf("remove journal: %w", err)
	}
	if err := syncDir(filepath.Dir(j.path)); err != nil {
		return fmt.Errorf("remove journal: %w", err)
	}
	return j.close()
}

// errBusy says that another process has the journal open.
var errBusy = errors.New("another pgassay has it open")

// lock keeps other processes from resuming the journal; the kernel lets go of
// it when the process ends, however it ends.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errBusy
	}
	return err
}
