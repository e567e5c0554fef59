package pgassay

import (
	"encoding/json"
	"math"
)

// Verdict is the answer to one comparison.
type Verdict string

// The five verdicts. Improved follows the metric's direction.
const (
	Improved     Verdict = "improved"
	Regressed    Verdict = "regressed"
	Equivalent   Verdict = "equivalent"
	Inconclusive Verdict = "inconclusive"
	Invalid      Verdict = "invalid"
)

// Interval is an estimate with its confidence limits. Low and High are
// infinite when nothing is known.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	// Level is the confidence level, such as 0.95.
	Level float64 `json:"level"`
}

// intervalJSON is Interval with nil in place of what JSON cannot say.
type intervalJSON struct {
	Estimate *float64 `json:"estimate"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	Level    float64  `json:"level"`
}

// MarshalJSON writes limits that are infinite or not a number as null.
func (i Interval) MarshalJSON() ([]byte, error) {
	finite := func(v float64) *float64 {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		return &v
	}
	return json.Marshal(intervalJSON{finite(i.Estimate), finite(i.Low), finite(i.High), i.Level})
}

// UnmarshalJSON reads null as no limit: minus infinity for Low, infinity for
// High and not a number for Estimate.
func (i *Interval) UnmarshalJSON(b []byte) error {
	var j intervalJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	or := func(p *float64, v float64) float64 {
		if p == nil {
			return v
		}
		return *p
	}
	*i = Interval{or(j.Estimate, math.NaN()), or(j.Low, math.Inf(-1)), or(j.High, math.Inf(1)), j.Level}
	return nil
}

// Known says whether both limits are finite.
func (i Interval) Known() bool {
	return !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) && !math.IsNaN(i.Estimate)
}

// Comparison is the effect of one arm (or one factor's level) against another
// on one metric at one load level, from trials and never from seconds.
type Comparison struct {
	Metric MetricName `json:"metric"`
	// Load indexes Experiment.Loads; -1 is the mean over all levels.
	Load int `json:"load"`
	// Arm and Base index Experiment.Arms; both are -1 for a factor's main effect.
	Arm  int `json:"arm"`
	Base int `json:"base"`
	// Factor, Level and BaseLevel are set for a main effect.
	Factor    string `json:"factor,omitempty"`
	Level     string `json:"level,omitempty"`
	BaseLevel string `json:"base_level,omitempty"`
	// Effect is the relative change: 0.05 is 5 % more than the base. With
	// Absolute, for metrics that can be zero (dead rows, errors), it is the
	// difference in the metric's unit instead, and so are LogSD, HodgesLehmann
	// and Detectable.
	Effect   Interval `json:"effect"`
	Absolute bool     `json:"absolute,omitempty"`
	// Neutral says that the metric has no better direction: the effect is
	// described, not judged, and Verdict is inconclusive or invalid.
	Neutral bool `json:"neutral,omitempty"`
	// Blocks is the number of blocks in which both sides are valid; LogSD the
	// standard deviation of the blocks' log ratios.
	Blocks int     `json:"blocks"`
	LogSD  float64 `json:"log_sd"`
	// HodgesLehmann is the robust twin of Effect.Estimate (NaN-free: 0 with
	// fewer than 2 blocks).
	HodgesLehmann float64 `json:"hodges_lehmann"`
	// Detectable is the effect that this many blocks could have seen with 90 %
	// power after the correction for Family comparisons; 0 when not known.
	Detectable float64 `json:"detectable"`
	// P is the two-sided p-value, PAdjusted the same after Holm's correction
	// over the Family of comparisons it was made with; 1 when not known.
	P         float64 `json:"p"`
	PAdjusted float64 `json:"p_adjusted"`
	Family    int     `json:"family"`
	Primary   bool    `json:"primary,omitempty"`
	Verdict   Verdict `json:"verdict"`
	// Reason says in one sentence why, naming failed checks.
	Reason string   `json:"reason"`
	Checks []string `json:"checks,omitempty"`
}
