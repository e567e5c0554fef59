package check

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay"
)

// maxRowDifference is how far a table's row count may be off at the start.
const maxRowDifference = 0.001

var infoV5 = Info{
	ID: "V5", Title: "Same rows at the start", Severity: pgassay.SeverityTrial, Trial: true,
	What:      "the row count of every table before the first client connects, against the first valid trial from the same template",
	Threshold: "a table differs by more than 0.1 %",
	Remedy:    "the starting state was not restored; look at the design's reset and at what else writes to the database",
}

// sameRows compares the starting row counts with the reference's.
func sameRows(e Evidence) pgassay.CheckResult {
	r := infoV5.of(e.Trial)
	if why := noStart(e); why != "" {
		return infoV5.unknown(r, why)
	}
	worst, name := 0.0, ""
	compared := 0
	for _, p := range startPairs(e) {
		compared++
		if d := relative(float64(p.now.LiveRows), float64(p.then.LiveRows)); d >= worst {
			worst, name = d, relationName(p.now)
		}
	}
	if compared == 0 || compared != tableCount(e.Trial.Start) || compared != tableCount(e.Reference.Start) {
		return infoV5.failed(r, fmt.Sprintf("the trial started with %d tables, trial %d with %d, and %d are the same",
			tableCount(e.Trial.Start), e.Reference.Order.Number, tableCount(e.Reference.Start), compared))
	}
	number := pgassay.Number{Name: "difference", Value: worst, Unit: "1"}
	text := fmt.Sprintf("the row count of %s differs by %s from trial %d (limit 0.1 %%)", name, percent(worst), e.Reference.Order.Number)
	if worst > maxRowDifference {
		return infoV5.failed(r, text, number)
	}
	return infoV5.passed(r, fmt.Sprintf("row counts differ by at most %s from trial %d (limit 0.1 %%)", percent(worst), e.Reference.Order.Number), number)
}

// noStart says why the start cannot be compared, "" when it can.
func noStart(e Evidence) string {
	switch {
	case e.Reference == nil || e.Reference == e.Trial:
		return "this is the first valid trial of its template: later ones are compared with it"
	case len(e.Trial.Start.Relations) == 0 || len(e.Reference.Start.Relations) == 0:
		return "the state before the load was not read"
	}
	return ""
}

type relationPair struct{ now, then pgassay.Relation }

func startPairs(e Evidence) []relationPair {
	then := map[string]pgassay.Relation{}
	for _, r := range e.Reference.Start.Relations {
		then[relationName(r)] = r
	}
	var out []relationPair
	for _, now := range e.Trial.Start.Relations {
		if t, ok := then[relationName(now)]; ok && isTable(now) {
			out = append(out, relationPair{now, t})
		}
	}
	return out
}

// isTable leaves out system catalogs, whose size depends on what has connected,
// parents of partitions, which hold nothing, and TOAST tables: their names hold
// a number that is another one when the data are loaded anew.
func isTable(r pgassay.Relation) bool {
	return !systemSchema(r.Schema) && r.Kind != "p" && r.Kind != "t"
}

func tableCount(s pgassay.Snapshot) int {
	n := 0
	for _, r := range s.Relations {
		if isTable(r) {
			n++
		}
	}
	return n
}

// relative is the difference of two sizes as a share of the larger one.
func relative(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a-b) / math.Max(math.Abs(a), math.Abs(b))
}
