package check

import "github.com/pgassay/pgassay"

// Evidence is what one trial is judged by.
type Evidence struct {
	Experiment *pgassay.Experiment
	Trial      *pgassay.TrialRecord
	// Reference is the first valid trial from the same template, nil for none.
	Reference *pgassay.TrialRecord
}

// Trial applies the checks of one measured trial, in the order of their
// numbers. Each result names the trial, its arm and its load level.
func Trial(e Evidence) []pgassay.CheckResult {
	return []pgassay.CheckResult{
		settingsInForce(e), sameRows(e), sameSize(e), clientRoom(e), errorRate(e), enoughTransactions(e), foreignLoad(e), sameServer(e),
	}
}

// RunEvidence is what a run is judged by.
type RunEvidence struct {
	Experiment *pgassay.Experiment
	// Trials holds every trial made, in the order in which they ended.
	Trials []*pgassay.TrialRecord
	// Planned is the plan's order as if nothing had to be repeated.
	Planned []pgassay.TrialOrder
}

// Run applies the checks that need more than one trial. A result about a
// factor has Factor set and no arms; one about an arm against the baseline has
// Arms {arm, baseline}. A result about load levels that agree has Load -1.
func Run(e RunEvidence) []pgassay.CheckResult {
	r := newRun(e)
	var out []pgassay.CheckResult
	out = append(out, r.onlyTreatmentDiffers()...)
	out = append(out, r.eachContrast(infoV3, couldBind)...)
	out = append(out, r.eachContrast(infoV11, coversCycles)...)
	out = append(out, r.eachContrast(infoV13, vacuumRan)...)
	out = append(out, r.eachContrast(infoV14, vacuumHadWork)...)
	out = append(out, r.eachContrast(infoV16, sameClientCost)...)
	out = append(out, r.sameBoot())
	out = append(out, r.orderRealised())
	out = append(out, r.repeatsBalanced())
	return append(out, r.durability()...)
}
