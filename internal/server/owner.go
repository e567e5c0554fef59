package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// owner names the process that a directory belongs to. A process number alone
// may be somebody else's later; with the start time it is not.
type owner struct {
	PID int `json:"pid"`
	// Start is the boot and the process's start in clock ticks since then, ""
	// where there is no /proc.
	Start string `json:"start"`
	// Namespace is that of the process number: in another container the same
	// number is another process. "" is unknown.
	Namespace string `json:"namespace,omitempty"`
	// Locked says that the owner holds a lock on the file for as long as it
	// lives. The kernel frees it at its death, and it is seen from every
	// container that shares the directory. A kept server holds none.
	Locked bool `json:"locked"`
}

const ownerFile = "owner.json"

// processStart says when a process started, and whether it is there at all. A
// zombie is not: containers often have no init that collects them.
func processStart(pid int) (start string, alive bool) {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The second field is the program's name in brackets and may hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return "", false
	}
	return string(bytes.TrimSpace(boot)) + "/" + string(fields[19]), true
}

// ownerOf describes a process of this namespace.
func ownerOf(pid int) owner {
	start, _ := processStart(pid)
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	return owner{PID: pid, Start: start, Namespace: namespace}
}

// alive says whether the process still runs. One of another namespace, or of
// another boot, cannot be seen: the former is taken to be alive.
func (o owner) alive() bool {
	if mine, _ := os.Readlink("/proc/self/ns/pid"); o.Namespace != "" && o.Namespace != mine {
		return true
	}
	if o.Start != "" {
		start, alive := processStart(o.PID)
		return alive && start == o.Start
	}
	err := syscall.Kill(o.PID, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// claim is a directory that belongs to this process until it is let go.
type claim struct {
	dir  string
	file *os.File // holds the lock
}

// claimDir makes this process the owner of a directory. The file is locked
// before it has its name, so that nobody ever sees it without its lock.
func claimDir(dir string) (c *claim, err error) {
	f, err := os.CreateTemp(dir, ".owner-")
	if err != nil {
		return nil, fmt.Errorf("claim directory: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("claim directory: %w", err), f.Close(), os.Remove(f.Name()))
		}
	}()
	o := ownerOf(os.Getpid())
	o.Locked = syscall.Flock(int(f.Fd()), syscall.LOCK_EX) == nil // some network file systems have none
	b, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(b); err != nil {
		return nil, err
	}
	if err := f.Chmod(0o644); err != nil {
		return nil, err
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, ownerFile)); err != nil {
		return nil, err
	}
	return &claim{dir, f}, nil
}

// release gives the claim up and leaves the directory.
func (c *claim) release() error {
	return errors.Join(os.Remove(filepath.Join(c.dir, ownerFile)), c.file.Close())
}

// remove removes the directory, if it is still there. The claim lasts until it
// is gone.
func (c *claim) remove() error {
	err := os.RemoveAll(c.dir)
	if closeErr := c.file.Close(); !errors.Is(closeErr, os.ErrClosed) {
		err = errors.Join(err, closeErr)
	}
	return err
}

// become gives the claim up and renames the directory, replacing what is left
// of an earlier one.
func (c *claim) become(dir string) error {
	if err := errors.Join(c.release(), os.RemoveAll(dir)); err != nil {
		return err
	}
	return os.Rename(c.dir, dir)
}

// handOver makes another process, which holds no lock, the owner.
func (c *claim) handOver(pid int) error {
	b, err := json.Marshal(ownerOf(pid))
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(c.dir, ".owner-")
	if err != nil {
		return fmt.Errorf("hand directory over: %w", err)
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Chmod(0o644), f.Close(), os.Rename(f.Name(), filepath.Join(c.dir, ownerFile))); err != nil {
		return fmt.Errorf("hand directory over: %w", err)
	}
	return c.file.Close()
}

// ownership is what a directory's owner file says.
type ownership int

const (
	unowned ownership = iota // there is no (whole) owner file
	owned                    // its owner lives
	orphaned
)

// ownership looks whether the owner of a directory lives.
func ownershipOf(dir string) ownership {
	f, err := os.Open(filepath.Join(dir, ownerFile))
	if err != nil {
		if errors.Is(err, os.ErrPermission) {
			return owned // somebody else's
		}
		return unowned
	}
	defer f.Close() // also frees the lock
	if errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return owned
	}
	var o owner
	if json.NewDecoder(f).Decode(&o) != nil {
		return unowned
	}
	if !o.Locked && o.alive() {
		return owned
	}
	return orphaned
}
