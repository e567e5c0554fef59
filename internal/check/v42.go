package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

var infoV42 = Info{
	ID: "V42", Title: "Durability unchanged", Severity: pgassay.SeverityExperiment, Run: true,
	What:      "fsync, full_page_writes and synchronous_commit in force in every arm",
	Threshold: "one differs between arms without being treated; relaxed in an arm, as asked, is a warning that stands above the report",
	Remedy:    "do not carry speed bought with durability to a server whose data matters",
}

// risks says what is at stake for each of the three.
var risks = []struct{ name, risk string }{
	{"fsync", "a crash of the host may destroy the whole database"},
	{"full_page_writes", "a crash of the host may leave pages half written"},
	{"synchronous_commit", "a crash may lose the last commits that clients believe to be done"},
}

// durability compares the three settings between arms and warns where one is
// off.
func (r *run) durability() []pgassay.CheckResult {
	seen := 0
	var out, banners []pgassay.CheckResult
	for _, k := range risks {
		values := map[int]string{}
		var off []string
		for arm := range r.Experiment.Arms {
			trials := r.trialsOf(arm)
			if len(trials) == 0 {
				continue
			}
			s, ok := trials[0].settings[k.name]
			if !ok {
				continue
			}
			seen++
			values[arm] = s.Setting
			if on, isBool := Bool(s.Setting); isBool && !on {
				off = append(off, strconv.Quote(r.Experiment.Arms[arm].Name))
			}
		}
		out = append(out, r.stray(k.name, values)...)
		if len(off) == 0 {
			continue
		}
		where := "every arm"
		if len(off) < len(r.Experiment.Arms) {
			where = strings.Join(off, ", ")
		}
		c := infoV42.result()
		c.Severity = pgassay.SeverityWarning
		banners = append(banners, infoV42.failed(c, fmt.Sprintf("%s is off in %s: %s", k.name, where, k.risk), pgassay.Number{Name: "arms", Value: float64(len(off))}))
	}
	out = append(out, banners...)
	switch {
	case seen == 0:
		return []pgassay.CheckResult{infoV42.unknown(infoV42.result(), "the settings of durability were not read")}
	case len(out) == 0:
		return []pgassay.CheckResult{infoV42.passed(infoV42.result(), "fsync, full_page_writes and synchronous_commit are not off in any arm, and differ only where treated")}
	}
	return out
}

// stray finds arms whose value differs from the baseline's without being
// treated.
func (r *run) stray(name string, values map[int]string) []pgassay.CheckResult {
	var out []pgassay.CheckResult
	for _, s := range r.subjects {
		if s.arms == nil {
			continue
		}
		got, ok := values[s.arms[0]]
		base, okBase := values[s.arms[1]]
		if !ok || !okBase || got == base || slices.ContainsFunc(s.treated, func(t treated) bool { return t.name == name }) {
			continue
		}
		c := infoV42.result()
		c.Arms = slices.Clone(s.arms)
		out = append(out, infoV42.failed(c, fmt.Sprintf("%s is %s in %q and %s in the baseline, without being part of the arm", name, got, r.Experiment.Arms[s.arms[0]].Name, base)))
	}
	return out
}
