package lab

import (
	"time"

	"github.com/pgassay/pgassay"
)

// ProgressKind says what a [Progress] reports.
type ProgressKind string

// The kinds of progress.
const (
	ProgressPrepare  ProgressKind = "prepare"  // a template is being built; Text says what
	ProgressTrial    ProgressKind = "trial"    // a trial begins
	ProgressPhase    ProgressKind = "phase"    // the trial enters the phase in Text
	ProgressTick     ProgressKind = "tick"     // the load runs; Tick is set
	ProgressDone     ProgressKind = "done"     // a trial ended; Record is set
	ProgressDecision ProgressKind = "decision" // the plan decided; Text says what
)

// Progress is one thing to tell the person who waits.
type Progress struct {
	Kind  ProgressKind
	At    time.Time
	Order pgassay.TrialOrder
	Text  string
	// Finished and Planned count trials: valid or dropped ones, and those the
	// plan asks for.
	Finished, Planned int
	// Remaining estimates the time to the end of the last trial; 0 is unknown.
	Remaining time.Duration
	Tick      Tick
	Record    *pgassay.TrialRecord
}

// Sink receives progress. It is called from one goroutine at a time and must
// return at once. A nil Sink is allowed everywhere.
type Sink func(Progress)

func (s Sink) send(p Progress) {
	if s != nil {
		s(p)
	}
}
