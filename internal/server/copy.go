package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/pgassay/pgassay"
)

// copied says what copying a tree came to.
type copied struct {
	bytes int64
	// reflink says that every file of any size shares its blocks with the
	// original.
	reflink bool
}

// copyTree copies a directory with everything in it (directories, files and
// links) and gives it to the account. Blocks are shared where the file system
// can; else the data is copied. When it fails the copy is removed.
func copyTree(ctx context.Context, from, to string, owner *User) (c copied, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(diskFull(fmt.Errorf("copy %s: %w", from, err)), os.RemoveAll(to))
		}
	}()
	c.reflink = true
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			err = os.Mkdir(dst, info.Mode().Perm())
		case d.Type()&fs.ModeSymlink != 0:
			var target string
			if target, err = os.Readlink(path); err == nil {
				err = os.Symlink(target, dst)
			}
		case d.Type().IsRegular():
			err = c.file(path, dst, info)
		default:
			return nil // a socket; a server makes its own
		}
		if err != nil {
			return err
		}
		return owner.give(dst)
	})
	return c, err
}

// file copies one file.
func (c *copied) file(from, to string, info fs.FileInfo) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	c.bytes += info.Size()
	if info.Size() == 0 {
		return nil
	}
	if c.reflink && reflink(out, in) == nil {
		return nil
	}
	c.reflink = false
	_, err = io.Copy(out, in) // copy_file_range where the kernel can
	return err
}

// diskFull adds advice to an error that says so.
func diskFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return pgassay.WithHint(err, diskFullHint)
	}
	return err
}

// toldFull says whether words of a program (in the C locale) speak of a full disk.
func toldFull(words string) bool {
	return containsAny(words, "No space left on device", "Disk quota exceeded")
}

// whyLost adds to an error of a session what the server's log says of a full
// disk since an offset: the server ends when it cannot write its log of changes,
// and the session then only sees a broken connection.
func whyLost(err error, log string, from int64) error {
	if err != nil && !errors.Is(err, errNoSpace) && toldFull(textSince(log, from)) {
		return pgassay.WithHint(fmt.Errorf("%w: %w", errNoSpace, err), diskFullHint)
	}
	return err
}

const diskFullHint = "The disk is full. `pgassay clean --all` removes cached templates; PGASSAY_HOME moves everything to another disk."

// IsDiskFull says whether an error means that the disk is full: every later
// trial would meet it too.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, errNoSpace)
}

// errNoSpace says that there is too little room to begin.
var errNoSpace = errors.New("not enough disk space")

// needSpace checks that the file system of dir has room for n bytes and still
// keeps a reserve of 5 %, at least 512 MiB.
func needSpace(dir string, n int64, what string) error {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	free := int64(st.Bavail) * int64(st.Bsize)
	reserve := max(n/20, 512<<20)
	if free >= n+reserve {
		return nil
	}
	return pgassay.WithHint(fmt.Errorf("%w for %s: %d MB needed and %d MB kept free, %d MB free in %s", errNoSpace, what, n>>20, reserve>>20, free>>20, dir),
		"`pgassay clean --all` removes cached templates; PGASSAY_HOME moves everything to another disk.")
}

// treeBytes sums the sizes of the files below dir.
func treeBytes(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed meanwhile
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return n, err
}
