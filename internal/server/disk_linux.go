package server

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// reflink makes out share in's blocks (FICLONE: XFS, btrfs, bcachefs).
func reflink(out, in *os.File) error {
	return unix.IoctlFileClone(int(out.Fd()), int(in.Fd()))
}

// syncTree makes everything on the file system of dir durable.
func syncTree(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}

// dirtyBytes reads how much on this host waits to be written (Dirty and
// Writeback of /proc/meminfo).
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
