package stats

import (
	"math"
	"slices"
)

// Mean returns the arithmetic mean, NaN of nothing.
func Mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// SD returns the standard deviation of a sample (divisor n-1), NaN with fewer
// than two values.
func SD(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	m, sum := Mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// Median returns the middle value, or the mean of the two in the middle; NaN of
// nothing.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	h := len(s) / 2
	if len(s)%2 == 1 {
		return s[h]
	}
	return s[h-1] + (s[h]-s[h-1])/2
}

// HodgesLehmann returns the median of the Walsh averages (x[i]+x[j])/2, i <= j:
// an estimate of the centre that one wild block cannot move far (Hodges and
// Lehmann 1963). NaN of nothing.
func HodgesLehmann(x []float64) float64 {
	walsh := make([]float64, 0, len(x)*(len(x)+1)/2)
	for i := range x {
		for j := i; j < len(x); j++ {
			walsh = append(walsh, x[i]/2+x[j]/2)
		}
	}
	return Median(walsh)
}
