package analyze

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/stats"
)

// link is a pair of arms that differ in one factor only: a level and the base
// level of it, all other factors the same.
type link struct{ arm, base int }

// baseLevel is the level of factor f that the others are compared with: the
// baseline's, or the first where the baseline is a named arm.
func (s *study) baseLevel(f int) int {
	if levels := s.e.Arms[s.e.Baseline].Levels; len(levels) > 0 {
		return levels[f]
	}
	return 0
}

// links pairs the arms with a level of factor f with those of its base level.
func (s *study) links(f, level int) []link {
	var out []link
	for a, arm := range s.e.Arms {
		if len(arm.Levels) == 0 || arm.Levels[f] != level {
			continue
		}
		want := slices.Clone(arm.Levels)
		want[f] = s.baseLevel(f)
		for b, other := range s.e.Arms {
			if slices.Equal(other.Levels, want) {
				out = append(out, link{a, b})
				break
			}
		}
	}
	return out
}

// mainEffects gives each level of each factor against its base level, averaged
// over the other factors' levels: by metric, then load (all together last),
// factor and level; the primary ones come first. Families are all factors'
// contrasts on the primary metric and load, and for each metric the rest.
func (s *study) mainEffects() []pgassay.Comparison {
	loads := make([][]int, 0, len(s.e.Loads)+1)
	for l := range s.e.Loads {
		loads = append(loads, []int{l})
	}
	if len(s.e.Loads) > 1 {
		var all []int
		for l := range s.e.Loads {
			all = append(all, l)
		}
		loads = append(loads, all)
	}
	var first, rest [][]*contrast
	for i, m := range pgassay.Metrics {
		var decides, explores []*contrast
		for _, at := range loads {
			for f, factor := range s.e.Factors {
				for level := range factor.Levels {
					links := s.links(f, level)
					if level == s.baseLevel(f) || len(links) == 0 {
						continue
					}
					c := s.mainEffect(i, m, f, level, links, at)
					if c.Primary {
						decides = append(decides, c)
					} else {
						explores = append(explores, c)
					}
				}
			}
		}
		first, rest = append(first, decides), append(rest, explores)
	}
	return s.judge(append(first, rest...))
}

// combination is one pair of arms at one load within a main effect.
type combination struct {
	byBlock map[int]float64
	why     string
	checks  []pgassay.CheckResult
}

// mainEffect averages, within every block, over the combinations of the other
// factors' levels (and over loads). A combination that is invalid, or missing
// in more than half of the blocks, is left out of all blocks, so that every
// block averages over the same ones; with fewer than half of them left there is
// no main effect.
func (s *study) mainEffect(i int, m pgassay.Metric, f, level int, links []link, loads []int) *contrast {
	factor := s.e.Factors[f]
	c := &contrast{metric: m, Comparison: pgassay.Comparison{
		Metric: m.Name, Load: loads[0], Arm: -1, Base: -1,
		Factor: factor.Name, Level: factor.Levels[level], BaseLevel: factor.Levels[s.baseLevel(f)],
	}}
	if len(loads) > 1 {
		c.Load = -1
	}
	c.Primary = s.primary(m.Name, c.Load)
	var all, used []combination
	var checks []pgassay.CheckResult
	var scales []float64
	for _, load := range loads {
		for _, k := range links {
			p := combination{checks: s.covering(k.arm, k.base, load)}
			p.byBlock, p.why = s.pair(i, m, k.arm, k.base, load)
			all, checks = append(all, p), append(checks, p.checks...)
			if len(p.checks) == 0 && len(p.byBlock) > 0 && 2*len(p.byBlock) >= len(s.blocks) {
				used = append(used, p)
				scales = append(scales, s.baseMean(i, k.base, load))
			}
			if c.why == "" && len(p.checks) == 0 {
				c.why = p.why
			}
		}
	}
	covered := 0
	for _, p := range all {
		if len(p.checks) > 0 {
			covered++
		}
	}
	if 2*len(used) < len(all) {
		if 2*covered > len(all) || covered > 0 && len(used) == 0 {
			c.covered = distinct(checks)
		} else if c.why == "" {
			c.why = "too few combinations have valid trials"
		}
		return c
	}
	c.d, c.scale = blockMeans(used, s.blocks), stats.Mean(scales)
	if n := len(all) - len(used); n > 0 {
		c.why = strings.TrimPrefix(c.why+fmt.Sprintf("; without %d of %d combinations that are invalid or missing", n, len(all)), "; ")
	} else if len(c.d) == 0 {
		c.why = "no block has valid trials of all combinations"
	}
	return c
}

// blockMeans is the mean over the combinations in every block that has them all.
func blockMeans(used []combination, blocks []int) []float64 {
	var out []float64
	for _, b := range blocks {
		sum, n := 0.0, 0
		for _, p := range used {
			if d, ok := p.byBlock[b]; ok {
				sum, n = sum+d, n+1
			}
		}
		if n == len(used) && n > 0 {
			out = append(out, sum/float64(n))
		}
	}
	return out
}

func distinct(checks []pgassay.CheckResult) []pgassay.CheckResult {
	var out []pgassay.CheckResult
	for _, c := range checks {
		if !slices.ContainsFunc(out, func(o pgassay.CheckResult) bool { return o.ID == c.ID }) {
			out = append(out, c)
		}
	}
	return out
}

// factorVerdicts puts each factor's main effect on the primary metric into one
// sentence.
func (s *study) factorVerdicts(effects []pgassay.Comparison) []FactorVerdict {
	var out []FactorVerdict
	for _, f := range s.e.Factors {
		var mine []pgassay.Comparison
		for _, c := range effects {
			if c.Primary && c.Factor == f.Name {
				mine = append(mine, c)
			}
		}
		if len(mine) == 0 {
			continue
		}
		best := strongest(mine)
		v := FactorVerdict{Factor: f.Name, Verdict: best.Verdict, Checks: best.Checks}
		v.Sentence = s.factorSentence(f, best, mine)
		out = append(out, v)
	}
	return out
}

func (s *study) factorSentence(f pgassay.Factor, best pgassay.Comparison, mine []pgassay.Comparison) string {
	what, at := metricNoun(best.Metric), s.e.Loads[best.Load].Name
	over := ""
	var others []string
	for _, o := range s.e.Factors {
		if o.Name != f.Name {
			others = append(others, o.Name)
		}
	}
	if len(others) > 0 {
		over = ", on average over " + list(others)
	}
	switch best.Verdict {
	case pgassay.Improved, pgassay.Regressed:
		return fmt.Sprintf("%s: %s instead of %s %s at %s%s.", f.Name, best.Level, best.BaseLevel, change(best), at, over)
	case pgassay.Equivalent:
		return fmt.Sprintf("%s: %s and %s gave the same %s within ±%s at %s%s (%s).", f.Name, best.Level, best.BaseLevel, what, percent(s.e.Design.Delta), at, over, between(best))
	case pgassay.Invalid:
		return fmt.Sprintf("%s: no verdict, this experiment could not have answered: %s.", f.Name, best.Reason)
	}
	if d, ok := farthest(mine); ok {
		return fmt.Sprintf("%s: no effect on %s could be claimed at %s%s; this experiment could have seen %s.", f.Name, what, at, over, d)
	}
	return fmt.Sprintf("%s: no effect on %s could be claimed at %s: %s.", f.Name, what, at, best.Reason)
}

// rank orders verdicts by which one speaks for several comparisons: a claim
// does when one of them makes it, "equivalent" only when nothing stays open.
func rank(v pgassay.Verdict) int {
	return slices.Index([]pgassay.Verdict{pgassay.Improved, pgassay.Regressed, pgassay.Inconclusive, pgassay.Equivalent, pgassay.Invalid}, v)
}

// strongest returns the comparison whose verdict speaks for all; among equals
// the one with the largest effect.
func strongest(cs []pgassay.Comparison) pgassay.Comparison {
	size := func(c pgassay.Comparison) float64 {
		if c.Blocks == 0 {
			return 0
		}
		return math.Abs(c.Effect.Estimate)
	}
	best := cs[0]
	for _, c := range cs[1:] {
		if r, b := rank(c.Verdict), rank(best.Verdict); r < b || r == b && size(c) > size(best) {
			best = c
		}
	}
	return best
}

// farthest is the largest detectable effect of the inconclusive comparisons
// that have an interval, in words: what all of them could have seen.
func farthest(cs []pgassay.Comparison) (string, bool) {
	var worst pgassay.Comparison
	for _, c := range cs {
		if c.Verdict != pgassay.Inconclusive || c.Blocks < 2 {
			continue
		}
		if c.Detectable <= 0 {
			return "", false
		}
		if c.Detectable > worst.Detectable {
			worst = c
		}
	}
	text := detectable(worst)
	return text, text != ""
}

// armList names arms, the first three of many.
func (s *study) armList(arms []int) string {
	var names []string
	for k, a := range arms {
		if k == 3 && len(arms) > 4 {
			names = append(names, strconv.Itoa(len(arms)-3)+" more")
			break
		}
		names = append(names, s.quoted(a))
	}
	return list(names)
}
