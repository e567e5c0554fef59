// Package plan decides what a run does next. It is a pure sequencer: the same
// design and the same history always give the same step.
package plan

import "github.com/pgassay/pgassay"

// Design is the part of an experiment that the order of trials depends on.
type Design struct {
	Arms     int
	Loads    int
	Baseline int
	// Blocks is the number of blocks of a fixed design.
	Blocks int
	Seed   uint64
	// MaxAttempts is how often one trial may be tried (3: once and two repeats).
	MaxAttempts int
}

// Done is a past trial, as far as the plan looks at it: never at its results.
type Done struct {
	Order   pgassay.TrialOrder
	Outcome pgassay.Outcome
}

// History holds the past trials in the order in which they ended.
type History []Done

// Step is one instance: the trials to make on one restored, started server.
type Step struct {
	Orders []pgassay.TrialOrder
}

// Stop says that the run is over and why.
type Stop struct {
	Reason string
	// Complete says that everything planned was done (dropped cells included).
	Complete bool
}
