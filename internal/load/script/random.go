package script

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// random draws integers from pgbench's distributions. Everything is computed
// from 64-bit draws in a fixed order, so that a seed means the same keys on
// every platform.
type random struct{ pcg *rand.PCG }

// uniform is from low to high, both included, without bias (Lemire 2019, "Fast
// random integer generation in an interval").
func (r random) uniform(low, high int64) int64 {
	n := uint64(high-low) + 1
	hi, lo := bits.Mul64(r.pcg.Uint64(), n)
	if lo < n {
		for floor := -n % n; lo < floor; {
			hi, lo = bits.Mul64(r.pcg.Uint64(), n)
		}
	}
	return low + int64(hi)
}

// unit is from [0, 1) with 53 bits.
func (r random) unit() float64 { return float64(r.pcg.Uint64()>>11) * (1.0 / (1 << 53)) }

// spread maps x of [0, 1) onto low … high.
func spread(low, high int64, x float64) int64 {
	return low + min(int64(float64(high-low+1)*x), high-low)
}

// exponential: the density falls by the factor exp(-parameter) from low to high.
func (r random) exponential(low, high int64, parameter float64) (int64, error) {
	if !(parameter > 0) {
		return 0, fmt.Errorf("exponential parameter must be greater than zero (not %f)", parameter)
	}
	cut := exp(-parameter)
	u := 1 - r.unit() // (0, 1]
	return spread(low, high, -log(cut+float64((1-cut)*u))/parameter), nil
}

const gaussianMin = 2.0

// gaussian is a normal distribution cut off at ±parameter standard deviations
// and stretched over low … high.
func (r random) gaussian(low, high int64, parameter float64) (int64, error) {
	if !(parameter >= gaussianMin) {
		return 0, fmt.Errorf("gaussian parameter must be at least %f (not %f)", gaussianMin, parameter)
	}
	for {
		z := r.normal()
		if z >= -parameter && z < parameter {
			return spread(low, high, (z+parameter)/(parameter*2)), nil
		}
	}
}

// normal is Marsaglia's polar method, which needs no sine.
func (r random) normal() float64 {
	for {
		x, y := float64(2*r.unit())-1, float64(2*r.unit())-1
		s := float64(x*x) + float64(y*y)
		if s > 0 && s < 1 {
			return float64(x * math.Sqrt(-2*log(s)/s))
		}
	}
}

const (
	zipfianMin = 1.001
	zipfianMax = 1000.0
)

// zipfian: the k-th value has a probability proportional to k^-s. Rejection
// method of Devroye, "Non-Uniform Random Variate Generation" (1986), p. 550.
func (r random) zipfian(low, high int64, s float64) (int64, error) {
	if !(s >= zipfianMin && s <= zipfianMax) {
		return 0, fmt.Errorf("zipfian parameter must be in range [%.3f, %.0f] (not %f)", zipfianMin, zipfianMax, s)
	}
	n := high - low + 1
	if n <= 1 {
		return low, nil
	}
	b := exp(float64((s - 1) * math.Ln2))
	for {
		u, v := r.unit(), r.unit()
		if u == 0 {
			continue
		}
		x := math.Floor(exp(-log(u) / (s - 1)))
		if x > float64(n) || math.IsInf(x, 1) {
			continue
		}
		t := exp(float64((s - 1) * log(1+1/x)))
		if float64(v*x)*(t-1)/(b-1) <= t/b {
			return low - 1 + int64(x), nil
		}
	}
}
