package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/pgassay/pgassay"
)

// tQuantile is the p-quantile of Student's t with df degrees of freedom.
func tQuantile(p float64, df int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile(p)
}

// TInterval returns the mean of x with its confidence interval at the given
// level (0.95): mean ± t(n-1) · s/√n. Fewer than two values have no interval:
// the limits are infinite then, and the estimate NaN of nothing.
func TInterval(x []float64, level float64) pgassay.Interval {
	n := len(x)
	if n < 2 {
		return pgassay.Interval{Estimate: Mean(x), Low: math.Inf(-1), High: math.Inf(1), Level: level}
	}
	m := Mean(x)
	h := tQuantile((1+level)/2, n-1) * SD(x) / math.Sqrt(float64(n))
	return pgassay.Interval{Estimate: m, Low: m - h, High: m + h, Level: level}
}

// TTest returns the two-sided p-value of the hypothesis that the mean is 0. It
// is 1 with fewer than two values. Values without any spread give 0, or 1 when
// all are 0.
func TTest(x []float64) float64 {
	if len(x) < 2 {
		return 1
	}
	m, sd := Mean(x), SD(x)
	switch {
	case m == 0:
		return 1
	case sd == 0:
		return 0
	}
	t := math.Abs(m) / (sd / math.Sqrt(float64(len(x))))
	return math.Min(1, 2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(x) - 1)}.CDF(-t))
}
