package host

import (
	"fmt"

	"github.com/prometheus/procfs"
)

// Process is one process at one moment.
type Process struct {
	PID, Parent int
	// Start is when it began, in the kernel's ticks since boot: with the PID it
	// identifies the process.
	Start uint64
	// OwnS is the CPU time of its threads, ReapedS that of its children which
	// ended and were waited for (and of theirs). Seconds, in steps of 10 ms.
	OwnS, ReapedS float64
}

// Process reads /proc/PID/stat. The error wraps fs.ErrNotExist when there is
// no such process (any more).
func (h *Host) Process(pid int) (Process, error) {
	p, err := h.fs.Proc(pid)
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return stat(p)
}

// ticks is USER_HZ, which Linux fixes at 100 for all that /proc shows.
const ticks = 100

func stat(p procfs.Proc) (Process, error) {
	s, err := p.Stat()
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", p.PID, err)
	}
	return Process{
		PID: p.PID, Parent: s.PPID, Start: s.Starttime,
		OwnS: float64(s.UTime+s.STime) / ticks, ReapedS: float64(s.CUTime+s.CSTime) / ticks,
	}, nil
}

// RunQueue is the scheduler's account of one process.
type RunQueue struct {
	RunNS  uint64 // on a CPU
	WaitNS uint64 // ready, but waiting for a CPU
	Slices uint64 // times it got a CPU
}

// RunQueue sums /proc/PID/task/*/schedstat over the living threads. Threads
// that ended take their times with them, so a difference of two readings can
// be short (it wraps below zero: compare before subtracting).
func (h *Host) RunQueue(pid int) (RunQueue, error) {
	threads, err := h.fs.AllThreads(pid)
	if err != nil {
		return RunQueue{}, fmt.Errorf("read scheduling of process %d: %w", pid, err)
	}
	var sum RunQueue
	read := 0
	for _, t := range threads {
		s, err1 := t.Schedstat()
		if err1 != nil {
			err = err1 // a thread that just ended, unless it happens to all
			continue
		}
		read++
		sum.RunNS += s.RunningNanoseconds
		sum.WaitNS += s.WaitingNanoseconds
		sum.Slices += s.RunTimeslices
	}
	if read == 0 {
		return RunQueue{}, fmt.Errorf("read scheduling of process %d: %w", pid, err)
	}
	return sum, nil
}
