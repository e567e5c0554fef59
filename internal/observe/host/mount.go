package host

import (
	"fmt"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Mount is the file system that a path lies on.
type Mount struct {
	FileSystem string // type, such as ext4
	Device     string // source of the mount, such as /dev/vda
	Options    string // mount and superblock options, sorted, separated by commas
	Number     string // major:minor of the device
}

// Mount finds the file system of an absolute path without symbolic links: the
// last mount whose mount point is the longest one above the path.
func (h *Host) Mount(path string) (Mount, error) {
	mounts, err := h.fs.GetMounts()
	if err != nil {
		return Mount{}, fmt.Errorf("read mounts: %w", err)
	}
	best := -1
	var m Mount
	for _, i := range mounts {
		point := unescape(i.MountPoint)
		if len(point) < best || point != "/" && path != point && !strings.HasPrefix(path, point+"/") {
			continue
		}
		best = len(point)
		set := map[string]bool{}
		for _, options := range []map[string]string{i.Options, i.SuperOptions} {
			for k, v := range options {
				if v != "" {
					k += "=" + v
				}
				set[k] = true
			}
		}
		var list []string
		for o := range set {
			list = append(list, o)
		}
		sort.Strings(list)
		m = Mount{FileSystem: i.FSType, Device: unescape(i.Source), Options: strings.Join(list, ","), Number: i.MajorMinorVer}
	}
	if best < 0 {
		return Mount{}, fmt.Errorf("find mount of %s: none in %s", path, filepath.Join(h.proc, "self/mountinfo"))
	}
	return m, nil
}

// unescape turns the octal escapes of mountinfo (\040 is a blank) back.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
