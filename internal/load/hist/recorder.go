package hist

import "sync/atomic"

// Recorder counts latencies of several goroutines at once. The zero value is
// not usable; make one with [NewRecorder].
type Recorder struct {
	counts []atomic.Int64
	sum    atomic.Int64
	over   atomic.Int64
}

// NewRecorder makes an empty recorder.
func NewRecorder() *Recorder {
	return &Recorder{counts: make([]atomic.Int64, countsSize)}
}

// Record counts one latency in nanoseconds. A negative one (a clock that went
// back) counts as 0, one above an hour as one hour and as [Histogram.Over].
func (r *Recorder) Record(ns int64) {
	if ns < 0 {
		ns = 0
	}
	r.sum.Add(ns)
	if ns > highestNS {
		ns = highestNS
		r.over.Add(1)
	}
	r.counts[indexOf(ns)].Add(1)
}

// AddTo adds everything recorded so far to h. It may run beside Record; what
// is recorded meanwhile may be in it or not.
func (r *Recorder) AddTo(h *Histogram) {
	for i := range r.counts {
		if n := r.counts[i].Load(); n != 0 {
			h.counts[i] += n
			h.total += n
		}
	}
	h.sum += r.sum.Load()
	h.over += r.over.Load()
}
