package pgassay

import "time"

// Design says in which order trials are made, when to stop and what decides.
type Design struct {
	// Kind is "factorial": every combination of the factors' levels is an arm.
	Kind string `json:"kind"`
	Stop Stop   `json:"stop"`
	// Primary is the one comparison that decides; all others are exploratory.
	Primary Primary `json:"primary"`
	// Detect is the effect the user wants to be able to see, Delta the margin
	// within which two arms count as equivalent, Alpha the error rate.
	Detect float64 `json:"detect"`
	Delta  float64 `json:"delta"`
	Alpha  float64 `json:"alpha"`
	Seed   uint64  `json:"seed"`
	Reset  Reset   `json:"reset"`
	// Budget is the longest the run may take, 0 for no limit.
	Budget time.Duration `json:"budget_ns,omitempty"`
}

// Stop is the stopping rule.
type Stop struct {
	// FixedBlocks is the number of blocks of a fixed design.
	FixedBlocks int `json:"fixed_blocks"`
}

// Primary names the comparison that decides the run: a metric at one load level.
type Primary struct {
	Metric MetricName `json:"metric"`
	// Load indexes Experiment.Loads.
	Load int `json:"load"`
}

// Reset says how an instance gets its starting state.
type Reset string

// The ways to reset.
const (
	ResetRestore    Reset = "restore"     // a fresh clone of the template's data directory
	ResetTemplateDB Reset = "template-db" // CREATE DATABASE … TEMPLATE on a server that runs
	ResetNone       Reset = "none"        // nothing is restored: trials inherit each other's state
)
