package server

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// descendants lists the children of a process and theirs, from /proc; nil
// where there is none. PostgreSQL's processes call setsid, so a process group
// does not hold them.
func descendants(pid int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		// The second field may hold anything in brackets; the parent is the
		// second field after the last bracket.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 2 {
			continue
		}
		child, errC := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, errP := strconv.Atoi(string(fields[1]))
		if errC == nil && errP == nil {
			children[parent] = append(children[parent], child)
		}
	}
	var out []int
	queue := []int{pid}
	for len(queue) > 0 {
		next := children[queue[0]]
		queue = append(queue[1:], next...)
		out = append(out, next...)
	}
	return out
}
