package check

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay"
)

// The limits of V6; differences below smallestSize are a few pages of a small
// table and say nothing.
const (
	maxSizeDifference = 0.01
	maxDeadDifference = 0.01
	smallestSize      = 64 << 10
)

var infoV6 = Info{
	ID: "V6", Title: "Same size and bloat at the start", Severity: pgassay.SeverityTrial, Trial: true,
	What:      "heap and index size and the share of dead rows of every table before the first client connects, against the first valid trial from the same template",
	Threshold: "a size differs by more than 1 % (and 64 kB), or a share of dead rows by more than 1 percentage point",
	Remedy:    "the starting state was not restored, or something worked on it before the load; look at the design's reset",
}

// sameSize compares starting sizes and dead rows with the reference's.
func sameSize(e Evidence) pgassay.CheckResult {
	r := infoV6.of(e.Trial)
	if why := noStart(e); why != "" {
		return infoV6.unknown(r, why)
	}
	size, dead := 0.0, 0.0
	sizeName, deadName := "", ""
	for _, p := range startPairs(e) {
		for _, pair := range [][2]int64{{p.now.HeapBytes, p.then.HeapBytes}, {p.now.IndexBytes, p.then.IndexBytes}} {
			if d := relative(float64(pair[0]), float64(pair[1])); d > size && math.Abs(float64(pair[0]-pair[1])) > smallestSize {
				size, sizeName = d, relationName(p.now)
			}
		}
		if d := math.Abs(deadShare(p.now) - deadShare(p.then)); d > dead {
			dead, deadName = d, relationName(p.now)
		}
	}
	numbers := []pgassay.Number{{Name: "size difference", Value: size, Unit: "1"}, {Name: "dead share difference", Value: dead, Unit: "1"}}
	ref := e.Reference.Order.Number
	switch {
	case size > maxSizeDifference:
		return infoV6.failed(r, fmt.Sprintf("the size of %s differs by %s from trial %d (limit 1 %%)", sizeName, percent(size), ref), numbers...)
	case dead > maxDeadDifference:
		return infoV6.failed(r, fmt.Sprintf("the share of dead rows of %s differs by %.2g percentage points from trial %d (limit 1)", deadName, 100*dead, ref), numbers...)
	}
	return infoV6.passed(r, fmt.Sprintf("sizes differ by at most %s from trial %d (limit 1 %%), shares of dead rows by at most %.2g percentage points (limit 1)", percent(size), ref, 100*dead), numbers...)
}

func deadShare(r pgassay.Relation) float64 {
	if r.LiveRows+r.DeadRows <= 0 {
		return 0
	}
	return float64(r.DeadRows) / float64(r.LiveRows+r.DeadRows)
}
