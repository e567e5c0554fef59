package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// answer is the report's first paragraph: what the primary comparisons say, and
// what that is worth.
func (s *study) answer(res *Result) Answer {
	var primary []pgassay.Comparison
	for _, c := range res.Comparisons {
		if c.Primary {
			primary = append(primary, c)
		}
	}
	if len(primary) == 0 {
		return s.oneArm(res)
	}
	best := strongest(primary)
	if best.Verdict == pgassay.Improved || best.Verdict == pgassay.Regressed {
		best = s.mostUseful(primary, best.Verdict)
	}
	a := Answer{Verdict: best.Verdict}
	for _, c := range primary {
		if c.Verdict != pgassay.Invalid && !c.Absolute {
			a.Detectable = max(a.Detectable, c.Detectable)
		}
	}
	switch best.Verdict {
	case pgassay.Improved, pgassay.Regressed:
		a.Sentences = append(a.Sentences, s.claim(best))
		a.Sentences = append(a.Sentences, s.rest(best, primary))
		if price := s.price(best, res.Comparisons); price != "" {
			a.Sentences = append(a.Sentences, price)
		}
	case pgassay.Equivalent:
		a.Sentences = s.equal(best, primary)
	case pgassay.Invalid:
		a.Sentences = s.unanswerable(best, primary, res.Failures)
	default:
		a.Sentences = s.nothing(best, primary)
	}
	if text := s.unjudged(primary, res.FactorVerdicts); text != "" && best.Verdict != pgassay.Invalid && len(a.Sentences) < 3 {
		a.Sentences = append(a.Sentences, text)
	}
	return a
}

// mostUseful is the arm with the largest gain, or the largest loss where none
// gained.
func (s *study) mostUseful(primary []pgassay.Comparison, v pgassay.Verdict) pgassay.Comparison {
	var best *pgassay.Comparison
	for k := range primary {
		c := &primary[k]
		if c.Verdict != v {
			continue
		}
		if best == nil || c.Effect.Estimate*sign(best) > best.Effect.Estimate*sign(best) {
			best = c
		}
	}
	return *best
}

func sign(c *pgassay.Comparison) float64 {
	if c.Effect.Estimate < 0 {
		return -1
	}
	return 1
}

// claim says which arm did what, at which load, from which to which value.
func (s *study) claim(c pgassay.Comparison) string {
	out := fmt.Sprintf("%s %s at %s, compared with the baseline %s", s.quoted(c.Arm), change(c), s.e.Loads[c.Load].Name, s.quoted(c.Base))
	i := slices.IndexFunc(pgassay.Metrics, func(m pgassay.Metric) bool { return m.Name == c.Metric })
	from, to := s.baseMean(i, c.Base, c.Load), s.baseMean(i, c.Arm, c.Load)
	return out + fmt.Sprintf(": from %s to %s, in %s.", amount(pgassay.Metrics[i], from), amount(pgassay.Metrics[i], to), plural(c.Blocks, "block"))
}

// rest says what became of the other arms, or what was within reach.
func (s *study) rest(best pgassay.Comparison, primary []pgassay.Comparison) string {
	by := map[pgassay.Verdict]int{}
	for _, c := range primary {
		if c.Arm != best.Arm {
			by[c.Verdict]++
		}
	}
	var parts []string
	say := func(v pgassay.Verdict, text string) {
		if by[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", plural(by[v], "arm"), text))
		}
	}
	say(pgassay.Improved, "improved too")
	say(pgassay.Regressed, "got worse")
	say(pgassay.Equivalent, "stayed within ±"+percent(s.e.Design.Delta))
	say(pgassay.Inconclusive, "could not be told apart from the baseline")
	say(pgassay.Invalid, "could not be judged")
	small := ""
	if d := s.e.Design.Delta; !best.Absolute && best.Effect.Low > -d && best.Effect.High < d {
		small = fmt.Sprintf("That is certain but small: less than the ±%s that this experiment counts as no difference. ", percent(d))
	}
	if len(parts) == 0 {
		return small + fmt.Sprintf("With %s this experiment could see a difference of %s or more.", plural(best.Blocks, "block"), detectable(best))
	}
	out := small + "Of the others, " + list(parts)
	if by[best.Verdict] > 0 {
		out += "; the largest effect of several tends to be overstated"
	}
	return out + "."
}

// price names what got worse for the best arm at the same load.
func (s *study) price(best pgassay.Comparison, all []pgassay.Comparison) string {
	if best.Verdict != pgassay.Improved {
		return ""
	}
	for _, c := range all {
		if !c.Primary && c.Arm == best.Arm && c.Load == best.Load && c.Verdict == pgassay.Regressed {
			return fmt.Sprintf("It has a price: at the same load it %s (exploratory).", change(c))
		}
	}
	return ""
}

// equal says that all arms that can be judged stayed within the margin.
func (s *study) equal(best pgassay.Comparison, primary []pgassay.Comparison) []string {
	what, at := metricNoun(best.Metric), s.e.Loads[best.Load].Name
	var same []int
	var widest pgassay.Comparison
	for _, c := range primary {
		if c.Verdict != pgassay.Equivalent {
			continue
		}
		same = append(same, c.Arm)
		if widest.Blocks == 0 || c.Effect.High-c.Effect.Low > widest.Effect.High-widest.Effect.Low {
			widest = c
		}
	}
	return []string{
		fmt.Sprintf("%s gave the same %s as the baseline %s at %s, within ±%s.", s.armList(same), what, s.quoted(best.Base), at, percent(s.e.Design.Delta)),
		fmt.Sprintf("The %s, in %s, leaves no room for more.", between(widest), plural(widest.Blocks, "block")),
	}
}

// nothing says that no difference could be claimed, and what could have been.
func (s *study) nothing(best pgassay.Comparison, primary []pgassay.Comparison) []string {
	first := fmt.Sprintf("No difference in %s could be claimed at %s.", metricNoun(best.Metric), s.e.Loads[best.Load].Name)
	blocks, same := 0, 0 // the fewest blocks of a comparison that has any
	for _, c := range primary {
		switch {
		case c.Verdict == pgassay.Equivalent:
			same++
		case c.Verdict == pgassay.Inconclusive && c.Blocks > 0 && (blocks == 0 || c.Blocks < blocks):
			blocks = c.Blocks
		}
	}
	second := ""
	d, ok := farthest(primary)
	switch {
	case ok:
		second = fmt.Sprintf("With %s this experiment could have seen a change of %s or more; a smaller one may exist.", plural(blocks, "block"), d)
	case blocks == 1:
		second = "There is one block only, and one block has no interval: whatever the numbers show may be chance."
	case blocks == 0:
		second = fmt.Sprintf("There is nothing to compare: %s.", best.Reason)
	default:
		second = fmt.Sprintf("%s are too few for an interval worth having.", plural(blocks, "block"))
	}
	if same > 0 {
		second += fmt.Sprintf(" %s stayed within ±%s.", plural(same, "arm"), percent(s.e.Design.Delta))
	}
	return []string{first, second}
}

// unanswerable names the check and what to do about it.
func (s *study) unanswerable(best pgassay.Comparison, primary []pgassay.Comparison, failures []pgassay.CheckResult) []string {
	checks := map[string]bool{}
	for _, c := range primary {
		for _, id := range c.Checks {
			checks[id] = true
		}
	}
	out := []string{fmt.Sprintf("This experiment could not have answered its question: %s.", strings.TrimSuffix(best.Reason, "."))}
	for _, f := range failures {
		if f.Severity == pgassay.SeverityExperiment && checks[f.ID] && f.Remedy != "" {
			return append(out, sentence(f.Remedy))
		}
	}
	return append(out, fmt.Sprintf("Its numbers are listed, but they do not decide anything about %s.", metricNoun(best.Metric)))
}

// unjudged names what a failed check left without a verdict: a factor that
// could not have mattered, or arms; "" when nothing is.
func (s *study) unjudged(primary []pgassay.Comparison, verdicts []FactorVerdict) string {
	for _, v := range verdicts {
		if v.Verdict == pgassay.Invalid {
			return v.Sentence
		}
	}
	var arms []int
	why := ""
	for _, c := range primary {
		if c.Verdict == pgassay.Invalid {
			arms, why = append(arms, c.Arm), c.Reason
		}
	}
	if len(arms) == 0 {
		return ""
	}
	return fmt.Sprintf("%s could not be judged: %s.", s.armList(arms), why)
}

// oneArm answers an experiment that compares nothing.
func (s *study) oneArm(res *Result) Answer {
	p := s.e.Design.Primary
	m, _ := pgassay.MetricByName(p.Metric)
	a := Answer{Verdict: pgassay.Inconclusive, Sentences: []string{fmt.Sprintf("There is one arm, %s, so nothing was compared.", s.quoted(s.e.Baseline))}}
	for _, c := range res.Cells {
		if c.Arm != s.e.Baseline || c.Load != p.Load {
			continue
		}
		for _, v := range c.Metrics {
			if v.Metric != p.Metric {
				continue
			}
			switch {
			case !v.Known:
				a.Sentences = append(a.Sentences, fmt.Sprintf("Its %s at %s is not known: %s.", noun(m), s.e.Loads[p.Load].Name, v.Why))
			case !v.Mean.Known():
				a.Sentences = append(a.Sentences, fmt.Sprintf("Its %s at %s was %s in one trial, which has no interval.", noun(m), s.e.Loads[p.Load].Name, amount(m, v.Mean.Estimate)))
			default:
				a.Sentences = append(a.Sentences, fmt.Sprintf("Its %s at %s was %s (%s interval %s to %s) over %s.", noun(m), s.e.Loads[p.Load].Name,
					amount(m, v.Mean.Estimate), percentLevel(v.Mean.Level), amount(m, v.Mean.Low), amount(m, v.Mean.High), plural(c.Blocks, "block")))
			}
		}
	}
	return a
}
