package stats_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgassay/pgassay/internal/stats"
)

// sleep is the increase of sleep in R's data set of that name (Student 1908),
// drug 2 less drug 1, ten patients.
var sleep = []float64{1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4}

// depression is R's example for wilcox.test (Hollander and Wolfe 1973, p. 29):
// the depression factor after therapy less the one before, nine patients.
var depression = []float64{-0.952, 0.147, -1.022, -0.430, -0.620, -0.590, -0.490, 0.080, -0.010}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tol {
		t.Errorf("%s: got %.10g want %.10g", what, got, want)
	}
}

// TestStudent holds against the output of t.test(sleep…, paired) in R's manual:
// t = 4.0621, df = 9, p-value = 0.002833, 95 % interval 0.7001142 2.4598858.
func TestStudent(t *testing.T) {
	i := stats.TInterval(sleep, 0.95)
	near(t, "mean", i.Estimate, 1.58, 1e-12)
	near(t, "low", i.Low, 0.7001142, 5e-8)
	near(t, "high", i.High, 2.4598858, 5e-8)
	near(t, "p", stats.TTest(sleep), 0.002833, 5e-7)
	near(t, "sd", stats.SD(sleep), 1.229995, 5e-7)
}

// TestCritical holds against the table of Student's t in the NIST/SEMATECH
// e-Handbook, section 1.3.6.7.2 (three decimals), through intervals of two to
// eleven values with mean 0 and a known standard error.
func TestCritical(t *testing.T) {
	for _, row := range []struct {
		df    int
		level float64
		want  float64
	}{
		{1, 0.95, 12.706}, {2, 0.95, 4.303}, {3, 0.95, 3.182}, {4, 0.95, 2.776}, {9, 0.95, 2.262},
		{1, 0.99, 63.657}, {3, 0.99, 5.841}, {9, 0.99, 3.250}, {3, 0.90, 2.353}, {10, 0.90, 1.812},
	} {
		x := make([]float64, row.df+1)
		x[0], x[1] = -1, 1
		se := stats.SD(x) / math.Sqrt(float64(len(x)))
		near(t, "t", stats.TInterval(x, row.level).High/se, row.want, 5.1e-4)
	}
}

func TestTooFew(t *testing.T) {
	if i := stats.TInterval([]float64{3}, 0.95); i.Known() || i.Estimate != 3 {
		t.Errorf("one value: got %+v want the estimate 3 without limits", i)
	}
	if i := stats.RatioInterval([]float64{math.Log(2)}, 0.95); i.Known() || math.Abs(i.Estimate-1) > 1e-12 {
		t.Errorf("one ratio: got %+v want +100 %% without limits", i)
	}
	if i := stats.TInterval(nil, 0.95); !math.IsNaN(i.Estimate) || i.Known() {
		t.Errorf("nothing: got %+v", i)
	}
	for _, row := range []struct {
		what string
		x    []float64
		want float64
	}{
		{"one value proves nothing", []float64{5}, 1},
		{"the same value in all blocks, not 0", []float64{5, 5, 5}, 0},
		{"no difference in any block", []float64{0, 0, 0}, 1},
	} {
		if got := stats.TTest(row.x); got != row.want {
			t.Errorf("%s: got p %v want %v", row.what, got, row.want)
		}
	}
}

func TestRatio(t *testing.T) {
	// exp(0.1)-1 and logs ±: mean of ln(1.1), ln(1.3) is ln(√1.43).
	i := stats.RatioInterval([]float64{math.Log(1.1), math.Log(1.3)}, 0.95)
	near(t, "geometric mean", i.Estimate, math.Sqrt(1.43)-1, 1e-12)
	near(t, "limits are symmetric on the log scale", math.Log1p(i.Low)+math.Log1p(i.High), math.Log(1.43), 1e-12)
	for _, bad := range [][2]float64{{0, 1}, {1, 0}, {-1, 1}, {math.NaN(), 1}, {1, math.Inf(1)}} {
		if _, ok := stats.LogRatio(bad[0], bad[1]); ok {
			t.Errorf("LogRatio(%v): got a ratio, want none", bad)
		}
	}
}

// TestHolm holds against the worked example in Wikipedia's article
// "Holm–Bonferroni method" (0.01, 0.04, 0.03, 0.005: H1 and H4 are rejected at
// 5 %) with the adjusted values of R's p.adjust(method = "holm").
func TestHolm(t *testing.T) {
	got := stats.Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, "adjusted", got[i], want, 1e-12)
	}
	if len(stats.Holm(nil)) != 0 {
		t.Error("nothing: got values")
	}
	near(t, "capped", stats.Holm([]float64{0.9, 0.8})[1], 1, 0)
}

// TestHodgesLehmann: the estimate of the treatment effect in Hollander and
// Wolfe 1973, example 3.3, is -0.46.
func TestHodgesLehmann(t *testing.T) {
	near(t, "depression", stats.HodgesLehmann(depression), -0.46, 1e-12)
	near(t, "one wild value of five", stats.HodgesLehmann([]float64{1, 2, 3, 4, 1000}), 3, 1e-12)
	near(t, "two values", stats.HodgesLehmann([]float64{1, 2}), 1.5, 1e-12)
	if !math.IsNaN(stats.HodgesLehmann(nil)) {
		t.Error("nothing: got a number")
	}
	near(t, "even median", stats.Median([]float64{4, 1, 3, 2}), 2.5, 0)
	near(t, "odd median", stats.Median([]float64{9, 1, 3}), 3, 0)
}

// TestPower holds against printed output of R's power.t.test.
func TestPower(t *testing.T) {
	// power.t.test(n = 10, delta = 0.5, sd = 0.3088401, type = "paired"):
	// power = 0.9947832 (rstudio-pubs 192099).
	near(t, "ten pairs", stats.Power(0.5, 0.3088401, 10, 0.05), 0.9947832, 5e-8)
	// Dalgaard, Introductory Statistics with R, section 8.3: delta 10, sd 10√2,
	// power 0.85 needs n = 19.96892 pairs, so 20 give a little more.
	if p19, p20 := stats.Power(10, 10*math.Sqrt2, 19, 0.05), stats.Power(10, 10*math.Sqrt2, 20, 0.05); p19 > 0.85 || p20 < 0.85 || p20 > 0.8515 {
		t.Errorf("pairs for 85 %%: got power %v at 19 and %v at 20", p19, p20)
	}
	// Gosset's test claims with probability alpha when there is nothing to see.
	for n := 2; n < 30; n++ {
		near(t, "no effect", stats.Power(0, 1, n, 0.05), 0.05, 2e-9)
	}
	if stats.Power(1, 1, 1, 0.05) != 0 || !math.IsInf(stats.Detectable(1, 1, 0.05, 0.9), 1) {
		t.Error("one block: got power, want none")
	}
}

// TestPowerTwoBlocks: with one degree of freedom T is a ratio of normals, and a
// large effect is seen when |Z'| < (δ+Z)/c. For c → ∞ with δ/c = q that is
// 2Φ(q)-1, here 90 % at q = 1.6449.
func TestPowerTwoBlocks(t *testing.T) {
	const alpha = 1e-4
	c := 1 / math.Tan(math.Pi*alpha/2) // quantile of the Cauchy distribution
	near(t, "δ/c", stats.Detectable(1, 2, alpha, 0.9)*math.Sqrt2/c, 1.644854, 1e-5)
}

func TestDetectableSolvesPower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		alpha := rapid.Float64Range(0.001, 0.2).Draw(t, "alpha")
		sd := rapid.Float64Range(0.001, 10).Draw(t, "sd")
		d := stats.Detectable(sd, n, alpha, 0.9)
		if p := stats.Power(d, sd, n, alpha); math.Abs(p-0.9) > 1e-6 {
			t.Fatalf("power at the detectable effect: got %v want 0.9", p)
		}
		if stats.Detectable(sd, n+1, alpha, 0.9) >= d {
			t.Fatal("one more block sees no smaller effect")
		}
		if stats.Detectable(2*sd, n, alpha, 0.9) <= d || stats.Detectable(sd, n, alpha/2, 0.9) <= d {
			t.Fatal("more scatter or a stricter level sees a smaller effect")
		}
	})
}

func values(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-100, 100), 2, 12).Draw(t, "x")
}

// TestEquivariance: a change of unit or of sign changes results in the same way
// and no p-value at all.
func TestEquivariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := values(t)
		k := rapid.Float64Range(0.01, 1000).Draw(t, "k")
		scaled, flipped := make([]float64, len(x)), make([]float64, len(x))
		for i, v := range x {
			scaled[i], flipped[i] = k*v, -v
		}
		close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }
		a, b, c := stats.TInterval(x, 0.95), stats.TInterval(scaled, 0.95), stats.TInterval(flipped, 0.95)
		if !close(k*a.Low, b.Low) || !close(k*a.High, b.High) || !close(a.Low, -c.High) || !close(a.High, -c.Low) {
			t.Fatalf("interval: %+v, scaled by %v %+v, flipped %+v", a, k, b, c)
		}
		if !close(k*stats.HodgesLehmann(x), stats.HodgesLehmann(scaled)) || !close(stats.HodgesLehmann(x), -stats.HodgesLehmann(flipped)) {
			t.Fatal("Hodges-Lehmann does not follow scale and sign")
		}
		if stats.SD(x) > 1e-6 && (math.Abs(stats.TTest(x)-stats.TTest(scaled)) > 1e-6 || math.Abs(stats.TTest(x)-stats.TTest(flipped)) > 1e-6) {
			t.Fatalf("p: %v scaled %v flipped %v", stats.TTest(x), stats.TTest(scaled), stats.TTest(flipped))
		}
	})
}

// TestIntervalAndTestAgree: the interval excludes 0 exactly when p is below
// alpha, and a higher level gives a wider interval.
func TestIntervalAndTestAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := values(t)
		i, p := stats.TInterval(x, 0.95), stats.TTest(x)
		if excludes := i.Low > 0 || i.High < 0; excludes != (p < 0.05) && math.Abs(p-0.05) > 1e-9 {
			t.Fatalf("interval %+v and p %v disagree", i, p)
		}
		if wide := stats.TInterval(x, 0.99); wide.Low > i.Low || wide.High < i.High {
			t.Fatalf("99 %% %+v is narrower than 95 %% %+v", wide, i)
		}
	})
}

// TestHolmMonotone: no corrected value is below its own or above 1, and the
// order is kept.
func TestHolmMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 20).Draw(t, "p")
		adj := stats.Holm(p)
		for i := range p {
			if adj[i] < p[i] || adj[i] > 1 {
				t.Fatalf("%v became %v", p[i], adj[i])
			}
			for j := range p {
				if p[i] < p[j] && adj[i] > adj[j] {
					t.Fatalf("order changed: %v→%v, %v→%v", p[i], adj[i], p[j], adj[j])
				}
			}
		}
	})
}
