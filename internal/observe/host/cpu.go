package host

import "fmt"

// CPUTimes are the seconds that all CPUs together spent since boot.
type CPUTimes struct {
	CPUs int
	// TotalS is all time; IdleS, IOWaitS and StealS are parts of it, and the rest
	// is work. (Guest time is part of user time and not counted twice.)
	TotalS, IdleS, IOWaitS, StealS float64
}

// CPUShares is what the CPUs did between two readings, as shares of all of
// them together, 0 to 1.
type CPUShares struct {
	Busy, IOWait, Steal float64
	BusyS               float64 // CPU seconds of work
}

// CPU reads /proc/stat:
//
//	cpu  user nice system idle iowait irq softirq steal guest guest_nice
func (h *Host) CPU() (CPUTimes, error) {
	s, err := h.fs.Stat()
	if err != nil {
		return CPUTimes{}, fmt.Errorf("read CPU times: %w", err)
	}
	c := s.CPUTotal
	return CPUTimes{
		CPUs:   len(s.CPU),
		TotalS: c.User + c.Nice + c.System + c.Idle + c.Iowait + c.IRQ + c.SoftIRQ + c.Steal,
		IdleS:  c.Idle, IOWaitS: c.Iowait, StealS: c.Steal,
	}, nil
}

// Since returns the shares of the time since an earlier reading. Without any
// time between them all are 0. The kernel lets iowait run backwards at times;
// a negative share counts as 0.
func (t CPUTimes) Since(before CPUTimes) CPUShares {
	total := t.TotalS - before.TotalS
	if total <= 0 {
		return CPUShares{}
	}
	idle := max(0, t.IdleS-before.IdleS)
	wait := max(0, t.IOWaitS-before.IOWaitS)
	steal := max(0, t.StealS-before.StealS)
	busy := max(0, total-idle-wait-steal)
	return CPUShares{Busy: busy / total, IOWait: wait / total, Steal: steal / total, BusyS: busy}
}
