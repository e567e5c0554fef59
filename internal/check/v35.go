package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pgassay/pgassay"
)

var infoV35 = Info{
	ID: "V35", Title: "Same host and build", Severity: pgassay.SeverityExperiment, Trial: true, Run: true,
	What:      "the server's version against the first valid trial from the same template; the host's boot over the run",
	Threshold: "the version differs, or a block holds trials of two boots; another boot between blocks is a warning",
	Remedy:    "repeat the run on one host without a reboot or an upgrade in between",
}

// sameServer compares the version with the reference's.
func sameServer(e Evidence) pgassay.CheckResult {
	r := infoV35.of(e.Trial)
	if e.Reference == nil || e.Reference == e.Trial {
		return infoV35.unknown(r, "this is the first valid trial of its template: later ones are compared with it")
	}
	now, then := version(e.Trial), version(e.Reference)
	if now == "" || then == "" {
		return infoV35.unknown(r, "the server's version was not read")
	}
	if now != then {
		return infoV35.failed(r, fmt.Sprintf("the server is version %s, and that of trial %d was %s", now, e.Reference.Order.Number, then))
	}
	return infoV35.passed(r, fmt.Sprintf("the server is version %s, as in trial %d", now, e.Reference.Order.Number))
}

func version(rec *pgassay.TrialRecord) string {
	for _, s := range rec.Settings {
		if s.Name == "server_version_num" {
			return s.Setting
		}
	}
	return ""
}

// sameBoot looks for a reboot during the run. Comparisons pair trials within a
// block, so a reboot between blocks does no harm to them.
func (r *run) sameBoot() pgassay.CheckResult {
	c := infoV35.result()
	all, blocks := map[string]bool{}, map[int]map[string]bool{}
	for _, rec := range r.Trials {
		if rec.Host.BootID == "" || rec.Outcome != pgassay.OutcomeValid {
			continue
		}
		all[rec.Host.BootID] = true
		if blocks[rec.Order.Block] == nil {
			blocks[rec.Order.Block] = map[string]bool{}
		}
		blocks[rec.Order.Block][rec.Host.BootID] = true
	}
	if len(all) == 0 {
		return infoV35.unknown(c, "the host's boot was not read")
	}
	number := pgassay.Number{Name: "boots", Value: float64(len(all))}
	for _, b := range slices.Sorted(maps.Keys(blocks)) {
		if len(blocks[b]) > 1 {
			return infoV35.failed(c, fmt.Sprintf("block %d holds trials of %d boots of the host", b, len(blocks[b])), number)
		}
	}
	if len(all) > 1 {
		c.Severity = pgassay.SeverityWarning
		return infoV35.failed(c, fmt.Sprintf("the run spans %d boots of the host, with each reboot between two blocks", len(all)), number)
	}
	return infoV35.passed(c, "all trials were made in one boot of the host", number)
}
