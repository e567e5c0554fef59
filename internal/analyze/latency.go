package analyze

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/load/hist"
)

// latency is the distribution of one trial's response times over all scripts,
// or why there is none.
type latency struct {
	h   *hist.Histogram
	why string
}

// latencyOf decodes the histogram of all scripts together.
func latencyOf(r *pgassay.TrialRecord) latency {
	for _, h := range r.Histograms {
		if h.Script != "" || h.Kind != "response" {
			continue
		}
		d, err := hist.Decode(h.Encoded)
		if err != nil {
			return latency{why: fmt.Sprintf("the recorded latency histogram cannot be read (%v)", err)}
		}
		return latency{h: d}
	}
	return latency{why: "no latency histogram was recorded"}
}

func (l latency) count() int64 {
	if l.h == nil {
		return 0
	}
	return l.h.Count()
}

func (l latency) mean() reading {
	switch {
	case l.h == nil:
		return lost(l.why)
	case l.count() == 0:
		return lost("no transaction was completed")
	}
	return seen(l.h.Mean())
}

// quantile reads a latency quantile where the trial has enough transactions
// beyond it (METHOD V22).
func (l latency) quantile(m pgassay.Metric) reading {
	switch n := l.count(); {
	case l.h == nil:
		return lost(l.why)
	case n < m.MinTransactions:
		return reading{absent: tooFew, why: fmt.Sprintf("%s needs %s transactions in a trial, there were %s", noun(m), count(float64(m.MinTransactions)), count(float64(n)))}
	}
	return seen(float64(l.h.Quantile(m.Quantile)))
}

// shown are the quantiles of a cell's latency curve.
var shown = []float64{
	0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.98, 0.99, 0.995, 0.998,
	0.999, 0.9995, 0.9999, 0.99995, 0.99999,
}

// quantiles returns the curve up to where 100 transactions lie beyond a
// quantile: the same rule as for the metrics, here over all trials together.
func quantiles(h *hist.Histogram) []LatencyQuantile {
	var out []LatencyQuantile
	for _, q := range shown {
		if math.Round(float64(h.Count())*(1-q)) < 100 {
			break
		}
		out = append(out, LatencyQuantile{Quantile: q, Value: h.Quantile(q)})
	}
	return out
}

// histogramBars is the resolution of a cell's latency histogram.
const histogramBars = 48

// bars returns the distribution in bars of equal width on a logarithmic axis,
// from the smallest latency to the largest.
func bars(h *hist.Histogram) []LatencyHistoPoint {
	var out []LatencyHistoPoint
	for _, b := range h.Bars(histogramBars) {
		out = append(out, LatencyHistoPoint{UpTo: int64(math.Round(b.High)), Count: b.Count})
	}
	return out
}
