package server

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// UsableMemory is the memory that a server on this host can use: all of it, or
// the limit of the cgroup that we are in, whichever is less. 0 is unknown.
func UsableMemory() int64 { return usableMemory("/") }

func usableMemory(root string) int64 {
	memory := int64(0)
	text, err := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err == nil {
				memory = kb << 10
			}
		}
	}
	for _, path := range limitFiles(root) {
		if limit := readLimit(path); limit > 0 && limit < memory {
			memory = limit
		}
	}
	return memory
}

// limitFiles lists the files that may hold a memory limit for this process:
// its own cgroup's and those above it, for both versions of cgroups.
func limitFiles(root string) []string {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return nil
	}
	var files []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		mount, name := "sys/fs/cgroup", "memory.max"
		switch {
		case strings.Contains(","+parts[1]+",", ",memory,"):
			mount, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case parts[0] != "0":
			continue
		}
		// In a container the path is often the host's; the limit is then at the top.
		for dir := filepath.Clean("/" + parts[2]); ; dir = filepath.Dir(dir) {
			files = append(files, filepath.Join(root, mount, dir, name))
			if dir == "/" {
				break
			}
		}
	}
	return files
}

// readLimit reads a limit; 0 is none. "max" and the huge numbers that version
// 1 shows mean no limit.
func readLimit(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n >= 1<<60 {
		return 0
	}
	return n
}
