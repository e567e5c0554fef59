package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// maxSocketPath is what fits into sockaddr_un with its final zero byte: 107 on
// Linux; 103 fits on every system.
const maxSocketPath = 103

// socketLink is the name of the socket's directory beside a data directory. It
// is a link where the path would be too long.
const socketLink = "socket"

// temporaryDirs are where a socket goes whose place is too deep.
func temporaryDirs() []string { return []string{filepath.Clean(os.TempDir()), "/tmp"} }

const temporaryPrefix = "pgassay-"

func socketName(dir string) string { return filepath.Join(dir, fmt.Sprintf(".s.PGSQL.%d", port)) }

// socketDir makes a private directory for a socket: in dir, or, when that path
// is too long for a socket, in a temporary directory to which a link in dir
// leads. An earlier one is removed.
func (h *Home) socketDir(dir string) (string, error) {
	if err := removeSocket(dir); err != nil {
		return "", err
	}
	link := filepath.Join(dir, socketLink)
	if len(socketName(link)) <= maxSocketPath {
		if err := errors.Join(os.Mkdir(link, 0o700), h.user.give(link)); err != nil {
			return "", fmt.Errorf("make socket directory: %w", err)
		}
		return link, nil
	}
	var errs []error
	for _, parent := range slices.Compact(temporaryDirs()) {
		made, err := h.temporarySocket(parent)
		if err == nil {
			if err := os.Symlink(made, link); err != nil {
				return "", errors.Join(fmt.Errorf("make socket directory: %w", err), os.RemoveAll(made))
			}
			return made, nil
		}
		errs = append(errs, err)
	}
	return "", pgassay.WithHint(fmt.Errorf("make socket directory: %w", errors.Join(errs...)),
		"Set PGASSAY_HOME or TMPDIR to a directory with a short path that every user can reach, such as /var/lib/pgassay or /tmp.")
}

func (h *Home) temporarySocket(parent string) (dir string, err error) {
	if err := h.user.canEnter(parent); err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp(parent, temporaryPrefix); err != nil {
		return "", err
	}
	if n := len(socketName(dir)); n > maxSocketPath {
		return "", errors.Join(fmt.Errorf("the path %s is too long for a Unix socket (%d bytes, at most %d)", dir, n, maxSocketPath), os.Remove(dir))
	}
	if err := h.user.give(dir); err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return dir, nil
}

// removeSocket removes the socket's directory of a data directory's parent. The
// link is followed only to a place where [Home.socketDir] puts it: the servers'
// account, which owns the parent, could make it lead anywhere.
func removeSocket(dir string) error {
	link := filepath.Join(dir, socketLink)
	if to, err := os.Readlink(link); err == nil {
		info, err := os.Lstat(to)
		if err == nil && info.IsDir() && slices.Contains(temporaryDirs(), filepath.Dir(to)) && strings.HasPrefix(filepath.Base(to), temporaryPrefix) {
			if err := os.RemoveAll(to); err != nil {
				return fmt.Errorf("remove socket directory: %w", err)
			}
		}
	}
	if err := os.RemoveAll(link); err != nil {
		return fmt.Errorf("remove socket directory: %w", err)
	}
	return nil
}
