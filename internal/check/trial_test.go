package check_test

import (
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
)

// TestTrialChecks applies each check of a trial to evidence that passes, fails
// and is not there.
func TestTrialChecks(t *testing.T) {
	const (
		passed  = pgassay.CheckPassed
		failed  = pgassay.CheckFailed
		unknown = pgassay.CheckNotEvaluated
	)
	for _, c := range []struct {
		id       string
		change   func(*check.Evidence)
		status   pgassay.CheckStatus
		severity pgassay.Severity
		message  string
	}{
		{"V1", nil, passed, pgassay.SeverityExperiment, "all 3 requested settings are in force"},
		{"V1", func(e *check.Evidence) { e.Trial.Settings[4].Setting = "5" }, failed, pgassay.SeverityExperiment,
			"1 of 3 requested settings are not in force: autovacuum_vacuum_cost_delay is 5ms (source: configuration file), not 20ms"},
		{"V1", func(e *check.Evidence) { e.Trial.Settings[4].PendingRestart = true }, failed, pgassay.SeverityExperiment,
			"1 of 3 requested settings are not in force: autovacuum_vacuum_cost_delay waits for a restart"},
		{"V1", func(e *check.Evidence) { e.Experiment.Arms[1].Settings[0].Name = "autovacuum_naptim" }, failed, pgassay.SeverityExperiment,
			"1 of 3 requested settings are not in force: autovacuum_naptim is not known to the server"},
		{"V1", func(e *check.Evidence) {
			e.Experiment.Arms[1].Tables = []pgassay.StorageSetting{{Table: "events", Name: "fillfactor", Value: "70"}, {Table: "events", Name: "autovacuum_enabled", Value: "off"}}
			e.Trial.Storage = []pgassay.StorageSetting{{Table: "public.events", Name: "autovacuum_enabled", Value: "false"}}
		}, failed, pgassay.SeverityExperiment, "1 of 5 requested settings are not in force: events.fillfactor is not set"},
		{"V1", func(e *check.Evidence) {
			e.Experiment.Arms[1].Settings = append(e.Experiment.Arms[1].Settings, pgassay.Setting{Name: "shared_buffers", Value: "min(1GB, 25%)"})
		}, passed, pgassay.SeverityExperiment, "all 4 requested settings are in force (shared_buffers given as a share is set, its value was not compared)"},
		{"V1", func(e *check.Evidence) { e.Trial.Settings = nil }, unknown, pgassay.SeverityExperiment, "pg_settings was not read from a workload session"},

		{"V5", nil, passed, pgassay.SeverityTrial, "row counts differ by at most 0 % from trial 1 (limit 0.1 %)"},
		{"V5", func(e *check.Evidence) { e.Trial.Start.Relations[0].LiveRows = 100_200 }, failed, pgassay.SeverityTrial,
			"the row count of public.events differs by 0.2 % from trial 1 (limit 0.1 %)"},
		{"V5", func(e *check.Evidence) { e.Trial.Start.Relations[0].Name = "other" }, failed, pgassay.SeverityTrial,
			"the trial started with 1 tables, trial 1 with 1, and 0 are the same"},
		{"V5", func(e *check.Evidence) { // loaded anew: TOAST tables are named after numbers
			e.Trial.Start.Relations = append(e.Trial.Start.Relations, pgassay.Relation{Schema: "pg_toast", Name: "pg_toast_16517", Kind: "t"})
			e.Reference.Start.Relations = append(e.Reference.Start.Relations, pgassay.Relation{Schema: "pg_toast", Name: "pg_toast_16537", Kind: "t"})
		}, passed, pgassay.SeverityTrial, "row counts differ by at most 0 % from trial 1 (limit 0.1 %)"},
		{"V5", func(e *check.Evidence) { e.Reference = nil }, unknown, pgassay.SeverityTrial,
			"this is the first valid trial of its template: later ones are compared with it"},
		{"V5", func(e *check.Evidence) { e.Trial.Start = pgassay.Snapshot{} }, unknown, pgassay.SeverityTrial, "the state before the load was not read"},

		{"V6", nil, passed, pgassay.SeverityTrial, "sizes differ by at most 0 % from trial 1 (limit 1 %), shares of dead rows by at most 0 percentage points (limit 1)"},
		{"V6", func(e *check.Evidence) { e.Trial.Start.Relations[0].HeapBytes = 4100 * 8192 }, failed, pgassay.SeverityTrial,
			"the size of public.events differs by 2.4 % from trial 1 (limit 1 %)"},
		{"V6", func(e *check.Evidence) { e.Trial.Start.Relations[0].DeadRows = 3000 }, failed, pgassay.SeverityTrial,
			"the share of dead rows of public.events differs by 2.9 percentage points from trial 1 (limit 1)"},
		{"V6", func(e *check.Evidence) { e.Reference.Start = pgassay.Snapshot{} }, unknown, pgassay.SeverityTrial, "the state before the load was not read"},

		{"V16", nil, passed, pgassay.SeverityWarning, "the load generator used 20 % of 2 CPUs (limit 80 %)"},
		{"V16", func(e *check.Evidence) { e.Trial.Use.ClientCPUS, e.Trial.Host.RunQueueP99NS = 100, 2_500_000 }, failed, pgassay.SeverityWarning,
			"the load generator used 83 % of 2 CPUs (limit 80 %), waited 2.5 ms for a CPU (P99, limit 1 ms)"},
		{"V16", func(e *check.Evidence) { e.Trial.Host.GCPauseNS = 900_000_000 }, failed, pgassay.SeverityWarning,
			"the load generator paused 1.5 % of the time to collect garbage (limit 1 %)"},
		{"V16", func(e *check.Evidence) { e.Trial.Use.ClientCPUS = -1 }, unknown, pgassay.SeverityWarning, "the generator's CPU time was not read"},

		{"V20", nil, passed, pgassay.SeverityTrial, "6 of 60,006 transactions failed, 0.01 % (limit 0.1 %)"},
		{"V20", func(e *check.Evidence) { e.Trial.Scripts[0].Failed = 600; e.Trial.Scripts[0].Errors["40P01"] = 600 }, failed, pgassay.SeverityTrial,
			"600 of 60,600 transactions failed, 0.99 % (limit 0.1 %): 40P01 × 600; first: deadlock detected"},
		{"V20", func(e *check.Evidence) { e.Trial.Scripts = nil }, unknown, pgassay.SeverityTrial, "no transaction ended within the measurement"},

		{"V22", nil, passed, pgassay.SeverityExperiment, "60,000 transactions (needed: 2,000)"},
		{"V22", func(e *check.Evidence) { e.Trial.Scripts[0].Transactions = 1999 }, failed, pgassay.SeverityExperiment, "1,999 transactions, and a trial needs 2,000"},
		{"V22", func(e *check.Evidence) {
			e.Experiment.Workload.Measure = pgassay.Measure{Transactions: 500}
			e.Trial.Scripts[0].Transactions = 500
		}, passed, pgassay.SeverityExperiment, "500 transactions, as many as the experiment asks for"},

		{"V29", nil, passed, pgassay.SeverityWarning, "other processes used 0 s of 120 CPU seconds, 0 % (limit 5 %)"},
		{"V29", func(e *check.Evidence) { e.Trial.Host.ForeignCPUS = 90 }, failed, pgassay.SeverityWarning,
			"other processes used 90 s of 120 CPU seconds, 75 % (limit 5 %)"},
		{"V29", func(e *check.Evidence) { e.Trial.Host.ForeignCPUS = -1 }, unknown, pgassay.SeverityWarning, "the CPU time of other processes is not known"},

		{"V35", nil, passed, pgassay.SeverityExperiment, "the server is version 160014, as in trial 1"},
		{"V35", func(e *check.Evidence) { e.Trial.Settings[0].Setting = "160015" }, failed, pgassay.SeverityExperiment, "the server is version 160015, and that of trial 1 was 160014"},
		{"V35", func(e *check.Evidence) { e.Trial.Settings = e.Trial.Settings[1:] }, unknown, pgassay.SeverityExperiment, "the server's version was not read"},
	} {
		e := experiment()
		ev := check.Evidence{
			Experiment: e, Trial: goodTrial(e, pgassay.TrialOrder{Number: 3, Block: 1, Position: 2, Arm: 1, Load: 1, Attempt: 1}),
			Reference: goodTrial(e, pgassay.TrialOrder{Number: 1, Block: 1, Attempt: 1}),
		}
		if c.change != nil {
			c.change(&ev)
		}
		got := find(check.Trial(ev), c.id)
		if len(got) != 1 || got[0].Trial != 3 || got[0].Load != 1 || len(got[0].Arms) != 1 || got[0].Arms[0] != 1 {
			t.Errorf("%s: got %+v, want one result about trial 3, arm 1, load 1", c.id, got)
			continue
		}
		want(t, c.id, got[0], c.status, c.severity, c.message)
	}
}
