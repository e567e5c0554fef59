package load

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// usage is what this process has used so far.
type usage struct {
	cpuS      float64
	gcPauseNS int64
}

func readUsage() usage {
	var u usage
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err == nil {
		seconds := func(t unix.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
		u.cpuS = seconds(ru.Utime) + seconds(ru.Stime)
	}
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	u.gcPauseNS = int64(gc.PauseTotal)
	return u
}

// runQueue follows how long the process's threads wait for a CPU, by
// /proc/self/task/*/schedstat: CPU time, wait time (both ns), time slices.
type runQueue struct {
	wait, slices int64
	means        []int64 // ns, one per step
}

// step notes the mean wait per time slice since the last step.
func (q *runQueue) step() {
	wait, slices := readSchedstat()
	// A thread that ended takes its numbers along; such a step is left out.
	if n := slices - q.slices; n > 0 && wait >= q.wait {
		q.means = append(q.means, (wait-q.wait)/n)
	}
	q.wait, q.slices = wait, slices
}

// reset begins anew from now.
func (q *runQueue) reset() {
	q.wait, q.slices = readSchedstat()
	q.means = q.means[:0]
}

// p99 is the 99th percentile of the steps, -1 without one.
func (q *runQueue) p99() int64 {
	if len(q.means) == 0 {
		return -1
	}
	s := slices.Sorted(slices.Values(q.means))
	return s[min(len(s)-1, (len(s)*99+99)/100-1)]
}

func readSchedstat() (wait, slices int64) {
	files, _ := filepath.Glob("/proc/self/task/*/schedstat") // the pattern is well-formed
	for _, f := range files {
		text, err := os.ReadFile(f)
		fields := bytes.Fields(text)
		if err != nil || len(fields) != 3 {
			continue // the thread has ended
		}
		w, errW := strconv.ParseInt(string(fields[1]), 10, 64)
		n, errN := strconv.ParseInt(string(fields[2]), 10, 64)
		if errW == nil && errN == nil {
			wait, slices = wait+w, slices+n
		}
	}
	return wait, slices
}
