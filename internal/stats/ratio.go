package stats

import (
	"math"

	"github.com/pgassay/pgassay"
)

// LogRatio returns ln(y/base). ok is false when either is not positive and
// finite: such a pair has no ratio.
func LogRatio(y, base float64) (d float64, ok bool) {
	if !(y > 0) || !(base > 0) || math.IsInf(y, 0) || math.IsInf(base, 0) {
		return 0, false
	}
	return math.Log(y) - math.Log(base), true
}

// RatioInterval returns the relative change that belongs to log ratios, one per
// block: exp(mean)-1 with the limits of their t interval, put back in the same
// way. 0.05 is 5 % more. With fewer than two blocks nothing bounds the change:
// the limits are infinite.
func RatioInterval(logs []float64, level float64) pgassay.Interval {
	i := TInterval(logs, level)
	if len(logs) < 2 {
		return pgassay.Interval{Estimate: math.Expm1(i.Estimate), Low: math.Inf(-1), High: math.Inf(1), Level: level}
	}
	return pgassay.Interval{Estimate: math.Expm1(i.Estimate), Low: math.Expm1(i.Low), High: math.Expm1(i.High), Level: level}
}
