package analyze

import (
	"time"

	"github.com/pgassay/pgassay"
)

// Result is the meaning of a run: everything a report shows, and nothing that
// a report has to compute.
type Result struct {
	Experiment  *pgassay.Experiment `json:"experiment"`
	Run         RunInfo             `json:"run"`
	Fingerprint pgassay.Fingerprint `json:"fingerprint"`
	// Answer is the short text at the top.
	Answer Answer `json:"answer"`
	// Cells holds one entry per arm and load level, arms outermost.
	Cells []Cell `json:"cells"`
	// Comparisons are arms against the baseline: the primary one first, then by
	// metric, load and arm. MainEffects are per factor.
	Comparisons []pgassay.Comparison `json:"comparisons"`
	MainEffects []pgassay.Comparison `json:"main_effects"`
	// FactorVerdicts has one entry per factor: its main effect on the primary
	// metric in one sentence.
	FactorVerdicts []FactorVerdict `json:"factor_verdicts,omitempty"`
	// Checks sums up each check over the run; Failures lists what failed.
	Checks   []CheckSummary        `json:"checks"`
	Failures []pgassay.CheckResult `json:"failures"`
	Trials   []TrialSummary        `json:"trials"`
	// Timelines has one trial per arm and load level that was not dropped: the
	// one whose throughput is nearest the cell's mean.
	Timelines []Timeline `json:"-"`
	// Settings are those that were in force in every trial of every arm and are
	// not the compiled default; ArmSettings those that differ between arms.
	Settings    []pgassay.SettingState `json:"settings"`
	ArmSettings []ArmSettings          `json:"arm_settings"`
	// Storage holds the storage parameters that every trial of every arm had.
	Storage []pgassay.StorageSetting `json:"storage,omitempty"`
	// Unsettled names settings that were not the same in all trials of one arm
	// (paths and ports of an instance aside); nothing can be said of them.
	Unsettled []string `json:"unsettled_settings,omitempty"`
	// Missing says what could not be seen in how many trials, one sentence each.
	Missing []string `json:"missing,omitempty"`
	// NotTested says what this experiment cannot speak of, one sentence each.
	NotTested []string `json:"not_tested"`
	// Banners are warnings that belong on top, such as relaxed durability.
	Banners []string `json:"banners,omitempty"`
}

// RunInfo identifies the run and says how far it got.
type RunInfo struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// Stop says why it ended, Complete whether the plan was carried out.
	Stop     string `json:"stop"`
	Complete bool   `json:"complete"`
	Tool     string `json:"tool"`
	// Command reproduces the run.
	Command string `json:"command"`
	Target  string `json:"target"` // "created" or "attached"
}

// Answer is the report's first paragraph.
type Answer struct {
	// Verdict is the primary comparison's best answer: improved when at least
	// one arm improved on the baseline, and so on.
	Verdict   pgassay.Verdict `json:"verdict"`
	Sentences []string        `json:"sentences"` // two, three at most
	// Detectable is the largest effect that a primary comparison needed to be
	// seen with 90 % power, 0 when it is not known.
	Detectable float64 `json:"detectable"`
}

// Cell is one arm at one load level.
type Cell struct {
	Arm  int `json:"arm"`
	Load int `json:"load"`
	// Trials and Blocks count what is valid; Dropped says that the cell has no
	// valid trial, Why says what became of those that were made.
	Trials  int    `json:"trials"`
	Blocks  int    `json:"blocks"`
	Dropped bool   `json:"dropped,omitempty"`
	Why     string `json:"why,omitempty"`
	// Transactions is over all valid trials.
	Transactions int64               `json:"transactions"`
	Metrics      []CellMetric        `json:"metrics"`
	Quantiles    []LatencyQuantile   `json:"quantiles"`
	Histogram    []LatencyHistoPoint `json:"-"`
	// NoLatency says why Quantiles and Histogram are empty or cover only a part
	// of the trials, "" when they are whole.
	NoLatency string `json:"no_latency,omitempty"`
}

// CellMetric is one metric of a cell: the mean over blocks with its interval.
type CellMetric struct {
	Metric pgassay.MetricName `json:"metric"`
	Mean   pgassay.Interval   `json:"mean"`
	// Values has one entry per valid trial that knows the metric, in the order
	// of the blocks.
	Values []float64 `json:"values"`
	// Known is false when the metric cannot be known; Why says why.
	Known bool   `json:"known"`
	Why   string `json:"why,omitempty"`
}

// LatencyQuantile is a point of the latency distribution over all valid trials
// of a cell, for display.
type LatencyQuantile struct {
	Quantile float64 `json:"quantile"`
	Value    int64   `json:"value_ns"`
}

// LatencyHistoPoint is one bar of the latency histogram.
type LatencyHistoPoint struct {
	UpTo  int64
	Count int64
}

// FactorVerdict is a factor's main effect in words.
type FactorVerdict struct {
	Factor   string          `json:"factor"`
	Verdict  pgassay.Verdict `json:"verdict"`
	Sentence string          `json:"sentence"`
	// Checks holds the failed checks that the sentence names.
	Checks []string `json:"checks,omitempty"`
}

// CheckSummary counts one check over all places where it was applied.
type CheckSummary struct {
	ID           string           `json:"id"`
	Title        string           `json:"title"`
	Severity     pgassay.Severity `json:"severity"`
	Passed       int              `json:"passed"`
	Failed       int              `json:"failed"`
	NotEvaluated int              `json:"not_evaluated"`
	// Message is the worst result's.
	Message string `json:"message"`
}

// TrialSummary is one line of the list of trials.
type TrialSummary struct {
	Order        pgassay.TrialOrder `json:"order"`
	Outcome      pgassay.Outcome    `json:"outcome"`
	Reason       string             `json:"reason,omitempty"`
	Started      time.Time          `json:"started"`
	Phases       pgassay.Phases     `json:"phases"`
	Transactions int64              `json:"transactions"`
	TPS          float64            `json:"tps"`
	Vacuums      int                `json:"autovacuums"`
}

// Timeline is what one trial looked like over time.
type Timeline struct {
	Arm    int
	Load   int
	Trial  pgassay.TrialOrder
	Length int64 // ns of the measurement interval
	Series []pgassay.Series
	Events []pgassay.Event
	// Missing names what the samplers of this trial could not see, and why.
	Missing []string
}

// ArmSettings is what is particular to an arm, as the server confirmed it.
type ArmSettings struct {
	Arm      int                      `json:"arm"`
	Settings []pgassay.SettingState   `json:"settings"`
	Storage  []pgassay.StorageSetting `json:"storage,omitempty"`
}
