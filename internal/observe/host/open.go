package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/procfs"
)

// Host reads one machine. It is safe for concurrent use.
type Host struct {
	fs        procfs.FS
	proc, sys string
}

// Open checks that proc is a mount point or a directory of the kind of /proc;
// "" is /proc. sys is that of /sys, "" is /sys; what it lacks is left out.
func Open(proc, sys string) (*Host, error) {
	if proc == "" {
		proc = procfs.DefaultMountPoint
	}
	if sys == "" {
		sys = "/sys"
	}
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", proc, err)
	}
	return &Host{fs: fs, proc: proc, sys: sys}, nil
}

// text reads a small file below /proc, "" when it cannot be read.
func (h *Host) text(path ...string) string { return readText(h.proc, path...) }

// sysText is text below /sys.
func (h *Host) sysText(path ...string) string { return readText(h.sys, path...) }

func readText(root string, path ...string) string {
	b, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
