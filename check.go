package pgassay

// Severity says what a failed check does.
type Severity string

// The severities (METHOD §8: I, E, W).
const (
	SeverityTrial      Severity = "trial"      // the trial is invalid and is repeated
	SeverityExperiment Severity = "experiment" // the comparison (or the run) is invalid
	SeverityWarning    Severity = "warning"    // said, and nothing more
)

// CheckStatus is the result of a check.
type CheckStatus string

// The results of a check. A check without evidence is never passed.
const (
	CheckPassed       CheckStatus = "passed"
	CheckFailed       CheckStatus = "failed"
	CheckNotEvaluated CheckStatus = "not-evaluated"
)

// CheckResult is one validity test applied once.
type CheckResult struct {
	// ID is V1 to V42, Title a few words.
	ID       string      `json:"id"`
	Title    string      `json:"title"`
	Status   CheckStatus `json:"status"`
	Severity Severity    `json:"severity"`
	// Message says what was found, with its numbers and the threshold, as one
	// sentence; Remedy what the user can do, "" when nothing failed.
	Message string   `json:"message"`
	Remedy  string   `json:"remedy,omitempty"`
	Numbers []Number `json:"numbers,omitempty"`
	// Trial is the order's number for a check of one trial, 0 for the run's.
	Trial int `json:"trial,omitempty"`
	// Factor, Arms and Load say what a run's check speaks of; empty or -1 for
	// all. A failed check of severity experiment makes just these comparisons
	// invalid.
	Factor string `json:"factor,omitempty"`
	Arms   []int  `json:"arms,omitempty"`
	Load   int    `json:"load"`
}

// Number is a named quantity with its unit.
type Number struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
}
