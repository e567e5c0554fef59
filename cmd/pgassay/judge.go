package main

import (
	"fmt"
	"slices"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// judge turns a result into the exit codes 3 (a verdict matched --fail-on) and
// 5 (the primary comparison is invalid). Only comparisons on the primary
// metric and level count: the others explore.
func judge(r *analyze.Result, failOn []string) error {
	for _, c := range r.Comparisons {
		if c.Primary && slices.Contains(failOn, string(c.Verdict)) {
			return &coded{code: exitFailOn, err: fmt.Errorf("%s: %s, as named by --fail-on", r.Experiment.Arms[c.Arm].Name, c.Verdict)}
		}
	}
	if reason, none := nothingValid(r); none {
		return &coded{code: exitInvalid, err: pgassay.WithHint(fmt.Errorf("no trial is valid: %s", reason), "The report lists every trial with its reason.")}
	}
	if r.Answer.Verdict == pgassay.Invalid {
		return &coded{code: exitInvalid, err: fmt.Errorf("the primary comparison is invalid; the report says why")}
	}
	return nil
}

// nothingValid says whether not one trial counts, and why the first did not.
func nothingValid(r *analyze.Result) (reason string, none bool) {
	for _, t := range r.Trials {
		if t.Outcome == pgassay.OutcomeValid {
			return "", false
		}
		if reason == "" {
			reason = t.Reason
		}
	}
	return reason, true
}
