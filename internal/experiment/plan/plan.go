// Package plan decides what a run does next. It is a pure sequencer: the same
// design and the same history always give the same step.
//
//  1. [FromExperiment] takes from an experiment what its order depends on.
//  2. [Planned] lists every trial of the design in order: blocks of all arms at
//     all load levels, odd blocks in random order, even blocks mirrored.
//  3. [Next] finds the first slot of that list that is not settled by the
//     history (valid, or tried often enough) and orders it, or says stop.
//  4. [Estimate] says before the run what it will take and what it can show.
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

// MaxAttempts is how often one trial is tried before its cell is dropped from
// the block.
const MaxAttempts = 3

// FromExperiment takes the design from an experiment.
func FromExperiment(e *pgassay.Experiment) Design {
	return Design{
		Arms: len(e.Arms), Loads: len(e.Loads), Baseline: e.Baseline,
		Blocks: e.Design.Stop.FixedBlocks, Seed: e.Design.Seed, MaxAttempts: MaxAttempts,
	}
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
