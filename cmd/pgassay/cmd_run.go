package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/lab"
	"github.com/pgassay/pgassay/internal/lab/store"
)

type runCmd struct {
	experimentFlags `embed:""`
	Output          string   `name:"output" short:"o" placeholder:"DIR" help:"Run directory, new or empty. Default: pgassay-runs/NAME-TIMESTAMP."`
	Resume          string   `name:"resume" placeholder:"DIR" help:"Go on with the run in DIR. Trials that were finished are not made again."`
	Anyway          bool     `name:"anyway" help:"Run even though the plan says that it cannot answer the question."`
	Keep            bool     `name:"keep" help:"Leave the last trial's server running and say how to connect to it."`
	JSON            bool     `name:"json" help:"Print results.json to stdout at the end."`
	Progress        string   `name:"progress" enum:"auto,plain,tui,json,none" default:"auto" help:"How to show progress on stderr: auto, plain, tui, json, none."`
	FailOn          []string `name:"fail-on" placeholder:"VERDICT" enum:"improved,regressed,equivalent,inconclusive,invalid" help:"Exit with 3 when a primary comparison has this verdict."`
}

// Help shows examples.
func (runCmd) Help() string {
	return `Creates a throw-away server, loads the data once, and then makes every trial on a fresh copy of it: arms in seeded random blocks, settings confirmed by the server, results in a run directory with report.html, report.md, results.json, results.csv and run.db. Nothing of a server stays behind.

With --load-this-server (and --dsn, psql's flags or PG* variables) it works on your server instead: load only there, settings only with --allow-settings, everything put back at the end.

Examples:

  pgassay run quick
  pgassay run autovacuum --profile full --set design.budget=4h
  pgassay run my.yaml --postgres 16 --output results/first
  pgassay run --resume results/first`
}

// Run runs or resumes an experiment.
func (c *runCmd) Run(ctx context.Context, a *app) error {
	if c.Resume != "" && c.Experiment != "" {
		return pgassay.WithHint(fmt.Errorf("%w: --resume takes no experiment: the run directory holds it", pgassay.ErrUsage),
			"pgassay run --resume "+c.Resume)
	}
	if c.Resume == "" && c.Experiment == "" {
		return pgassay.WithHint(fmt.Errorf("%w: which experiment?", pgassay.ErrUsage), "`pgassay run quick` is a good first one; `pgassay list` shows all.")
	}
	r := &running{app: a, cmd: c}
	in := watchInterrupts(ctx, r.say)
	defer in.stop()
	r.in = in
	err := r.whole(in.ctx)
	if in.was() {
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errInterrupted) {
			return &coded{code: exitInterrupted, err: err}
		}
		return &coded{code: exitInterrupted, err: fmt.Errorf("interrupted%s", r.resumeHint())}
	}
	return err
}

// running is one invocation of `pgassay run`.
type running struct {
	*app
	cmd    *runCmd
	in     *interrupts
	bench  *bench
	dir    *runDir
	store  *store.Store
	screen screen
	exp    *pgassay.Experiment
	prior  []*pgassay.TrialRecord
	chosen string // how the length of the trials was chosen, "" when the file says it
}

// say tells the user something beside the progress.
func (r *running) say(text string) {
	if r.screen != nil {
		r.screen.say(text)
		return
	}
	fmt.Fprintln(r.stderr, text)
}

func (r *running) resumeHint() string {
	if r.dir == nil {
		return "; nothing was left behind"
	}
	return "; go on with: pgassay run --resume " + r.dir.path
}

// whole prepares, runs and reports. Everything it opens is closed when it
// returns.
func (r *running) whole(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, r.close()) }()
	if r.cmd.Resume != "" {
		err = r.resume(ctx)
	} else {
		err = r.begin(ctx)
	}
	if err != nil {
		return err
	}
	ending, err := r.execute(ctx)
	if err != nil {
		return r.ended(ctx, ending, err)
	}
	if err := r.store.Finish(context.WithoutCancel(ctx), time.Now(), ending.Reason, ending.Complete); err != nil {
		return err
	}
	return r.report(context.WithoutCancel(ctx), ending)
}

// begin reads the experiment, holds it against the server and makes the run
// directory.
func (r *running) begin(ctx context.Context) error {
	p, err := r.prepare(ctx, &r.cmd.experimentFlags, r.say)
	if err != nil {
		return err
	}
	r.bench, r.exp = p.bench, p.file.Experiment
	r.screen = r.newScreen(r.cmd.Progress, r.exp)
	for _, w := range p.file.Experiment.Notes {
		r.say("note: " + w)
	}
	if err := r.calibrate(ctx, p); err != nil {
		return err
	}
	if err := p.announce(r.say, r.cmd.Anyway); err != nil {
		return err
	}
	if r.dir, err = createRunDir(r.cmd.Output, r.exp.Name, time.Now()); err != nil {
		return err
	}
	if err := os.WriteFile(r.dir.file("experiment.yaml"), p.file.Resolved(), 0o644); err != nil {
		return fmt.Errorf("write experiment: %w", err)
	}
	if err := writeAttached(r.dir.path, p.file.Attached); err != nil {
		return err
	}
	files := map[string][]byte{"experiment.yaml": p.file.Resolved(), "original.yaml": p.file.Text}
	for name, content := range p.file.Attached {
		files["files/"+name] = content
	}
	r.store, err = store.Create(ctx, r.dir.database(), store.Header{
		ID: filepath.Base(r.dir.path), Started: time.Now(), Tool: toolVersion(), Command: commandLine(os.Args),
		Target: r.bench.kind(), Experiment: r.exp, Files: files,
	})
	if err != nil {
		return err
	}
	if r.chosen != "" {
		if err := r.store.Decide(ctx, "measure", r.chosen, time.Now()); err != nil {
			return err
		}
	}
	r.say("run directory: " + r.dir.path)
	return nil
}

// writeAttached keeps the files that the experiment names in files/.
func writeAttached(dir string, files map[string][]byte) error {
	for name, content := range files {
		path := filepath.Join(dir, "files", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
	}
	return nil
}

// resume opens a run directory and finds out what is left to do.
func (r *running) resume(ctx context.Context) (err error) {
	if r.dir, err = openRunDir(r.cmd.Resume); err != nil {
		return err
	}
	if r.store, err = store.Open(ctx, r.dir.database()); err != nil {
		return err
	}
	n, err := r.store.Recover(ctx, time.Now())
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	run, err := r.store.Read(ctx)
	if err != nil {
		return err
	}
	r.exp, r.prior = run.Experiment, run.Trials
	if r.bench, err = r.benchFor(ctx, &r.cmd.experimentFlags, r.exp, r.say); err != nil {
		return err
	}
	if run.Target != r.bench.kind() {
		return pgassay.WithHint(fmt.Errorf("%w: this run began on %s server", pgassay.ErrUsage, map[string]string{"created": "a created", "attached": "an attached"}[run.Target]),
			"Name the same server as in: "+run.Command)
	}
	if err := r.bench.sameBuilds(run.Fingerprints); err != nil {
		return err
	}
	r.screen = r.newScreen(r.cmd.Progress, r.exp)
	r.say(fmt.Sprintf("going on with %s: %d trials were finished, %d had not ended", r.dir.path, len(r.prior)-n, n))
	return nil
}

// execute carries out the plan.
func (r *running) execute(ctx context.Context) (lab.Ending, error) {
	now := time.Now
	fingerprint, err := r.bench.fingerprint(ctx)
	if err != nil {
		return lab.Ending{}, err
	}
	if err := r.store.AddEnvironment(ctx, fingerprint, now()); err != nil {
		return lab.Ending{}, err
	}
	target, observer, err := r.bench.open(ctx, r.exp, r.dir, r.cmd.Keep)
	if err != nil {
		return lab.Ending{}, err
	}
	local := &lab.Local{Experiment: r.exp, Target: target, Loader: loader{}, Observer: observer, Sink: r.screen.progress, Now: now}
	if err := local.Prepare(ctx); err != nil {
		return lab.Ending{Reason: err.Error()}, err
	}
	return lab.Execute(ctx, lab.Options{
		Experiment: r.exp, Runner: local, Recorder: r.store, Prior: r.prior, Finish: r.in.finish, Sink: r.screen.progress, Now: now,
	})
}

// ended stores how a run ended that could not go on, and makes the report of
// what was measured.
func (r *running) ended(ctx context.Context, ending lab.Ending, cause error) error {
	ctx = context.WithoutCancel(ctx)
	reason := ending.Reason
	if reason == "" {
		reason = dial.Redact(cause.Error())
	}
	err := r.store.Finish(ctx, time.Now(), reason, false)
	if err == nil {
		// A report of a part is a help, not a duty: without one trial there is none.
		if _, renderErr := render(ctx, r.store, true, r.dir.path); renderErr == nil {
			r.say("the report covers what was measured: " + r.dir.file("report.html"))
		}
	}
	if pgassay.Hint(cause) == "" && r.dir != nil {
		cause = pgassay.WithHint(cause, "What was measured is kept. Go on with: pgassay run --resume "+r.dir.path)
	}
	return errors.Join(cause, err)
}

// report makes the reports and prints the verdicts.
func (r *running) report(ctx context.Context, ending lab.Ending) error {
	result, err := render(ctx, r.store, true, r.dir.path)
	if err != nil {
		return err
	}
	r.screen.close()
	if err := r.printResult(result, r.cmd.JSON); err != nil {
		return err
	}
	fmt.Fprintf(r.stderr, "\nreport: %s\n", r.dir.file("report.html"))
	if !ending.Complete {
		fmt.Fprintf(r.stderr, "not complete (%s); go on with: pgassay run --resume %s\n", ending.Reason, r.dir.path)
	}
	return judge(result, r.cmd.FailOn)
}

// close gives everything back, in the reverse order of opening.
func (r *running) close() error {
	var errs []error
	if r.bench != nil {
		errs = append(errs, r.bench.close(r.say))
	}
	if r.screen != nil {
		r.screen.close()
	}
	if r.store != nil {
		errs = append(errs, r.store.Close())
	}
	if r.dir != nil {
		errs = append(errs, r.dir.close())
	}
	return errors.Join(errs...)
}

// commandLine writes a command as one would type it, without secrets.
func commandLine(args []string) string {
	quoted := []string{"pgassay"}
	for _, arg := range args[1:] {
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"$`\\*?[]{}()<>|&;#~!") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		quoted = append(quoted, arg)
	}
	return dial.Redact(strings.Join(quoted, " "))
}
