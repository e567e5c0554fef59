package observe

import (
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/observe/host"
	"github.com/pgassay/pgassay/internal/observe/pglog"
)

// accounts divides the CPU time of a server among the groups of its processes.
//
// The whole is exact: the processes that live and what the postmaster reaped,
// at the end less at the beginning. A process that lives at a look is known up
// to that look; what it used between its last look and its end, and processes
// that no look met, are missing from the parts. For an autovacuum worker the
// log tells more: every run reports its own CPU. Both are measures of one and
// the same process, and what the log counts is a part of what the kernel
// counts, so a worker is credited with the larger of the two and nothing is
// counted twice. A run counts from the log only when it lies wholly within the
// interval: a worker that lived at one of the ends was met by the look there,
// which is exact at that end. What no group explains belongs to other.
type accounts struct {
	procs map[procKey]*account
	// base and last are the whole at the beginning and at the latest look.
	base, last float64
	begun      bool
}

type procKey struct {
	pid   int
	start uint64
}

// account is one process: its CPU time at the beginning (0 when it started
// later) and at the latest look that met it.
type account struct {
	group      host.Group
	base, last float64
}

func newAccounts() *accounts { return &accounts{procs: map[procKey]*account{}} }

// look takes in a look at the living processes. begin says that it is the one
// at the beginning of the interval.
func (a *accounts) look(list []host.ServerProcess, begin bool) {
	if begin {
		clear(a.procs)
		a.begun = true
	}
	a.last = 0
	for _, p := range list {
		k := procKey{p.PID, p.Start}
		cpu := p.OwnS + p.ReapedS
		a.last += cpu
		if p.Group == host.GroupPostmaster {
			// What it reaped are the others; it has no account for that.
			cpu = p.OwnS
		}
		acc := a.procs[k]
		if acc == nil {
			acc = &account{}
			a.procs[k] = acc
			if begin {
				acc.base = cpu
			}
		}
		acc.group, acc.last = p.Group, cpu
	}
	if begin {
		a.base = a.last
	}
}

// settle returns the CPU seconds by group within the interval. logged is what
// the log tells of autovacuum workers, by PID; ours are the PIDs of our own
// sessions, which belong to no group of the server (the second result).
func (a *accounts) settle(logged map[int]float64, ours map[int]bool) (use pgassay.ResourceUse, sampler float64) {
	workers := map[int]float64{}
	var backend, autovacuum, checkpoint, walwriter, other float64
	for k, acc := range a.procs {
		cpu := max(0, acc.last-acc.base)
		switch {
		case ours[k.pid]:
			sampler += cpu
		case acc.group == host.GroupBackend:
			backend += cpu
		case acc.group == host.GroupAutovacuum:
			workers[k.pid] += cpu
		case acc.group == host.GroupCheckpoint:
			checkpoint += cpu
		case acc.group == host.GroupWALWriter:
			walwriter += cpu
		default:
			other += cpu
		}
	}
	for pid, cpu := range workers {
		autovacuum += max(cpu, logged[pid])
	}
	for pid, cpu := range logged {
		if _, met := workers[pid]; !met {
			autovacuum += cpu
		}
	}
	if rest := a.whole() - backend - autovacuum - checkpoint - walwriter - other - sampler; rest > 0 {
		other += rest
	}
	return pgassay.ResourceUse{
		BackendCPUS: backend, AutovacuumCPUS: autovacuum, CheckpointCPUS: checkpoint, WALWriterCPUS: walwriter, OtherCPUS: other,
	}, sampler
}

// whole is the CPU time of the server within the interval.
func (a *accounts) whole() float64 { return max(0, a.last-a.base) }

// loggedCPU sums the CPU seconds of the autovacuum runs that lie wholly
// between two moments, by worker.
func loggedCPU(entries []pglog.Entry, from, to time.Time) map[int]float64 {
	sum := map[int]float64{}
	for _, e := range entries {
		var at time.Time
		var pid int
		var u pglog.Usage
		switch e := e.(type) {
		case *pglog.Vacuum:
			at, pid, u = e.At, e.PID, e.Usage
		case *pglog.Analyze:
			at, pid, u = e.At, e.PID, e.Usage
		default:
			continue
		}
		began := at.Add(-time.Duration(max(0, u.ElapsedS) * float64(time.Second)))
		if began.Before(from) || at.After(to) {
			continue
		}
		sum[pid] += max(0, u.CPUUserS) + max(0, u.CPUSystemS)
	}
	return sum
}
