package check_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
)

// insertOnly turns a trial into one of an insert-only load: 100,000 rows, and
// vacuums by the insert trigger (21,000).
func insertOnly(rec *pgassay.TrialRecord) {
	a := &rec.After.Relations[0]
	a.Inserted, a.LiveRows, a.Updated, a.DeadRows = 200_000, 200_000, 0, 0
	rec.Events = nil
	for i := int64(1); i <= 4; i++ {
		rec.Events = append(rec.Events, vacuumAt(i*14*second, second/2, 0))
	}
}

// each changes every trial.
func each(change func(*pgassay.TrialRecord)) func(*check.RunEvidence) {
	return func(e *check.RunEvidence) {
		for _, r := range e.Trials {
			change(r)
		}
	}
}

func all(changes ...func(*check.RunEvidence)) func(*check.RunEvidence) {
	return func(e *check.RunEvidence) {
		for _, c := range changes {
			c(e)
		}
	}
}

// treat makes a setting the only factor; arms keep what they differ in.
func treat(name string) func(*check.RunEvidence) {
	return func(e *check.RunEvidence) {
		e.Experiment.Factors = []pgassay.Factor{{Kind: pgassay.FactorSetting, Name: name, Levels: []string{"1", "2"}}}
	}
}

// checkpoints gives arm 2 few checkpoints, requested by WAL, and the others
// many.
func checkpoints(few, many int64) func(*pgassay.TrialRecord) {
	return func(r *pgassay.TrialRecord) {
		n := many
		if r.Order.Arm == 2 {
			n = few
		}
		for i := range n {
			r.Events = append(r.Events, pgassay.Event{At: (5*i + 1) * second, Kind: pgassay.EventCheckpointStart, Text: "wal"},
				pgassay.Event{At: (5*i + 4) * second, Kind: pgassay.EventCheckpoint})
		}
	}
}

// repeats adds invalid trials of an arm.
func repeats(arm, n int) func(*check.RunEvidence) {
	return func(e *check.RunEvidence) {
		for range n {
			r := goodTrial(e.Experiment, pgassay.TrialOrder{Number: len(e.Trials) + 1, Arm: arm})
			r.Outcome = pgassay.OutcomeInvalid
			e.Trials = append(e.Trials, r)
		}
	}
}

// TestSabotage breaks a healthy run in one way at a time. The check that it is
// for must fail, and the run must have been healthy before.
func TestSabotage(t *testing.T) {
	judge := func(ev check.RunEvidence) []string {
		var failed []string
		add := func(results []pgassay.CheckResult) {
			for _, r := range results {
				if r.Status == pgassay.CheckFailed && !slices.Contains(failed, r.ID) {
					failed = append(failed, r.ID)
				}
			}
		}
		for _, rec := range ev.Trials {
			add(check.Trial(check.Evidence{Experiment: ev.Experiment, Trial: rec, Reference: ev.Trials[0]}))
		}
		add(check.Run(ev))
		return failed
	}
	if failed := judge(goodRun(experiment())); failed != nil {
		t.Fatalf("the healthy run fails %v", failed)
	}
	caught := map[string]bool{}
	for _, c := range []struct {
		id, fault string
		change    func(*check.RunEvidence)
	}{
		{"V1", "a setting was never applied", func(e *check.RunEvidence) { e.Trials[5].Settings[3].Setting = "0.7" }},
		{"V2", "somebody changed another setting of one arm", each(func(r *pgassay.TrialRecord) {
			if r.Order.Arm == 3 {
				r.Settings[5].Setting = "999"
			}
		})},
		{"V3", "the load only inserts", each(insertOnly)},
		{"V5", "the reset was skipped", func(e *check.RunEvidence) { e.Trials[6].Start.Relations[0].LiveRows = 110_000 }},
		{"V6", "the table starts bloated", func(e *check.RunEvidence) { e.Trials[6].Start.Relations[0].HeapBytes *= 2 }},
		{"V11", "one arm sees many checkpoints, the others few", each(checkpoints(9, 2))},
		{"V13", "autovacuum was switched off by hand", each(func(r *pgassay.TrialRecord) { r.Events = nil })},
		{"V14", "the trial is too short for the trigger", each(func(r *pgassay.TrialRecord) { r.After.Relations[0].Updated = 900 })},
		{"V16", "the client is saturated", func(e *check.RunEvidence) { e.Trials[2].Use.ClientCPUS = 119 }},
		{"V20", "transactions fail", func(e *check.RunEvidence) { e.Trials[2].Scripts[0].Failed = 1000 }},
		{"V22", "hardly any transaction", func(e *check.RunEvidence) { e.Trials[2].Scripts[0].Transactions = 100 }},
		{"V29", "a neighbour takes the CPU", func(e *check.RunEvidence) { e.Trials[2].Host.ForeignCPUS = 60 }},
		{"V35", "the host was booted in the middle of a block", func(e *check.RunEvidence) { e.Trials[12].Host.BootID = "another" }},
		{"V36", "the trials were made in another order", func(e *check.RunEvidence) {
			e.Trials[1], e.Trials[9] = e.Trials[9], e.Trials[1]
		}},
		{"V36", "an arm always comes first", func(e *check.RunEvidence) {
			var trials []*pgassay.TrialRecord
			e.Planned = nil
			for b := range 12 {
				for arm := range 4 {
					o := pgassay.TrialOrder{Number: len(trials) + 1, Block: b + 1, Position: arm, Arm: arm, Attempt: 1}
					e.Planned, trials = append(e.Planned, o), append(trials, goodTrial(e.Experiment, o))
				}
			}
			e.Trials = trials
		}},
		{"V38", "one arm's trials are thrown away", repeats(3, 12)},
		{"V42", "fsync was off in one arm", each(func(r *pgassay.TrialRecord) {
			if r.Order.Arm == 1 {
				r.Settings[6].Setting = "off"
			}
		})},
	} {
		ev := goodRun(experiment())
		c.change(&ev)
		if failed := judge(ev); !slices.Contains(failed, c.id) {
			t.Errorf("%s: %v failed, want %s among them", c.fault, failed, c.id)
		}
		caught[c.id] = true
	}
	for _, i := range check.Infos() {
		if !caught[i.ID] {
			t.Errorf("%s is not sabotaged", i.ID)
		}
	}
}

// TestEveryResultIsKnown: results carry what the list of checks says, and what
// fails says what to do.
func TestEveryResultIsKnown(t *testing.T) {
	ev := goodRun(experiment())
	each(insertOnly)(&ev)
	results := check.Run(ev)
	results = append(results, check.Trial(check.Evidence{Experiment: ev.Experiment, Trial: ev.Trials[1], Reference: ev.Trials[0]})...)
	for _, r := range results {
		i := slices.IndexFunc(check.Infos(), func(i check.Info) bool { return i.ID == r.ID })
		if i < 0 || r.Title != check.Infos()[i].Title || r.Message == "" {
			t.Errorf("%+v is not in the list of checks", r)
		}
	}
	if d := time.Duration(ev.Trials[0].MeasuredNS); d != time.Minute {
		t.Errorf("the fixture measures %v, want a minute", d)
	}
}
