package labtest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Superuser is the superuser of every server; local connections are trusted.
const Superuser = "postgres"

var templates struct {
	sync.Mutex
	byBin map[string]string // directory of binaries -> data directory to copy
}

// populate makes an initialised data directory at path: a copy of the
// template, which is made first if this test binary has none yet.
func populate(bin, path, scratch string) error {
	dir := templateDir()
	if dir == "" {
		return initdb(bin, path)
	}
	templates.Lock()
	defer templates.Unlock()
	if templates.byBin[bin] == "" {
		made := filepath.Join(scratch, "template")
		if err := initdb(bin, made); err != nil {
			return err
		}
		keep, err := os.MkdirTemp(dir, "template-")
		if err != nil {
			return err
		}
		if err := copyTree(made, filepath.Join(keep, "data"), owner{}); err != nil {
			return err
		}
		if err := os.RemoveAll(made); err != nil {
			return err
		}
		if templates.byBin == nil {
			templates.byBin = map[string]string{}
		}
		templates.byBin[bin] = filepath.Join(keep, "data")
	}
	return copyTree(templates.byBin[bin], path, serverUser())
}

// templateDir is the directory of the running test binary when "go test" made
// it and will remove it with everything in it; "" when there is no such place.
func templateDir() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	dir := filepath.Dir(exe)
	if !strings.HasPrefix(filepath.Base(filepath.Dir(dir)), "go-build") {
		return ""
	}
	return dir
}

func initdb(bin, path string) error {
	cmd := exec.Command(filepath.Join(bin, "initdb"), "-D", path, "-U", Superuser, "-A", "trust",
		"--no-sync", "--no-instructions", "-E", "UTF8", "--locale=C.UTF-8")
	cmd.Dir = filepath.Dir(path)
	cmd.Env = serverEnv()
	return runLocked(cmd, func(cmd *exec.Cmd) error {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("run initdb: %w\n%s", err, out)
		}
		return nil
	})
}

// serverEnv is the environment of PostgreSQL's programs: nothing of ours that
// could change what they do.
func serverEnv() []string {
	return []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC"}
}

// copyTree copies directories, files and links with their modes and gives them
// to the owner.
func copyTree(from, to string, o owner) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
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
		default:
			err = copyFile(path, dst, info.Mode().Perm())
		}
		if err != nil {
			return err
		}
		return o.give(dst)
	})
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
