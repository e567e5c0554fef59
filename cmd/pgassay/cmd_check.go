package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/experiment/plan"
)

type checkCmd struct {
	experimentFlags `embed:""`
	JSON            bool `name:"json" help:"Print JSON."`
	Order           bool `name:"order" help:"Print every planned trial in its order."`
}

// Help shows an example.
func (checkCmd) Help() string {
	return `Reads the experiment, holds every setting against a server of the build that will run it (an empty one is started for this), compiles the scripts, and says how many trials, how long, how much disk, whether autovacuum has enough to do in every arm, and what effect the plan can detect. Nothing is measured and no data is loaded.

Examples:

  pgassay check my.yaml
  pgassay check autovacuum --profile full --postgres 16`
}

// Run checks an experiment.
func (c *checkCmd) Run(ctx context.Context, a *app) (err error) {
	if c.Experiment == "" {
		return pgassay.WithHint(fmt.Errorf("%w: which experiment?", pgassay.ErrUsage), "Example: pgassay check quick")
	}
	say := func(s string) { fmt.Fprintln(a.stderr, s) }
	p, err := a.prepare(ctx, &c.experimentFlags, say)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.bench.close(say)) }()
	if c.JSON {
		return c.printJSON(a, p)
	}
	for _, n := range p.file.Experiment.Notes {
		fmt.Fprintln(a.stdout, "note: "+n)
	}
	for _, line := range planLines(p.file.Experiment, p.plan, p.bench) {
		fmt.Fprintln(a.stdout, line)
	}
	if c.Order {
		e := p.file.Experiment
		for _, o := range plan.Planned(plan.FromExperiment(e)) {
			fmt.Fprintf(a.stdout, "%4d  block %d  %s  %s\n", o.Number, o.Block, oneLine(e.Arms[o.Arm].Name), e.Loads[o.Load].Name)
		}
	}
	if refusals := p.plan.Refusals(); len(refusals) > 0 {
		return pgassay.WithHint(fmt.Errorf("%w: the plan cannot answer the question:\n  %s", pgassay.ErrUsage, strings.Join(refusals, "\n  ")),
			"Change the numbers as said; `pgassay run --anyway` insists.")
	}
	_, err = fmt.Fprintln(a.stdout, "ok")
	return err
}

func (c *checkCmd) printJSON(a *app, p *prepared) error {
	type cell struct {
		Arm, Load, Table, Trigger, Verdict, Sentence string
		Threshold, Needed                            float64
	}
	e := p.file.Experiment
	var cells []cell
	for _, x := range p.plan.Cells {
		cells = append(cells, cell{e.Arms[x.Arm].Name, e.Loads[x.Load].Name, x.Table, fmt.Sprint(x.Trigger), string(x.Verdict), x.Sentence, x.Threshold, x.Needed})
	}
	var detectable []map[string]float64
	for _, d := range p.plan.Detectable {
		if !math.IsInf(d.Effect, 0) {
			detectable = append(detectable, map[string]float64{"sd": d.SD, "half_width": d.HalfWidth, "effect": d.Effect})
		}
	}
	return a.printJSON(map[string]any{
		"schema_version": 1, "name": e.Name, "arms": p.plan.Arms, "loads": p.plan.Loads, "blocks": p.plan.Blocks, "trials": p.plan.Trials,
		"wall_s": p.plan.Wall.Seconds(), "measure_s": e.Workload.Measure.Duration.Seconds(), "measure_unknown": p.plan.MeasureUnknown, "disk_bytes": p.plan.DiskBytes, "builds": p.bench.builds, "cells": cells, "detectable": detectable,
		"notes": append(append([]string{}, e.Notes...), p.plan.Notes...), "refusals": append([]string{}, p.plan.Refusals()...),
	})
}

// planLines says in lines what a run will take and what it can see.
func planLines(e *pgassay.Experiment, p plan.Estimation, b *bench) []string {
	lines := []string{
		fmt.Sprintf("%s: %s", e.Name, e.Question),
		fmt.Sprintf("PostgreSQL %s, %s server; %s × %s × %s = %s",
			strings.Join(b.versions(), ", "), map[string]string{"created": "a throw-away", "attached": "your"}[b.kind()],
			count(p.Arms, "arm"), count(p.Loads, "load level"), count(p.Blocks, "block"), count(p.Trials, "trial")),
	}
	about := "about " + duration(p.Wall)
	if p.MeasureUnknown {
		what := "transactions"
		if e.Workload.Measure.Cycles > 0 {
			what = "cycles"
		}
		about = "as long as the " + what + " take, and " + duration(p.Wall) + " around them"
	}
	disk := "up to " + humanize.IBytes(uint64(max(p.DiskBytes, 0))) + " of disk"
	if p.RowsUnknown {
		disk += " and the size of the data"
	}
	lines = append(lines, fmt.Sprintf("takes %s and %s; baseline: %s", about, disk, oneLine(e.Arms[e.Baseline].Name)))
	lines = append(lines, chooseLines(e, b.facts())...)
	lines = append(lines, detectLine(p))
	lines = append(lines, cellLines(e, p)...)
	return append(lines, p.Notes...)
}

// count writes a number with its noun: 1 block, 4 blocks.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// easyRate is a rate in transactions/s that any host reaches: that a cell needs
// less is not worth a line.
const easyRate = 1_000

// cellLines says which cells may not show what they are for. Cells of one arm
// whose sentences are equal but for the load level are one line.
func cellLines(e *pgassay.Experiment, p plan.Estimation) []string {
	var lines []string
	seen := map[string]bool{}
	for _, c := range p.Cells {
		easy := c.Verdict == plan.CellUnknown && c.TPSNeeded <= easyRate
		if c.Verdict == plan.CellOK || c.Sentence == "" || easy {
			continue
		}
		text := strings.ReplaceAll(c.Sentence, " at "+e.Loads[c.Load].Name, "")
		if !seen[text] {
			seen[text] = true
			lines = append(lines, fmt.Sprintf("%s: %s", c.Verdict, text))
		}
	}
	return lines
}

// detectLine says what the planned blocks can see.
func detectLine(p plan.Estimation) string {
	var parts []string
	for _, d := range p.Detectable {
		if math.IsInf(d.Effect, 0) {
			return fmt.Sprintf("%d block gives no interval: effects are described and not judged", p.Blocks)
		}
		parts = append(parts, fmt.Sprintf("≥ %.0f %% where trials scatter by %.1f %%", d.Effect*100, d.SD*100))
	}
	return "can see effects of " + strings.Join(parts, ", ")
}
