package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// order puts failed checks first, then what could not be evaluated.
func order(failed, notEvaluated int) int {
	switch {
	case failed > 0:
		return 0
	case notEvaluated > 0:
		return 1
	}
	return 2
}

var severityText = map[pgassay.Severity]string{
	pgassay.SeverityTrial: "the trial is repeated", pgassay.SeverityExperiment: "the comparison is invalid", pgassay.SeverityWarning: "a warning",
}

// checks shows what was tested of the experiment itself, failed ones first.
func (v *view) checks() section {
	s := section{ID: "checks", Title: "Checks"}
	if len(v.Checks) == 0 {
		return s
	}
	failed, open := 0, 0
	t := &table{Caption: "Every check, counted over all places where it was applied",
		Columns: []column{{Text: "Check"}, {Text: "Result"}, {Text: "Passed", Number: true}, {Text: "Failed", Number: true}, {Text: "Not evaluated", Number: true}, {Text: "Finding"}, {Text: "A failure means"}}}
	sorted := slices.Clone(v.Checks)
	slices.SortStableFunc(sorted, func(a, b analyze.CheckSummary) int {
		return order(a.Failed, a.NotEvaluated) - order(b.Failed, b.NotEvaluated)
	})
	for _, c := range sorted {
		result := entry{Text: "passed", Tone: pgassay.Improved}
		switch order(c.Failed, c.NotEvaluated) {
		case 0:
			failed++
			result = entry{Text: "failed", Tone: pgassay.Regressed}
			if c.Severity == pgassay.SeverityWarning {
				result = entry{Text: "warning", Tone: pgassay.Invalid}
			}
		case 1:
			open++
			result = entry{Text: "not evaluated", Tone: pgassay.Inconclusive}
			if c.Passed > 0 {
				result.Text = "passed in part"
			}
		}
		t.Rows = append(t.Rows, []entry{text(c.ID + " " + oneLine(c.Title)), result, text(strconv.Itoa(c.Passed)), text(strconv.Itoa(c.Failed)),
			text(strconv.Itoa(c.NotEvaluated)), text(oneLine(c.Message)), text(severityText[c.Severity])})
	}
	s.Blocks = append(s.Blocks, block{Text: plural(len(sorted), "check") + ": " + strconv.Itoa(failed) + " failed somewhere, " + strconv.Itoa(open) +
		" could not be evaluated everywhere. A check without evidence is never counted as passed."})
	if f := v.failureTable(); f != nil {
		s.Blocks = append(s.Blocks, block{Table: f})
	}
	s.Blocks = append(s.Blocks, block{Table: t})
	return s
}

// mostFailures is how often one check is listed.
const mostFailures = 5

// failureTable lists what failed, where, and what can be done.
func (v *view) failureTable() *table {
	if len(v.Failures) == 0 {
		return nil
	}
	t := &table{Caption: "What failed, and what to do", Columns: []column{{Text: "Check"}, {Text: "Where"}, {Text: "Finding"}, {Text: "Remedy"}}}
	sorted := slices.Clone(v.Failures)
	rank := map[pgassay.Severity]int{pgassay.SeverityExperiment: 0, pgassay.SeverityTrial: 1, pgassay.SeverityWarning: 2}
	slices.SortStableFunc(sorted, func(a, b pgassay.CheckResult) int { return rank[a.Severity] - rank[b.Severity] })
	seen := map[string]int{}
	for _, f := range sorted {
		if seen[f.ID]++; seen[f.ID] > mostFailures {
			continue
		}
		finding := oneLine(f.Message)
		t.Rows = append(t.Rows, []entry{text(f.ID + " " + oneLine(f.Title)), text(v.place(f)), {Text: finding, Sub: numbers(f.Numbers)}, text(orElse(oneLine(f.Remedy), unknown))})
	}
	for _, id := range sortedKeys(seen) {
		if more := seen[id] - mostFailures; more > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s failed in %s more; results.json has them all.", id, plural(more, "place")))
		}
	}
	return t
}

// place says what a check's result speaks of.
func (v *view) place(f pgassay.CheckResult) string {
	var parts []string
	if f.Trial > 0 {
		parts = append(parts, "trial "+strconv.Itoa(f.Trial))
	}
	if f.Factor != "" {
		parts = append(parts, "factor "+oneLine(f.Factor))
	}
	if len(f.Arms) > 0 && len(f.Arms) < len(v.e.Arms) {
		var names []string
		for _, a := range f.Arms {
			if a >= 0 && a < len(v.labels) {
				names = append(names, v.labels[a])
			}
		}
		parts = append(parts, strings.Join(names, ", "))
	}
	if f.Load >= 0 && f.Load < len(v.e.Loads) && (f.Trial > 0 || len(v.e.Loads) > 1) {
		parts = append(parts, v.loadName(f.Load))
	}
	if len(parts) == 0 {
		return "whole run"
	}
	return strings.Join(parts, "; ")
}

func numbers(list []pgassay.Number) string {
	var out []string
	for _, n := range list {
		out = append(out, oneLine(n.Name)+" "+amount(n.Unit, n.Value)+unitAfter(n.Unit))
	}
	return strings.Join(out, "; ")
}

// unitAfter is a unit that has no scaled forms and stands as it is.
func unitAfter(unit string) string {
	if unit == "" || scaleOf(unit, 1).suffix != "" {
		return ""
	}
	return gap + oneLine(unit)
}
