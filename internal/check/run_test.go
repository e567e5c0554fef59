package check_test

import (
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
)

const (
	scale = "autovacuum_vacuum_scale_factor"
	delay = "autovacuum_vacuum_cost_delay"
	same  = " (at 10 clients; the same holds at all 2 load levels)"
)

// TestRunChecks applies each check of a run to evidence that passes, fails and
// is not there. A row looks at the result about its factor; about arm 2 against
// the baseline (they differ in the scale factor only) when the factor is
// "arm 2"; and about the whole run when it is empty.
func TestRunChecks(t *testing.T) {
	const (
		passed  = pgassay.CheckPassed
		failed  = pgassay.CheckFailed
		unknown = pgassay.CheckNotEvaluated
		invalid = pgassay.SeverityExperiment
		warning = pgassay.SeverityWarning
	)
	for _, c := range []struct {
		id, factor string
		change     func(*check.RunEvidence)
		status     pgassay.CheckStatus
		severity   pgassay.Severity
		message    string
	}{
		{"V2", "arm 2", nil, passed, invalid, "of 9 settings only the declared ones differ from the baseline"},
		{"V2", "arm 2", each(func(r *pgassay.TrialRecord) {
			if r.Order.Arm == 2 {
				r.Settings[5].Setting = "32768"
			}
		}), failed, invalid, "1 settings differ from the baseline without being part of the arm: shared_buffers (32768, baseline 16384)"},
		{"V2", "arm 2", each(func(r *pgassay.TrialRecord) { r.Settings = nil }), unknown, invalid, "there are no settings in force to compare: an arm has no valid trial"},

		{"V3", scale, nil, passed, invalid, scale + ` could act: "scale 0.02, delay 2ms" made 39 times the rows of its trigger (dead rows)` + same},
		{"V3", scale, each(insertOnly), failed, invalid, "an insert-only load makes no dead rows, so " + scale + " could not have mattered (only the insert trigger fired: 32 vacuums)" + same},
		{"V3", delay, each(insertOnly), passed, invalid, delay + " could act: the most expensive vacuum cost 89,200 units with a limit of 200" + same},
		{"V3", "arm 2", each(insertOnly), failed, invalid, "an insert-only load makes no dead rows, so " + scale + " could not have mattered (only the insert trigger fired: 16 vacuums)" + same},
		{"V3", delay, each(func(r *pgassay.TrialRecord) { r.Events = nil }), failed, invalid, delay + " could not act: no vacuum ran in any arm" + same},
		{"V3", scale, each(func(r *pgassay.TrialRecord) {
			r.Before.Relations[0].Options = map[string]string{scale: "0.1"}
		}), failed, invalid, "no table's trigger differs between the arms: " + scale + " is overridden by storage parameters, or the tables are too small for it to count" + same},
		{"V3", "geqo_seed", func(e *check.RunEvidence) {
			e.Experiment.Factors = []pgassay.Factor{{Kind: pgassay.FactorSetting, Name: "geqo_seed"}}
		}, unknown, invalid, "no rule says when geqo_seed matters"},
		{"V3", scale, each(func(r *pgassay.TrialRecord) { r.Before.Relations = nil }), unknown, invalid, scale + ": the tables' statistics were not seen"},

		{"V11", scale, nil, passed, invalid, "no checkpoint was requested during the measurement" + same},
		{"V11", scale, each(checkpoints(2, 4)), failed, invalid, "the arms finished 2 to 4 checkpoints a trial, and they may differ by 1" + same},
		{"V11", scale, each(checkpoints(2, 3)), passed, invalid, "the arms finished 2 to 3 checkpoints a trial (may differ by 1)" + same},
		{"V11", "max_wal_size", all(treat("max_wal_size"), each(checkpoints(2, 9))), failed, invalid,
			`"scale 0.2, delay 2ms" finished 2 checkpoints a trial, and a setting that acts through checkpoints needs 3 of the arm's own cycles` + same},
		{"V11", "max_wal_size", all(treat("max_wal_size"), each(checkpoints(3, 9))), passed, invalid, "every arm finished at least 3 checkpoints a trial (needed: 3)" + same},
		{"V11", scale, each(func(r *pgassay.TrialRecord) { r.After.Counters = nil }), unknown, invalid, "checkpoints were not seen in every arm"},

		{"V13", scale, nil, passed, invalid, `"scale 0.02, delay 2ms" finished 4 autovacuum runs a trial that exercise ` + scale + ` (needed: 3)` + same},
		{"V13", scale, each(func(r *pgassay.TrialRecord) { r.Events = r.Events[:2] }), failed, invalid,
			`no arm finished 3 autovacuum runs a trial that exercise ` + scale + `; the most is 2, in "scale 0.02, delay 2ms"` + same},
		{"V13", scale, each(func(r *pgassay.TrialRecord) {
			r.Events = append(r.Events[:2], vacuumAt(61*second, 5*second, 0))
		}), failed, invalid,
			`no arm finished 3 autovacuum runs a trial that exercise ` + scale + `; the most is 2, in "scale 0.02, delay 2ms"; 8 runs had not ended (censored)` + same},
		{"V13", scale, each(insertOnly), failed, invalid, "0 autovacuum runs a trial exercise " + scale + " (needed: 3): an insert-only load makes no dead rows, so " + scale + " could not have mattered (only the insert trigger fired: 32 vacuums)" + same},
		{"V13", delay, each(insertOnly), passed, invalid, `"scale 0.02, delay 2ms" finished 4 autovacuum runs a trial that exercise ` + delay + ` (needed: 3)` + same},
		{"V13", "work_mem", treat("work_mem"), unknown, invalid, "no treated setting acts through vacuum"},

		{"V14", scale, nil, passed, invalid, "every arm made at least 4 times the rows of its trigger (dead rows; needed: 3)" + same},
		{"V14", scale, each(func(r *pgassay.TrialRecord) { r.After.Relations[0].Updated = 1000 }), failed, invalid,
			`no arm made 3 times the rows of its trigger (dead rows); the most is 0.5 times, in "scale 0.02, delay 2ms"` + same},
		{"V14", scale, each(func(r *pgassay.TrialRecord) { r.After.Relations[0].Updated = 40_000 }), failed, warning,
			`2 of 4 arms made less than 3 times the rows of their trigger (dead rows; the least is 2 times): they put vacuum off beyond the trial, so its cost is not in their results ("scale 0.2, delay 2ms"; "scale 0.2, delay 20ms")` + same},
		{"V14", scale, each(insertOnly), failed, invalid, "0 dead rows were made, and 3 times the trigger is needed: an insert-only load makes no dead rows, so " + scale + " could not have mattered (only the insert trigger fired: 32 vacuums)" + same},
		{"V14", delay, each(insertOnly), passed, invalid, "every arm made at least 4.8 times the rows of its trigger (dead rows or inserts; needed: 3)" + same},
		{"V14", scale, each(func(r *pgassay.TrialRecord) { r.After.Relations = nil }), unknown, invalid, "the tables' statistics were not seen"},

		{"V16", scale, nil, passed, warning, "the generator's CPU per transaction is equal between arms within 0.0 % (limit 5 %)" + same},
		{"V16", scale, each(func(r *pgassay.TrialRecord) {
			if r.Order.Arm == 3 {
				r.Use.ClientCPUS = 27
			}
		}), failed, warning, `the generator used 450 µs of CPU a transaction in "scale 0.2, delay 20ms" and 400 µs in "scale 0.02, delay 2ms", 12.5 % apart (limit 5 %)` + same},
		{"V16", scale, each(func(r *pgassay.TrialRecord) { r.Use.ClientCPUS = -1 }), unknown, warning, "the generator's CPU time was not read"},

		{"V35", "", nil, passed, invalid, "all trials were made in one boot of the host"},
		{"V35", "", func(e *check.RunEvidence) { e.Trials[3].Host.BootID = "boot-2" }, failed, invalid, "block 1 holds trials of 2 boots of the host"},
		{"V35", "", each(func(r *pgassay.TrialRecord) {
			if r.Order.Block == 2 {
				r.Host.BootID = "boot-2"
			}
		}), failed, warning, "the run spans 2 boots of the host, with each reboot between two blocks"},
		{"V35", "", each(func(r *pgassay.TrialRecord) { r.Host.BootID = "" }), unknown, invalid, "the host's boot was not read"},

		{"V36", "", nil, passed, invalid, "all 16 trials were made in the planned order"},
		{"V36", "", func(e *check.RunEvidence) { e.Trials = e.Trials[:10] }, passed, invalid, "all 10 trials were made in the planned order, 6 of 16 planned ones were not made"},
		{"V36", "", func(e *check.RunEvidence) {
			again := *e.Trials[15]
			again.Order.Number, again.Order.Attempt = 17, 2
			again.Started = again.Started.Add(time.Minute)
			e.Trials[15].Outcome = pgassay.OutcomeInvalid
			e.Trials, e.Planned = append(e.Trials, &again), append(e.Planned, again.Order)
		}, passed, invalid, "all 17 trials were made in the planned order"},
		{"V36", "", func(e *check.RunEvidence) { e.Trials[4].Order.Arm = 3 }, failed, invalid, "trial 5 (block 1, position 4) is not the one that the plan has there"},
		{"V36", "", func(e *check.RunEvidence) { e.Trials[4], e.Trials[5] = e.Trials[5], e.Trials[4] }, failed, invalid, "block 1, position 4 was left out"},
		{"V36", "", func(e *check.RunEvidence) { e.Trials[5].Started = e.Trials[3].Started }, failed, invalid, "trial 6 (block 1, position 5) was made out of its order"},
		{"V36", "", func(e *check.RunEvidence) { e.Planned = nil }, unknown, invalid, "there is no plan, or no trial was made"},

		{"V38", "", nil, passed, invalid, "in every arm 0 trials did not count"},
		{"V38", "", repeats(1, 3), passed, invalid, `3 of 7 trials of "scale 0.02, delay 20ms" did not count and 0 of 4 of "scale 0.02, delay 2ms" (may differ by 3, or by accident)`},
		{"V38", "", repeats(1, 9), failed, invalid, `9 of 13 trials of "scale 0.02, delay 20ms" did not count and 0 of 4 of "scale 0.02, delay 2ms" (p = 0.029)`},
		{"V38", "", func(e *check.RunEvidence) { e.Trials = nil }, unknown, invalid, "fewer than two arms have trials"},

		{"V42", "", nil, passed, invalid, "fsync, full_page_writes and synchronous_commit are not off in any arm, and differ only where treated"},
		{"V42", "", each(func(r *pgassay.TrialRecord) { r.Settings[8].Setting = "off" }), failed, warning,
			"synchronous_commit is off in every arm: a crash may lose the last commits that clients believe to be done"},
		{"V42", "arm 2", each(func(r *pgassay.TrialRecord) {
			if r.Order.Arm == 2 {
				r.Settings[6].Setting = "off"
			}
		}), failed, invalid, `fsync is off in "scale 0.2, delay 2ms" and on in the baseline, without being part of the arm`},
		{"V42", "", each(func(r *pgassay.TrialRecord) { r.Settings = r.Settings[:6] }), unknown, invalid, "the settings of durability were not read"},
	} {
		ev := goodRun(experiment())
		if c.change != nil {
			c.change(&ev)
		}
		got, ok := pick(find(check.Run(ev), c.id), c.factor)
		if !ok {
			t.Errorf("%s: no result about %q", c.id, c.factor)
			continue
		}
		want(t, c.factor, got, c.status, c.severity, c.message)
	}
}

// pick finds the result about a factor, about arm 2 against the baseline, or
// about the whole run.
func pick(results []pgassay.CheckResult, factor string) (pgassay.CheckResult, bool) {
	for _, r := range results {
		switch {
		case factor == "arm 2" && len(r.Arms) == 2 && r.Arms[0] == 2 && r.Arms[1] == 0,
			factor != "arm 2" && factor == r.Factor && r.Arms == nil:
			return r, true
		}
	}
	return pgassay.CheckResult{}, false
}

// TestOneArm: nothing is compared, and nothing is passed.
func TestOneArm(t *testing.T) {
	e := experiment()
	e.Arms, e.Factors = e.Arms[:1], nil
	for _, r := range check.Run(goodRun(e)) {
		if r.ID == "V3" || r.ID == "V13" || r.ID == "V2" {
			want(t, "one arm", r, pgassay.CheckNotEvaluated, pgassay.SeverityExperiment, "there is one arm only, so nothing is compared")
		}
	}
}

// TestLevelsDisagree: where the load levels differ, each has its own result.
func TestLevelsDisagree(t *testing.T) {
	ev := goodRun(experiment())
	each(func(r *pgassay.TrialRecord) {
		if r.Order.Load == 0 {
			r.Events = r.Events[:1]
		}
	})(&ev)
	var got []pgassay.CheckResult
	for _, r := range find(check.Run(ev), "V13") {
		if r.Factor == scale {
			got = append(got, r)
		}
	}
	if len(got) != 2 || got[0].Load != 0 || got[1].Load != 1 {
		t.Fatalf("got %+v, want one result for each of 2 load levels", got)
	}
	want(t, "10 clients", got[0], pgassay.CheckFailed, pgassay.SeverityExperiment, `at 10 clients: no arm finished 3 autovacuum runs a trial that exercise `+scale+`; the most is 1, in "scale 0.02, delay 2ms"`)
	want(t, "50 clients", got[1], pgassay.CheckPassed, pgassay.SeverityExperiment, `at 50 clients: "scale 0.02, delay 2ms" finished 4 autovacuum runs a trial that exercise `+scale+` (needed: 3)`)
}

// TestNamedArms: without factors, what differs between the arms is treated; a
// setting beside it that needs no vacuum makes a failure a warning.
func TestNamedArms(t *testing.T) {
	e := experiment()
	e.Factors = nil
	ev := goodRun(e)
	each(func(r *pgassay.TrialRecord) { r.Events = r.Events[:1] })(&ev)
	got, _ := pick(find(check.Run(ev), "V13"), "arm 2")
	want(t, "scale factor only", got, pgassay.CheckFailed, pgassay.SeverityExperiment,
		`neither of the two arms finished 3 autovacuum runs a trial that exercise `+scale+`; the most is 1, in "scale 0.02, delay 2ms"`+same)
	e.Arms[2].Settings = append(e.Arms[2].Settings, pgassay.Setting{Name: "work_mem", Value: "64MB"})
	got, _ = pick(find(check.Run(ev), "V13"), "arm 2")
	want(t, "and work_mem", got, pgassay.CheckFailed, pgassay.SeverityWarning,
		`neither of the two arms finished 3 autovacuum runs a trial that exercise `+scale+`; the most is 1, in "scale 0.02, delay 2ms"; the arms also differ in what does not act through vacuum`+same)
}
