package hist

import "math"

// Histogram is a distribution of latencies. It is for one goroutine at a time.
type Histogram struct {
	counts []int64
	total  int64
	sum    int64
	over   int64
}

// New makes an empty histogram.
func New() *Histogram { return &Histogram{counts: make([]int64, countsSize)} }

// Record counts one latency; see [Recorder.Record].
func (h *Histogram) Record(ns int64) {
	if ns < 0 {
		ns = 0
	}
	h.sum += ns
	if ns > highestNS {
		ns = highestNS
		h.over++
	}
	h.counts[indexOf(ns)]++
	h.total++
}

// Merge adds other to h.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
	h.sum += other.sum
	h.over += other.over
}

// Minus sets h to what next has and h has not: with next a later look at the
// same recorders, h becomes the interval between the looks. next must contain h.
func (h *Histogram) Minus(next *Histogram) {
	for i, n := range next.counts {
		h.counts[i] = n - h.counts[i]
	}
	h.total = next.total - h.total
	h.sum = next.sum - h.sum
	h.over = next.over - h.over
}

// Reset empties h.
func (h *Histogram) Reset() {
	clear(h.counts)
	h.total, h.sum, h.over = 0, 0, 0
}

// Count is the number of latencies.
func (h *Histogram) Count() int64 { return h.total }

// Over is the number of latencies above an hour.
func (h *Histogram) Over() int64 { return h.over }

// Sum is the exact sum in nanoseconds as recorded; after [Decode], which does
// not know it, the sum of the buckets' middles.
func (h *Histogram) Sum() int64 { return h.sum }

// Mean is Sum / Count in nanoseconds, 0 when empty.
func (h *Histogram) Mean() float64 {
	if h.total == 0 {
		return 0
	}
	return float64(h.sum) / float64(h.total)
}

// Max is the largest latency, rounded up to its bucket's end; 0 when empty.
func (h *Histogram) Max() int64 {
	for i := len(h.counts) - 1; i >= 0; i-- {
		if h.counts[i] != 0 {
			_, high := bounds(i)
			return high
		}
	}
	return 0
}

// Min is the smallest latency, rounded down to its bucket's start; 0 when empty.
func (h *Histogram) Min() int64 {
	for i, n := range h.counts {
		if n != 0 {
			low, _ := bounds(i)
			return low
		}
	}
	return 0
}

// Quantile is the smallest bucket end below or at which a share q (0 to 1) of
// the latencies lies, as HdrHistogram defines it: the value at rank
// max(1, ceil(q × count)). It is 0 when h is empty.
func (h *Histogram) Quantile(q float64) int64 {
	if h.total == 0 {
		return 0
	}
	q = math.Min(math.Max(q, 0), 1)
	// The product is rounded down first by one part in 10^12, so that 0.99 of
	// 100 is rank 99 and not 100.
	rank := int64(math.Ceil(q * float64(h.total) * (1 - 1e-12)))
	rank = min(max(rank, 1), h.total)
	var seen int64
	for i, n := range h.counts {
		if seen += n; seen >= rank {
			_, high := bounds(i)
			return high
		}
	}
	return h.Max()
}

// bounds are the lowest and the highest value of a bucket.
func bounds(index int) (low, high int64) {
	bucket := index>>halfBits - 1
	sub := index&(halfBuckets-1) + halfBuckets
	if bucket < 0 {
		sub -= halfBuckets
		bucket = 0
	}
	low = int64(sub) << uint(bucket)
	return low, low + int64(1)<<uint(bucket) - 1
}
