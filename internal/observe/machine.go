package observe

import (
	"errors"
	"sort"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/observe/host"
)

// moment is when a look at the host happens, and whether it is the one at the
// beginning or the end of the measurement interval.
type moment struct {
	at         time.Time
	begin, end bool
}

// machine is what the looks at the host saw. The fields below the series are
// counters at the interval's ends; a look in between overwrites the end, so
// that something is known even when the end is never reached.
type machine struct {
	host   *host.Host
	server *host.Server // nil: not known, or gone
	self   int          // our own PID

	at                []time.Time
	busy, wait, dirty []float64
	cpu               host.CPUTimes // at the latest point

	accounts  *accounts
	watched   bool // the server's processes were seen at the beginning
	gone      bool // the server ended before the interval did
	from, to  counters
	queue     host.RunQueue // at the latest look
	queueMean []float64     // ns per slice, one per look within the interval
	session   sessionCPU
}

// counters are the host's at one end of the interval. Negative ones could not
// be read.
type counters struct {
	at     time.Time
	cpu    host.CPUTimes
	selfS  float64
	swapIn int64
	memory int64
}

// pointS is the least time between two points of a series: the kernel counts
// in steps of 10 ms, and a share of one step is noise.
const pointS = 0.1

// look takes in one look, made now; session is the server process of our own
// session, 0 for none.
func (m *machine) look(mo moment, at time.Time, session int, lacks *missing) {
	now := counters{at: mo.at, selfS: -1, swapIn: -1}
	var err error
	if now.cpu, err = m.host.CPU(); err != nil {
		lacks.add("host: " + err.Error())
		return
	}
	mem, err := m.host.Memory()
	if err != nil {
		lacks.add("memory: " + err.Error())
	}
	now.memory = mem.TotalBytes
	if now.swapIn, err = m.host.SwapIns(); err != nil {
		now.swapIn = -1
		lacks.add("swapping: " + err.Error())
	}
	if self, err := m.host.Process(m.self); err == nil {
		now.selfS = self.OwnS
	} else {
		lacks.add("own CPU: " + err.Error())
	}
	switch {
	case m.cpu.CPUs == 0:
		m.cpu = now.cpu
	case now.cpu.TotalS-m.cpu.TotalS >= pointS*float64(now.cpu.CPUs):
		s := now.cpu.Since(m.cpu)
		m.cpu = now.cpu
		m.at = append(m.at, at)
		m.busy, m.wait, m.dirty = append(m.busy, s.Busy), append(m.wait, s.IOWait), append(m.dirty, float64(mem.DirtyBytes))
	}
	if mo.begin {
		m.from = now
	}
	m.to = now
	m.lookQueue(mo.begin)
	m.lookServer(mo, session, lacks)
}

// lookQueue takes in how long our threads waited for a CPU.
func (m *machine) lookQueue(begin bool) {
	q, err := m.host.RunQueue(m.self)
	if err != nil {
		return
	}
	if begin {
		m.queueMean = nil
	} else if q.Slices > m.queue.Slices && q.WaitNS >= m.queue.WaitNS {
		m.queueMean = append(m.queueMean, float64(q.WaitNS-m.queue.WaitNS)/float64(q.Slices-m.queue.Slices))
	}
	m.queue = q
}

// lookServer takes in the server's processes.
func (m *machine) lookServer(mo moment, session int, lacks *missing) {
	if m.server == nil {
		return
	}
	list, err := m.server.Look()
	if err != nil {
		if errors.Is(err, host.ErrGone) {
			m.server, m.gone = nil, true
		}
		lacks.add("CPU of the server: " + err.Error())
		return
	}
	m.accounts.look(list, mo.begin)
	m.watched = m.watched || mo.begin
	if mo.begin {
		m.session = sessionCPU{}
	}
	if session != 0 {
		if q, err := m.host.RunQueue(session); err == nil {
			m.session.look(session, float64(q.RunNS)/1e9)
		}
	}
}

// sessionCPU follows the CPU time of our session's server process in
// nanoseconds: the ticks of /proc/PID/stat are too coarse for it.
type sessionCPU struct {
	pid        int
	base, last float64
	sum        float64 // of earlier sessions
	known      bool
}

func (s *sessionCPU) look(pid int, cpu float64) {
	switch {
	case !s.known:
		*s = sessionCPU{pid: pid, base: cpu}
	case pid != s.pid:
		s.sum += s.last - s.base
		s.pid, s.base = pid, 0
	}
	s.last, s.known = cpu, true
}

// total is the CPU seconds, negative when never seen.
func (s *sessionCPU) total() float64 {
	if !s.known {
		return -1
	}
	return s.sum + s.last - s.base
}

// series returns what the host did, on the trial's clock.
func (m *machine) series(zero time.Time) []pgassay.Series {
	if len(m.at) == 0 {
		return nil
	}
	at := make([]int64, len(m.at))
	for i, t := range m.at {
		at[i] = t.Sub(zero).Nanoseconds()
	}
	return []pgassay.Series{
		{Name: pgassay.SeriesHostCPU, At: at, Value: m.busy},
		{Name: pgassay.SeriesIOWait, At: append([]int64(nil), at...), Value: m.wait},
		{Name: pgassay.SeriesDirtyBytes, At: append([]int64(nil), at...), Value: m.dirty},
	}
}

// use divides CPU time; charged is that of our samplers' threads, logged and
// ours as in [accounts.settle].
func (m *machine) use(logged map[int]float64, ours map[int]bool, charged float64) pgassay.ResourceUse {
	u := pgassay.ResourceUse{ClientCPUS: -1, BackendCPUS: -1, AutovacuumCPUS: -1, CheckpointCPUS: -1, WALWriterCPUS: -1, OtherCPUS: -1, SamplerCPUS: -1}
	if m.from.at.IsZero() {
		return u
	}
	u.SamplerCPUS = charged
	if m.watched {
		groups, sampler := m.accounts.settle(logged, ours)
		if precise := m.session.total(); precise >= 0 {
			sampler = precise
		}
		groups.ClientCPUS, groups.SamplerCPUS = -1, charged+sampler
		u = groups
	}
	if m.from.selfS >= 0 && m.to.selfS >= 0 {
		u.ClientCPUS = max(0, m.to.selfS-m.from.selfS-charged)
	}
	return u
}

// state is what the host as a whole did in the interval.
func (m *machine) state() pgassay.HostState {
	s := pgassay.HostState{BusyShare: -1, IOWaitShare: -1, StealShare: -1, ForeignCPUS: -1, RunQueueP99NS: -1, SwapInPages: -1}
	if m.host == nil {
		return s
	}
	s.BootID = m.host.BootID()
	s.CPUs, s.MemoryBytes = m.to.cpu.CPUs, m.to.memory
	if m.from.at.IsZero() {
		return s
	}
	shares := m.to.cpu.Since(m.from.cpu)
	s.BusyShare, s.IOWaitShare, s.StealShare = shares.Busy, shares.IOWait, shares.Steal
	if m.watched && !m.gone && m.from.selfS >= 0 && m.to.selfS >= 0 {
		s.ForeignCPUS = max(0, shares.BusyS-m.accounts.whole()-(m.to.selfS-m.from.selfS))
	}
	if m.from.swapIn >= 0 && m.to.swapIn >= 0 {
		s.SwapInPages = m.to.swapIn - m.from.swapIn
	}
	if n := len(m.queueMean); n > 0 {
		// The kernel tells sums only: this is the worst second (of a hundred) by
		// its mean wait, which is below the true percentile of single waits.
		sorted := append([]float64(nil), m.queueMean...)
		sort.Float64s(sorted)
		s.RunQueueP99NS = int64(sorted[(n*99+99)/100-1])
	}
	return s
}
