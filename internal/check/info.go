package check

import "github.com/pgassay/pgassay"

// Info describes a check for people: what it looks at, when it fails and what
// to do then.
type Info struct {
	// ID is the number in METHOD, such as V13; Title a few words.
	ID    string
	Title string
	// What says what is compared, Threshold when that fails.
	What      string
	Threshold string
	Severity  pgassay.Severity
	Remedy    string
	// Trial says that the check is applied to each trial, Run that it is applied
	// to the run; both may be set.
	Trial, Run bool
}

// Infos lists the checks that are evaluated, in the order of their numbers.
func Infos() []Info {
	return []Info{infoV1, infoV2, infoV3, infoV5, infoV6, infoV11, infoV13, infoV14, infoV16, infoV20, infoV22, infoV29, infoV35, infoV36, infoV38, infoV42}
}

// result starts a result of the check: passed, about everything.
func (i Info) result() pgassay.CheckResult {
	return pgassay.CheckResult{ID: i.ID, Title: i.Title, Severity: i.Severity, Status: pgassay.CheckPassed, Load: -1}
}

// of starts a result about one trial.
func (i Info) of(rec *pgassay.TrialRecord) pgassay.CheckResult {
	r := i.result()
	r.Trial, r.Load, r.Arms = rec.Order.Number, rec.Order.Load, []int{rec.Order.Arm}
	return r
}

// failed, passed and unknown finish a result with its sentence.
func (i Info) failed(r pgassay.CheckResult, message string, numbers ...pgassay.Number) pgassay.CheckResult {
	r.Status, r.Message, r.Remedy, r.Numbers = pgassay.CheckFailed, message, i.Remedy, numbers
	return r
}

func (i Info) passed(r pgassay.CheckResult, message string, numbers ...pgassay.Number) pgassay.CheckResult {
	r.Status, r.Message, r.Numbers = pgassay.CheckPassed, message, numbers
	return r
}

func (i Info) unknown(r pgassay.CheckResult, message string) pgassay.CheckResult {
	r.Status, r.Message = pgassay.CheckNotEvaluated, message
	return r
}
