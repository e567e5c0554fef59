package script

import "math"

// Go's math.Log and math.Exp use assembly on some platforms and may fuse a
// multiplication with an addition on others, so their last digit differs from
// machine to machine, and with it a random key. These two are written so that
// every step is rounded (the conversions forbid fusing): the same bits
// everywhere, correct to about 1e-15.

// log is the natural logarithm of a positive finite x: x = f·2^k with f near 1,
// s = (f-1)/(f+1), log f = 2(s + s³/3 + s⁵/5 + …).
func log(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		if x == 0 {
			return math.Inf(-1)
		}
		return x
	}
	f, k := math.Frexp(x) // 0.5 <= f < 1
	if f < math.Sqrt2/2 {
		f, k = f*2, k-1
	}
	s := (f - 1) / (f + 1) // |s| < 0.1716
	z := float64(s * s)
	sum := 0.0
	for d := 23; d >= 3; d -= 2 {
		sum = float64(z * (1/float64(d) + sum))
	}
	head := float64(2 * s)
	return float64(float64(k)*math.Ln2) + (head + float64(head*sum))
}

// exp is e^x: x = k·ln 2 + r with |r| <= ln 2/2, e^r by its series.
func exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 709.78:
		return math.Inf(1)
	case x < -745.13:
		return 0
	}
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10 // ln 2 in two parts
	k := math.RoundToEven(float64(x * (1 / math.Ln2)))
	r := x - float64(k*high)
	r -= float64(k * low)
	sum := 1.0
	for d := 14; d >= 1; d-- {
		sum = 1 + float64(r*sum)/float64(d)
	}
	return math.Ldexp(sum, int(k))
}
