package analyze

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/stats"
)

// power is the chance with which a detectable effect would have been seen.
const power = 0.9

// contrast is a comparison on its way to a verdict.
type contrast struct {
	pgassay.Comparison
	metric pgassay.Metric
	// d has one number per common block: a log ratio, or a difference.
	d []float64
	// why says why there are fewer blocks than could be, "" for none missing.
	why string
	// scale is the base's mean, by which differences are judged as equivalent.
	scale float64
	// covered are the failed checks that make it invalid.
	covered []pgassay.CheckResult
}

// comparisons compares every arm with the baseline: the primary comparisons
// first, then by metric, load and arm.
func (s *study) comparisons() []pgassay.Comparison {
	var first, rest [][]*contrast
	for i, m := range pgassay.Metrics {
		var decides, explores []*contrast
		for load := range s.e.Loads {
			for arm := range s.e.Arms {
				if arm == s.e.Baseline {
					continue
				}
				c := s.armContrast(i, m, arm, load)
				if c.Primary {
					decides = append(decides, c)
				} else {
					explores = append(explores, c)
				}
			}
		}
		first, rest = append(first, decides), append(rest, explores)
	}
	return s.judge(append(first, rest...))
}

func (s *study) primary(m pgassay.MetricName, load int) bool {
	return m == s.e.Design.Primary.Metric && load == s.e.Design.Primary.Load
}

// armContrast compares an arm with the baseline on metric i.
func (s *study) armContrast(i int, m pgassay.Metric, arm, load int) *contrast {
	c := &contrast{metric: m, Comparison: pgassay.Comparison{
		Metric: m.Name, Load: load, Arm: arm, Base: s.e.Baseline, Primary: s.primary(m.Name, load),
	}}
	byBlock, why := s.pair(i, m, arm, s.e.Baseline, load)
	for _, b := range s.blocks {
		if d, ok := byBlock[b]; ok {
			c.d = append(c.d, d)
		}
	}
	c.why, c.scale = why, s.baseMean(i, s.e.Baseline, load)
	c.covered = s.covering(arm, s.e.Baseline, load)
	return c
}

func (s *study) baseMean(i, base, load int) float64 {
	x, _ := s.cells[base][load].values(i)
	return stats.Mean(x)
}

// pair compares two cells on metric i within each block in which both know it.
// why says why a block is missing although both trials are valid, or why there
// is none at all.
func (s *study) pair(i int, m pgassay.Metric, arm, base, load int) (byBlock map[int]float64, why string) {
	a, b := s.cells[arm][load], s.cells[base][load]
	for _, c := range []*cell{a, b} {
		x, w := c.values(i)
		if w != "" {
			why = w
		}
		if len(x) == 0 && w != "" {
			return nil, w
		}
	}
	byBlock = map[int]float64{}
	for _, v := range a.trials {
		w := b.in(v.rec.Order.Block)
		if w == nil || v.value[i].absent != present || w.value[i].absent != present {
			continue
		}
		x, y := v.value[i].v, w.value[i].v
		if absolute(m.Name) {
			byBlock[v.rec.Order.Block] = x - y
		} else if d, ok := stats.LogRatio(x, y); ok {
			byBlock[v.rec.Order.Block] = d
		} else {
			why = fmt.Sprintf("%s is 0 in a trial, so that there is no ratio", noun(m))
		}
	}
	if len(byBlock) == 0 && why == "" {
		why = "no block has a valid trial of both arms"
	}
	return byBlock, why
}

// judge gives every contrast its numbers and its verdict, family by family, and
// flattens the families in their order.
func (s *study) judge(families [][]*contrast) []pgassay.Comparison {
	var out []pgassay.Comparison
	for _, family := range families {
		var tested []*contrast
		var p []float64
		for _, c := range family {
			s.measure(c)
			if len(c.covered) == 0 && len(c.d) >= 2 {
				tested, p = append(tested, c), append(p, c.P)
			}
		}
		for k, adjusted := range stats.Holm(p) {
			tested[k].PAdjusted, tested[k].Family = adjusted, len(tested)
			tested[k].Detectable = s.detectable(tested[k])
		}
		for _, c := range family {
			s.decide(c)
			out = append(out, c.Comparison)
		}
	}
	return out
}

// measure fills in what follows from the blocks alone.
func (s *study) measure(c *contrast) {
	level := 1 - s.e.Design.Alpha
	c.Absolute, c.Neutral = absolute(c.metric.Name), c.metric.Direction == pgassay.Neutral
	c.Blocks, c.P, c.PAdjusted = len(c.d), stats.TTest(c.d), 1
	if c.Absolute {
		c.Effect = stats.TInterval(c.d, level)
	} else {
		c.Effect = stats.RatioInterval(c.d, level)
	}
	if len(c.d) < 2 {
		return
	}
	c.LogSD, c.HodgesLehmann = stats.SD(c.d), stats.HodgesLehmann(c.d)
	if !c.Absolute {
		c.HodgesLehmann = math.Expm1(c.HodgesLehmann)
	}
}

// designKey is what a detectable effect depends on besides the scatter.
type designKey struct {
	blocks int
	alpha  float64
}

// detectable is the effect that the contrast could have seen after the
// correction for its family (its strictest step: alpha over the family's size).
// It is 0 where no sensible effect could be seen.
func (s *study) detectable(c *contrast) float64 {
	key := designKey{len(c.d), s.e.Design.Alpha / float64(c.Family)}
	unit, ok := s.unit[key]
	if !ok {
		unit = stats.Detectable(1, key.blocks, key.alpha, power)
		s.unit[key] = unit
	}
	d := unit * c.LogSD
	if c.Absolute {
		return d
	}
	if d = math.Expm1(d); d > 100 { // beyond a hundredfold there is nothing to say
		return 0
	}
	return d
}

// better is positive when the effect is in the metric's good direction.
func (c *contrast) better() float64 { return c.Effect.Estimate * float64(c.metric.Direction) }

// same says whether the whole interval lies within the margin. Differences are
// held against the margin times the base's mean.
func (c *contrast) same(delta float64) bool {
	if c.Absolute {
		if c.Effect.Low == 0 && c.Effect.High == 0 {
			return true
		}
		delta *= math.Abs(c.scale)
	}
	return c.Effect.Low > -delta && c.Effect.High < delta
}

// decide gives the verdict and its reason.
func (s *study) decide(c *contrast) {
	c.Verdict = pgassay.Inconclusive
	c.Checks = ids(c.covered)
	excludes := c.Effect.Low > 0 || c.Effect.High < 0
	corrected := c.PAdjusted <= s.e.Design.Alpha
	switch {
	case len(c.covered) > 0:
		c.Verdict, c.Reason = pgassay.Invalid, because(c.covered)
	case len(c.d) == 0:
		c.Reason = c.why
	case len(c.d) == 1:
		c.Reason = "one block has no interval"
	case c.Neutral && excludes && corrected:
		c.Reason = "it differs, but neither direction is better"
	case c.Neutral:
		c.Reason = "described, not judged: neither direction is better"
	case excludes && corrected:
		c.Verdict = pgassay.Regressed
		if c.better() > 0 {
			c.Verdict = pgassay.Improved
		}
		c.Reason = "the interval excludes 0"
		if c.Family > 1 {
			c.Reason += fmt.Sprintf(", also after the correction for %d comparisons", c.Family)
		}
		if c.same(s.e.Design.Delta) {
			c.Reason += fmt.Sprintf("; the change is smaller than the margin of %s", percent(s.e.Design.Delta))
		}
	case c.same(s.e.Design.Delta):
		c.Verdict, c.Reason = pgassay.Equivalent, fmt.Sprintf("the interval lies within ±%s", percent(s.e.Design.Delta))
		if c.Absolute && c.Effect.Low == 0 && c.Effect.High == 0 {
			c.Reason = "the same in every block"
		}
	case excludes:
		c.Reason = fmt.Sprintf("the interval excludes 0, but not after the correction for %d comparisons", c.Family)
	default:
		c.Reason = "the interval includes 0"
	}
	c.qualify()
}

// qualify adds to the reason what a reader must know about the number.
func (c *contrast) qualify() {
	if d := detectable(c.Comparison); d != "" && c.Verdict == pgassay.Inconclusive && !c.Neutral {
		c.Reason += fmt.Sprintf("; %d blocks could have seen %s", c.Blocks, d)
	}
	if len(c.d) > 0 && c.why != "" {
		c.Reason += "; " + c.why
	}
	if len(c.d) > 2 {
		half := (c.Effect.High - c.Effect.Low) / 2
		if math.Abs(c.HodgesLehmann-c.Effect.Estimate) > half/2 && half > 0 {
			c.Reason += "; sensitive to single blocks: the robust estimate is far from the mean"
		}
	}
	if !c.Primary {
		c.Reason += " (exploratory)"
	}
}
