package stats

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Power returns the chance that a two-sided t test at level alpha over n blocks
// claims something when the true mean is effect and the blocks scatter with the
// standard deviation sd > 0. It is 0 with fewer than two blocks.
//
// It is exact (noncentral t, both tails, as R's power.t.test with strict =
// TRUE). With T = (Z+δ)/S, δ = effect·√n/sd and S² = χ²(ν)/ν,
//
//	P(|T| > c) = ∫ φ(z) · F_χ²(ν)(ν (z+δ)²/c²) dz,
//
// a smooth integral, which keeps its digits for ν = 1 and a large δ, where the
// usual series for the noncentral t do not.
func Power(effect, sd float64, n int, alpha float64) float64 {
	if n < 2 {
		return 0
	}
	return tPower(math.Abs(effect)*math.Sqrt(float64(n))/sd, n-1, tQuantile(1-alpha/2, n-1))
}

// tPower is P(|T| > c) of the noncentral t with df degrees of freedom.
func tPower(delta float64, df int, c float64) float64 {
	chi := distuv.ChiSquared{K: float64(df)}
	f := func(z float64) float64 {
		x := (z + delta) / c
		return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * chi.CDF(float64(df)*x*x)
	}
	// φ(9) is below 1e-17; F has a kink at -δ for one degree of freedom.
	const edge, points = 9, 64
	if -delta <= -edge {
		return quad.Fixed(f, -edge, edge, points, nil, 0)
	}
	return quad.Fixed(f, -edge, -delta, points, nil, 0) + quad.Fixed(f, -delta, edge, points, nil, 0)
}

// Detectable returns the smallest true mean that a two-sided t test at level
// alpha over n blocks sees with the given power (0.9), when the blocks scatter
// with the standard deviation sd: the minimum detectable effect of a fixed
// design. It solves [Power] and is in the unit of sd; +Inf with fewer than two
// blocks. For log ratios d the relative effect is exp(d)-1.
func Detectable(sd float64, n int, alpha, power float64) float64 {
	if n < 2 {
		return math.Inf(1)
	}
	c := tQuantile(1-alpha/2, n-1)
	short := func(delta float64) float64 { return tPower(delta, n-1, c) - power }
	lo, hi := 0.0, c+5
	for short(hi) < 0 {
		lo, hi = hi, 2*hi
	}
	return root(short, lo, hi) * sd / math.Sqrt(float64(n))
}

// root finds the zero of an increasing function between lo and hi, by false
// position in the Illinois variant: it halves the weight of an end that stays.
func root(f func(float64) float64, lo, hi float64) float64 {
	flo, fhi := f(lo), f(hi)
	side := 0
	for range 100 {
		mid := (lo*fhi - hi*flo) / (fhi - flo)
		fmid := f(mid)
		switch {
		case math.Abs(fmid) < 1e-12 || hi-lo < 1e-12*hi:
			return mid
		case fmid < 0:
			lo, flo = mid, fmid
			if side < 0 {
				fhi /= 2
			}
			side = -1
		default:
			hi, fhi = mid, fmid
			if side > 0 {
				flo /= 2
			}
			side = 1
		}
	}
	return hi
}
