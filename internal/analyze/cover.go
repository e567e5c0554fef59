package analyze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

// graveChecks collects the failed checks of severity "experiment": those of the
// run, and those of valid trials, which then speak of the trial's cell.
func (s *study) graveChecks() []pgassay.CheckResult {
	grave := func(c pgassay.CheckResult) bool {
		return c.Status == pgassay.CheckFailed && c.Severity == pgassay.SeverityExperiment
	}
	var out []pgassay.CheckResult
	for _, c := range s.RunChecks {
		if grave(c) {
			out = append(out, c)
		}
	}
	for _, row := range s.cells {
		for _, cell := range row {
			for _, v := range cell.trials {
				for _, c := range v.rec.Checks {
					if grave(c) {
						c.Arms, c.Load = []int{v.rec.Order.Arm}, v.rec.Order.Load
						out = append(out, c)
					}
				}
			}
		}
	}
	return out
}

// covering returns the failed checks that make the comparison of two arms at a
// load level invalid, one per check.
func (s *study) covering(arm, base, load int) []pgassay.CheckResult {
	var out []pgassay.CheckResult
	for _, c := range s.grave {
		if s.covers(c, arm, base, load) && !slices.ContainsFunc(out, func(o pgassay.CheckResult) bool { return o.ID == c.ID }) {
			out = append(out, c)
		}
	}
	return out
}

// covers says whether a failed check speaks of a comparison.
//
// A check of one factor covers arms that differ in nothing else: where another
// factor differs too, the comparison still measures that one. A check of
// several arms with the baseline among them is about the contrast between them
// and no other; any other check of arms takes every comparison with them away.
func (s *study) covers(c pgassay.CheckResult, arm, base, load int) bool {
	if c.Load >= 0 && c.Load != load {
		return false
	}
	if c.Factor != "" {
		if d := s.differences(arm, base); len(d) != 1 || d[0] != c.Factor {
			return false
		}
	}
	if len(c.Arms) == 0 {
		return true
	}
	left, right := slices.Contains(c.Arms, arm), slices.Contains(c.Arms, base)
	if len(c.Arms) > 1 && slices.Contains(c.Arms, s.e.Baseline) {
		return left && right
	}
	return left || right
}

// differences names what two arms differ in, sorted: factors where both are
// combinations of levels, else settings, storage parameters, variables, and
// what else an arm can set.
func (s *study) differences(a, b int) []string {
	x, y := &s.e.Arms[a], &s.e.Arms[b]
	set := map[string]bool{}
	if len(x.Levels) > 0 && len(y.Levels) > 0 {
		for i, f := range s.e.Factors {
			if x.Levels[i] != y.Levels[i] {
				set[f.Name] = true
			}
		}
	} else {
		left, right := parts(x), parts(y)
		for k, v := range left {
			if w, ok := right[k]; !ok || w != v {
				set[k] = true
			}
		}
		for k := range right {
			if _, ok := left[k]; !ok {
				set[k] = true
			}
		}
	}
	var out []string
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// parts lists all that an arm sets, under the names that factors have.
func parts(a *pgassay.Arm) map[string]string {
	p := map[string]string{"postgres": a.Postgres + a.PgBin, "sql": strings.Join(a.SQL, "\n"), "dataset": ""}
	for _, v := range a.Settings {
		p[v.Name] = v.Value
	}
	for _, v := range a.Tables {
		p[v.Table+"."+v.Name] = v.Value
	}
	for _, v := range a.Variables {
		p["$"+v.Name] = v.Value
	}
	p["dataset"] = a.Dataset.Builtin + "\n" + a.Dataset.Init + "\n" + a.Dataset.InitSQL
	for _, v := range a.Dataset.Parameters {
		p["dataset."+v.Name] = v.Value
	}
	return p
}

// because names failed checks: "message (V3)", and the others by their numbers,
// since several checks usually find the same thing: "message (V3; also V13)".
func because(checks []pgassay.CheckResult) string {
	if len(checks) == 0 {
		return ""
	}
	first := checks[0]
	also := slices.DeleteFunc(ids(checks), func(id string) bool { return id == first.ID })
	id := first.ID
	if len(also) > 0 {
		id += "; also " + list(also)
	}
	return fmt.Sprintf("%s (%s)", strings.TrimSuffix(strings.TrimSpace(first.Message), "."), id)
}

// ids are the checks' numbers, ascending, each once.
func ids(checks []pgassay.CheckResult) []string {
	var out []string
	for _, c := range checks {
		if !slices.Contains(out, c.ID) {
			out = append(out, c.ID)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return checkNumber(a) - checkNumber(b) })
	return out
}

// checkNumber is 13 for "V13", and large for what is no number.
func checkNumber(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "V"))
	if err != nil {
		return 1 << 20
	}
	return n
}
