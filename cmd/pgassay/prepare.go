package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/experiment"
	"github.com/pgassay/pgassay/internal/experiment/plan"
	"github.com/pgassay/pgassay/internal/load/script"
	"github.com/pgassay/pgassay/internal/server"
)

// experimentFlags name an experiment and the server it runs on. run and check
// share them.
type experimentFlags struct {
	Experiment string   `arg:"" optional:"" name:"EXPERIMENT" help:"A built-in experiment (see pgassay list) or a YAML file."`
	Profile    string   `name:"profile" placeholder:"NAME" help:"Merge this profile of the experiment."`
	Set        []string `name:"set" sep:"none" placeholder:"PATH=VALUE" help:"Change one value, such as dataset.rows=100000. May be repeated."`
	Postgres   string   `name:"postgres" placeholder:"VERSION" help:"Use a build that fits, such as 16 or '>=15 <18'."`
	PgBin      string   `name:"pg-bin" placeholder:"DIR" help:"Use the build in this directory."`
	PgUser     string   `name:"pg-user" placeholder:"NAME" help:"As root: run servers as this user (default postgres, else nobody)."`

	LoadThisServer bool `name:"load-this-server" group:"connection" help:"Work on your server instead of a throw-away one: it may be put under load."`
	AllowSettings  bool `name:"allow-settings" group:"connection" help:"Settings of your server may be changed for the run; they are put back."`
	connectFlags   `embed:""`
}

// attaches says whether the user wants their own server. PG* variables alone do
// not mean it: they are often set for other reasons.
func (f *experimentFlags) attaches() bool {
	return f.LoadThisServer || f.AllowSettings || f.given()
}

// prepared is an experiment that was held against the server that will run it.
type prepared struct {
	bench *bench
	file  *experiment.File
	plan  plan.Estimation
}

// prepare reads an experiment, finds or attaches its server and holds one
// against the other.
func (a *app) prepare(ctx context.Context, f *experimentFlags, say func(string)) (p *prepared, err error) {
	memory := server.UsableMemory()
	file, err := readExperiment(f.Experiment, experiment.Options{Profile: f.Profile, Sets: f.Set, MemoryBytes: memory})
	if err != nil {
		return nil, err
	}
	e := file.Experiment
	if err := compileScripts(e); err != nil {
		return nil, err
	}
	b, err := a.benchFor(ctx, f, e, say)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close(say))
		}
	}()
	p = &prepared{file: file, bench: b}
	if err := p.bench.hold(ctx, file); err != nil {
		return nil, err
	}
	p.plan = plan.Estimate(e, p.bench.facts())
	return p, nil
}

// compileScripts finds faults in scripts before anything is started. Arms may
// define variables, so each arm's workload is compiled.
func compileScripts(e *pgassay.Experiment) error {
	var units []script.Unit
	for _, s := range e.Workload.Scripts {
		parsed, err := script.Parse(s.Name, s.Text)
		if err != nil {
			return fmt.Errorf("%w: %w", pgassay.ErrUsage, err)
		}
		units = append(units, script.Unit{Script: parsed, Weight: s.Weight, Variables: s.Variables})
	}
	for _, arm := range e.Arms {
		shared := append(slices.Clone(e.Workload.Variables), arm.Variables...)
		if _, err := script.Compile(units, shared); err != nil {
			return fmt.Errorf("%w: arm %s: %w", pgassay.ErrUsage, arm.Name, err)
		}
	}
	return nil
}

// announce prints what the run will take and refuses what cannot answer the
// question, unless the user insists.
func (p *prepared) announce(say func(string), anyway bool) error {
	for _, line := range planLines(p.file.Experiment, p.plan, p.bench) {
		say(line)
	}
	refusals := p.plan.Refusals()
	if len(refusals) == 0 {
		return nil
	}
	text := "the plan cannot answer the question:\n  " + strings.Join(refusals, "\n  ")
	if anyway {
		say("going on all the same (--anyway): " + text)
		return nil
	}
	return pgassay.WithHint(fmt.Errorf("%w: %s", pgassay.ErrUsage, text), "Change the numbers as said, or insist with --anyway.")
}

// facts is what is known of this host before a run.
func (b *bench) facts() plan.Facts {
	f := plan.Facts{Major: b.byArm[0].Major}
	if b.home != nil {
		var st syscall.Statfs_t
		if err := syscall.Statfs(b.home.Dir(), &st); err == nil {
			f.FreeDiskBytes = int64(st.Bavail) * int64(st.Bsize)
		}
	}
	return f
}

// sameBuilds refuses to go on with a run on other builds than it began with.
func (b *bench) sameBuilds(prints []pgassay.Fingerprint) error {
	if len(prints) == 0 {
		return nil
	}
	versions := func(builds []pgassay.Build) []string {
		var out []string
		for _, build := range builds {
			out = append(out, build.Version+" "+build.BinDir)
		}
		slices.Sort(out)
		return out
	}
	before, now := versions(prints[len(prints)-1].Builds), versions(b.builds)
	if slices.Equal(before, now) {
		return nil
	}
	return pgassay.WithHint(fmt.Errorf("%w: the run began with PostgreSQL %s, here is %s", pgassay.ErrUsage, strings.Join(before, ", "), strings.Join(now, ", ")),
		"Trials of two builds cannot be compared: choose the same one with --pg-bin, or begin a new run.")
}
