package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// maxErrorRate is the share of transactions that may fail.
const maxErrorRate = 0.001

var infoV20 = Info{
	ID: "V20", Title: "Errors", Severity: pgassay.SeverityTrial, Trial: true,
	What:      "transactions that ended by an error, as a share of all, with their SQLSTATEs",
	Threshold: "more than 0.1 %",
	Remedy:    "look at the first error; a load that fails does less work, and its speed says nothing",
}

// errorRate looks at the share of failed transactions.
func errorRate(e Evidence) pgassay.CheckResult {
	r := infoV20.of(e.Trial)
	failed, all := e.Trial.TotalFailed(), e.Trial.TotalFailed()+e.Trial.TotalTransactions()
	if all == 0 {
		return infoV20.unknown(r, "no transaction ended within the measurement")
	}
	rate := float64(failed) / float64(all)
	number := pgassay.Number{Name: "error rate", Value: rate, Unit: "1"}
	text := fmt.Sprintf("%s of %s transactions failed, %.3g %% (limit 0.1 %%)", count(float64(failed)), count(float64(all)), 100*rate)
	if rate <= maxErrorRate {
		return infoV20.passed(r, text, number)
	}
	return infoV20.failed(r, text+errorList(e.Trial), number)
}

// errorList names the most frequent errors and the first one's text.
func errorList(rec *pgassay.TrialRecord) string {
	byState, first := map[string]int64{}, ""
	for _, s := range rec.Scripts {
		for state, n := range s.Errors {
			byState[state] += n
		}
		if first == "" {
			first = s.FirstError
		}
	}
	states := slices.SortedFunc(maps.Keys(byState), func(a, b string) int {
		if byState[a] != byState[b] {
			return int(byState[b] - byState[a])
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, s := range states[:min(len(states), 3)] {
		parts = append(parts, fmt.Sprintf("%s × %s", s, count(float64(byState[s]))))
	}
	out := ""
	if len(parts) > 0 {
		out = ": " + strings.Join(parts, ", ")
	}
	if first != "" {
		out += "; first: " + first
	}
	return out
}
