package journal

import (
	"fmt"
	"os"
	"strings"
)

// processStart is when a process started, as text to compare: the boot and the
// clock ticks since then (field 22 of /proc/PID/stat).
func processStart(pid int) string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The second field is the program's name in parentheses and may hold
	// anything; the third one is the first after the last parenthesis.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[19]
}
