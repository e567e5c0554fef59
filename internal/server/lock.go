package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lock takes an exclusive lock by name among all processes of this home and
// returns its release. It waits; the kernel frees the lock of a dead process.
func (h *Home) lock(ctx context.Context, name string, waiting func()) (release func() error, err error) {
	f, err := h.flock(ctx, name, syscall.LOCK_EX, waiting)
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}

// flock takes a lock of a kind: the file holds it until it is closed.
func (h *Home) flock(ctx context.Context, name string, kind int, waiting func()) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(h.dir, locksDir, name), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	for first := true; ; first = false {
		err := syscall.Flock(int(f.Fd()), kind|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), f.Close())
		}
		if first && waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// keep makes sure that something stored exists and that nobody removes it
// while this process works with it. there says whether it is whole, and make
// makes it; make is called by one process at a time. The shared lock lasts
// until [Home.Close], or the end of the process.
func (h *Home) keep(ctx context.Context, name string, waiting func(), there func() bool, make func() error) error {
	for range 3 {
		f, err := h.flock(ctx, name, syscall.LOCK_SH, waiting)
		if err != nil {
			return err
		}
		if there() {
			return h.held(name, f)
		}
		// Whoever makes it must be alone: we do not wait for ourselves.
		if err := errors.Join(f.Close(), h.letGo(name)); err != nil {
			return fmt.Errorf("unlock %s: %w", name, err)
		}
		unlock, err := h.lock(ctx, name, waiting)
		if err != nil {
			return err
		}
		if !there() {
			err = make()
		}
		if err := errors.Join(err, unlock()); err != nil {
			return err
		}
		// Between the two locks somebody may have removed it again.
	}
	return fmt.Errorf("keep %s: it was removed as soon as it was made", name)
}

// held remembers a shared lock; one per name is enough.
func (h *Home) held(name string, f *os.File) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shared[name] != nil {
		return f.Close()
	}
	h.shared[name] = f
	return nil
}

// letGo gives up a shared lock: what it protected has been removed by force.
func (h *Home) letGo(name string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.shared[name]
	if f == nil {
		return nil
	}
	delete(h.shared, name)
	return f.Close()
}

// Close lets go of everything that was protected from [Home.Clean] of others.
// Instances must have been stopped.
func (h *Home) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, f := range h.shared {
		errs = append(errs, f.Close())
	}
	clear(h.shared)
	return errors.Join(errs...)
}
