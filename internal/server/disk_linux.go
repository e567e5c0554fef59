package server

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// reflink makes out share in's blocks (FICLONE: XFS, btrfs, bcachefs).
func reflink(out, in *os.File) error {
	return unix.IoctlFileClone(int(out.Fd()), int(in.Fd()))
}

// settledBytes is the amount of dirty and write-back pages below which a trial
// may start, settleLimit the longest wait for it: what other programs keep
// writing does not go away by waiting.
const (
	settledBytes = 64 << 20
	settleLimit  = 10 * time.Second
)

// syncTree makes everything on the file system of dir durable.
func syncTree(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}

// settle writes the file system of dir back and waits until few dirty pages
// are left, so that the write-back of a copy does not overlap a trial.
func settle(ctx context.Context, dir string) error {
	if err := syncTree(dir); err != nil {
		return err
	}
	for deadline := time.Now().Add(settleLimit); time.Now().Before(deadline); {
		if n, err := dirtyBytes(); err != nil || n <= settledBytes {
			return nil // without /proc there is nothing to wait for
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// dirtyBytes reads Dirty and Writeback from /proc/meminfo.
func dirtyBytes() (int64, error) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var sum int64
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 2 && (fields[0] == "Dirty:" || fields[0] == "Writeback:") {
			kb, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0, err
			}
			sum += kb << 10
		}
	}
	return sum, nil
}
