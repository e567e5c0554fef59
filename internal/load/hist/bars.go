package hist

import "math"

// Bar is one bar of a chart: Count latencies from Low to just below High, ns.
type Bar struct {
	Low, High float64
	Count     int64
}

// Bars groups the latencies into at most n bars of equal width on a
// logarithmic axis, from the smallest latency to the largest. The counts add
// up to [Histogram.Count]. It returns nil when h is empty or n is below 1.
func (h *Histogram) Bars(n int) []Bar {
	if h.total == 0 || n < 1 {
		return nil
	}
	low := math.Max(1, float64(h.Min()))
	high := math.Max(low, float64(h.Max())) + 1
	step := math.Log(high/low) / float64(n)
	bars := make([]Bar, n)
	for i := range bars {
		bars[i].Low = low * math.Exp(step*float64(i))
		bars[i].High = low * math.Exp(step*float64(i+1))
	}
	for i, count := range h.counts {
		if count == 0 {
			continue
		}
		from, to := bounds(i)
		middle := math.Max(low, float64(from)+float64(to-from)/2)
		at := int(math.Log(middle/low) / step)
		bars[min(max(at, 0), n-1)].Count += count
	}
	return bars
}
