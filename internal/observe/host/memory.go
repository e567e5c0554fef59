package host

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory is the state of the main memory, in bytes.
type Memory struct {
	TotalBytes     int64
	AvailableBytes int64
	// DirtyBytes are pages to be written and pages being written.
	DirtyBytes int64
}

// Memory reads /proc/meminfo.
func (h *Host) Memory() (Memory, error) {
	m, err := h.fs.Meminfo()
	if err != nil {
		return Memory{}, fmt.Errorf("read memory: %w", err)
	}
	value := func(p *uint64) int64 {
		if p == nil {
			return 0
		}
		return int64(*p)
	}
	return Memory{
		TotalBytes: value(m.MemTotalBytes), AvailableBytes: value(m.MemAvailableBytes),
		DirtyBytes: value(m.DirtyBytes) + value(m.WritebackBytes),
	}, nil
}

// SwapIns is the number of pages swapped in since boot (pswpin of
// /proc/vmstat).
func (h *Host) SwapIns() (int64, error) {
	f, err := os.Open(filepath.Join(h.proc, "vmstat"))
	if err != nil {
		return 0, fmt.Errorf("read swap-ins: %w", err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		if v, ok := strings.CutPrefix(in.Text(), "pswpin "); ok {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read swap-ins: %w", err)
			}
			return n, nil
		}
	}
	if err := in.Err(); err != nil {
		return 0, fmt.Errorf("read swap-ins: %w", err)
	}
	return 0, fmt.Errorf("read swap-ins: no pswpin in %s/vmstat", h.proc)
}

// BootID identifies the boot: it is equal exactly while the machine is not
// started anew. "" when it cannot be read.
func (h *Host) BootID() string { return h.text("sys", "kernel", "random", "boot_id") }
