package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
	"github.com/pgassay/pgassay/internal/check"
	"github.com/pgassay/pgassay/internal/experiment/plan"
	"github.com/pgassay/pgassay/internal/lab/store"
	"github.com/pgassay/pgassay/internal/report"
)

// meaning analyses what a run file holds. Nothing else is looked at, so it
// gives the same result on any host at any time.
func meaning(run *store.Run) (*analyze.Result, error) {
	var fingerprint pgassay.Fingerprint
	if n := len(run.Fingerprints); n > 0 {
		fingerprint = run.Fingerprints[n-1]
	}
	checks := check.Run(check.RunEvidence{Experiment: run.Experiment, Trials: run.Trials, Planned: plan.Planned(plan.FromExperiment(run.Experiment))})
	stop := run.Stop
	if run.Ended.IsZero() {
		stop = "it has not ended: this is what was measured so far"
	}
	result, err := analyze.Analyze(analyze.Input{
		Experiment: run.Experiment,
		Run: analyze.RunInfo{
			ID: run.ID, Started: run.Started, Ended: run.Ended, Stop: stop, Complete: run.Complete,
			Tool: run.Tool, Command: run.Command, Target: run.Target,
		},
		Fingerprint: fingerprint, Trials: run.Trials, RunChecks: checks,
	})
	if err != nil {
		return nil, fmt.Errorf("analyse run: %w", err)
	}
	return result, nil
}

// derived is what the run file keeps of a result.
func derived(r *analyze.Result, checks []pgassay.CheckResult) store.Derived {
	d := store.Derived{Checks: checks, Comparisons: append(append([]pgassay.Comparison(nil), r.Comparisons...), r.MainEffects...)}
	for _, c := range r.Cells {
		for _, m := range c.Metrics {
			if m.Known {
				d.Estimates = append(d.Estimates, store.Estimate{Arm: c.Arm, Load: c.Load, Metric: m.Metric, Mean: m.Mean, Trials: len(m.Values)})
			}
		}
	}
	return d
}

// render makes every report of a run in dir. s may be open for reading only;
// then the derived tables stay as they are.
func render(ctx context.Context, s *store.Store, writable bool, dir string) (*analyze.Result, error) {
	run, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	if !measured(run.Trials) {
		return nil, pgassay.WithHint(fmt.Errorf("run %s has no trial that was measured to its end", run.ID),
			"There is nothing to report yet. Go on with it by `pgassay run --resume DIR`.")
	}
	result, err := meaning(run)
	if err != nil {
		return nil, err
	}
	if writable {
		if err := s.Derive(ctx, derived(result, result.Failures)); err != nil {
			return nil, fmt.Errorf("store what was derived: %w", err)
		}
	}
	if err := report.Write(dir, result, report.Options{}); err != nil {
		return nil, fmt.Errorf("write report: %w", err)
	}
	return result, nil
}

func measured(trials []*pgassay.TrialRecord) bool {
	for _, t := range trials {
		if t.Outcome == pgassay.OutcomeValid || t.Outcome == pgassay.OutcomeInvalid {
			return true
		}
	}
	return false
}

// printResult writes the result to stdout: a table, or JSON.
func (a *app) printResult(r *analyze.Result, asJSON bool) error {
	if asJSON {
		b, err := report.JSON(r)
		if err != nil {
			return err
		}
		_, err = a.stdout.Write(b)
		return err
	}
	o := report.TableOptions{Width: 100}
	if f, ok := a.stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		_, noColor := a.env("NO_COLOR")
		o.Color = !noColor
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			o.Width = w
		}
	}
	return report.Table(a.stdout, r, o)
}
