package server_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server"
)

// TestDiskFull: a disk that is too small, or becomes full while data is loaded
// or copied, is told as such with advice, and nothing half-made stays.
func TestDiskFull(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root mounts file systems
	}
	dir, err := makeHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2g,mode=755"); err != nil {
		if errors.Is(err, syscall.EPERM) {
			return // root of a container mounts none
		}
		t.Fatal(err)
	}
	resize := func(size string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size="+size+",mode=755"); err != nil {
			t.Fatal(err)
		}
	}
	leave := func(bytes uint64) { // as free space
		t.Helper()
		var st syscall.Statfs_t
		if err := syscall.Statfs(dir, &st); err != nil {
			t.Fatal(err)
		}
		resize(fmt.Sprint((st.Blocks-st.Bfree)*uint64(st.Bsize) + bytes))
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	h, err := openHome(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	full := func(sentence string, err error) {
		t.Helper()
		if !server.IsDiskFull(err) || !strings.Contains(pgassay.Hint(err), "pgassay clean") {
			t.Errorf("%s: got %v (hint %q), want a full disk", sentence, err, pgassay.Hint(err))
		}
		for _, part := range []string{"clusters", "templates", "instances"} {
			if left := entries(t, h, part); slices.ContainsFunc(left, func(name string) bool { return strings.HasPrefix(name, ".") }) {
				t.Errorf("%s: left in %s: %v", sentence, part, left)
			}
		}
	}
	b := mustBuild(t, 0)
	spec := server.TemplateSpec{Build: b, Dataset: small(100)}
	resize("300m")
	_, err = h.Template(limited(t), spec, discard)
	full("too small to begin", err)
	resize("2g")
	tpl := mustTemplate(t, h, spec)
	spec.Dataset = small(2_000_000)
	_, err = h.Template(limited(t), spec, func(text string) {
		if strings.HasPrefix(text, "loading") {
			leave(30 << 20)
		}
	})
	full("full while loading", err)
	_, err = h.Instance(limited(t), tpl, server.InstanceOptions{})
	full("too small for a copy", err)
	resize("2g")
	leave(10 << 20)
	_, err = server.CopyTree(t.Context(), filepath.Join(dir, "templates", tpl.Key, "data"), filepath.Join(dir, "copy"), h.User())
	full("full while copying", err)
	if _, err := os.Stat(filepath.Join(dir, "copy")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy is still there: %v", err)
	}
}
