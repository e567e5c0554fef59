package binaries

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// The packages' layout: "package/native/{bin,lib,share}" and a list of links.
const (
	nativeDir = "package/native/"
	linksFile = "pg-symlinks.json"
	// sizeLimit bounds what is unpacked, in bytes. Real packages have 60 MB.
	sizeLimit = 2 << 30
)

// unpack extracts the native part of a package to dir, which must not exist,
// and makes its links. Every directory can be entered and every file be read by
// all; nothing is written outside dir.
func unpack(tarball, dir string) error {
	f, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := mkdirOpen(dir); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	t := tar.NewReader(io.LimitReader(z, sizeLimit))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return makeLinks(root)
		}
		if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(path.Clean(h.Name), nativeDir)
		if !ok || h.Typeflag != tar.TypeReg { // the wrapper's own files; directories come with their files
			continue
		}
		if !fs.ValidPath(name) {
			return fmt.Errorf("unsafe path %q", h.Name)
		}
		if err := writeFile(root, name, h, t); err != nil {
			return err
		}
	}
}

func mkdirOpen(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755) // whatever the umask is
}

// mkdirs makes the directories above a name.
func mkdirs(root *os.Root, name string) error {
	for i, c := range name {
		if c != '/' {
			continue
		}
		dir := name[:i]
		if err := root.Mkdir(dir, 0o755); err != nil {
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			return err
		}
		if err := root.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(root *os.Root, name string, h *tar.Header, content io.Reader) error {
	if err := mkdirs(root, name); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if h.FileInfo().Mode().Perm()&0o111 != 0 || strings.HasPrefix(name, "bin/") {
		mode = 0o755
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, content); err != nil {
		f.Close()
		return err
	}
	if err := f.Chmod(mode); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// makeLinks reads the list of links, which npm's archives cannot hold, and
// makes them relative, so that the tree can be moved.
func makeLinks(root *os.Root) error {
	text, err := root.ReadFile(linksFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(text, &links); err != nil {
		return fmt.Errorf("%s: %w", linksFile, err)
	}
	for _, l := range links {
		source, ok1 := strings.CutPrefix(path.Clean(l.Source), "native/")
		target, ok2 := strings.CutPrefix(path.Clean(l.Target), "native/")
		if !ok1 || !ok2 || !fs.ValidPath(source) || !fs.ValidPath(target) {
			return fmt.Errorf("%s: unsafe link %q to %q", linksFile, l.Target, l.Source)
		}
		to, err := filepath.Rel(filepath.Dir(target), source)
		if err != nil {
			return err
		}
		if err := mkdirs(root, target); err != nil {
			return err
		}
		if err := root.Symlink(to, target); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}
