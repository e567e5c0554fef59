//go:build !linux

package server

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reflink is not used here.
func reflink(_, _ *os.File) error { return errors.ErrUnsupported }

// syncTree asks for everything to be written; the call does not say when it is.
func syncTree(string) error { return unix.Sync() }

// dirtyBytes cannot be told here.
func dirtyBytes() (int64, error) { return 0, errors.ErrUnsupported }
