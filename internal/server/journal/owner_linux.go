package journal

import (
	"fmt"
	"os"
	"strings"
)

// processStart is when a process started, as text to compare: the boot and the
// clock ticks since then (field 22 of /proc/PID/stat). ended says that it is a
// zombie (field 3): containers often have no init that collects them.
func processStart(pid int) (started string, ended bool) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The second field is the program's name in parentheses and may hold
	// anything; the third one is the first after the last parenthesis.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 {
		return "", false
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[19], fields[0] == "Z" || fields[0] == "X"
}
