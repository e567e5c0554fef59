package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/experiment"
	"github.com/pgassay/pgassay/internal/lab"
	"github.com/pgassay/pgassay/internal/observe/host"
	"github.com/pgassay/pgassay/internal/server"
	"github.com/pgassay/pgassay/internal/server/binaries"
)

// bench is what an experiment runs on: builds and a home for servers of our
// own, or one attached server.
type bench struct {
	app *app
	// builds are the distinct ones, byArm one per arm.
	builds   []pgassay.Build
	byArm    []pgassay.Build
	user     *server.User
	home     *server.Home
	attached *server.Attached
	made     *createdTarget
}

// kind is how the run file names it.
func (b *bench) kind() string {
	if b.attached != nil {
		return "attached"
	}
	return "created"
}

// benchFor finds the builds that the experiment's arms need and opens the
// home, or attaches to the user's server.
func (a *app) benchFor(ctx context.Context, f *experimentFlags, e *pgassay.Experiment, say func(string)) (*bench, error) {
	if f.attaches() {
		return a.attachedBench(ctx, f, e, say)
	}
	if runtime.GOOS != "linux" {
		return nil, pgassay.WithHint(fmt.Errorf("%w: experiments run on Linux; this is %s", pgassay.ErrUsage, runtime.GOOS),
			"Reports can be made anywhere: pgassay report DIR.")
	}
	b := &bench{app: a}
	home, err := server.HomeDir(a.env, os.Geteuid())
	if err != nil {
		return nil, err
	}
	if b.user, err = server.ChooseUser(f.PgUser, os.Geteuid()); err != nil {
		return nil, err
	}
	if b.user.Warning != "" {
		say("note: " + b.user.Warning)
	}
	if b.home, err = server.OpenHome(home, b.user); err != nil {
		return nil, err
	}
	for i := range e.Arms {
		build, err := a.chooseBuild(ctx, f, e, &e.Arms[i], home, say)
		if err != nil {
			return nil, err
		}
		if build, err = b.complete(ctx, build); err != nil {
			return nil, err
		}
		b.byArm = append(b.byArm, build)
	}
	return b, nil
}

// chooseBuild finds the build for an arm: the arm's own wish wins over the
// command line's, and that over the experiment's. When there is none at all,
// one is fetched.
func (a *app) chooseBuild(ctx context.Context, f *experimentFlags, e *pgassay.Experiment, arm *pgassay.Arm, home string, say func(string)) (pgassay.Build, error) {
	bin, constraint := f.PgBin, e.Server.Postgres
	if f.Postgres != "" {
		constraint = f.Postgres
	}
	if arm.Postgres != "" {
		constraint = arm.Postgres
	}
	if arm.PgBin != "" {
		bin = arm.PgBin
	}
	builds, err := binaries.Find(ctx, binaries.Options{PgBin: bin, Env: a.env, CacheDir: home})
	if err != nil {
		return pgassay.Build{}, err
	}
	if len(builds) == 0 && bin == "" {
		say("no PostgreSQL is installed here; fetching one with npm (pgassay postgres install does the same)")
		build, err := binaries.Install(ctx, newestWanted(constraint), home, say)
		if err != nil {
			return pgassay.Build{}, err
		}
		builds = append(builds, build)
	}
	return binaries.Choose(builds, constraint)
}

// newestWanted is the newest major version that a constraint allows.
func newestWanted(constraint string) string {
	c, err := binaries.ParseConstraint(constraint)
	if err != nil {
		return "18" // Choose reports the fault
	}
	for major := 18; major > binaries.OldestMajor; major-- {
		if c.Fits(major*10000 + 99) {
			return fmt.Sprint(major)
		}
	}
	return fmt.Sprint(binaries.OldestMajor)
}

// complete adds the facts that only a running server knows, once per build.
func (b *bench) complete(ctx context.Context, build pgassay.Build) (pgassay.Build, error) {
	for _, known := range b.builds {
		if known.BinDir == build.BinDir {
			return known, nil
		}
	}
	build, err := binaries.Describe(ctx, build)
	if err != nil {
		return build, err
	}
	c, err := b.home.Catalogue(ctx, build)
	if err != nil {
		return build, err
	}
	binaries.FactsFromSettings(&build, c.Settings, c.VersionString, c.JIT)
	b.builds = append(b.builds, build)
	return build, nil
}

// attachedBench attaches to the user's server and puts back what a dead run
// left changed there.
func (a *app) attachedBench(ctx context.Context, f *experimentFlags, e *pgassay.Experiment, say func(string)) (*bench, error) {
	if f.Postgres != "" || f.PgBin != "" {
		return nil, pgassay.WithHint(fmt.Errorf("%w: --postgres and --pg-bin choose a build for a server of our own; here a server is named", pgassay.ErrUsage), "Leave one of the two out.")
	}
	target, err := f.target(a)
	if err != nil {
		return nil, err
	}
	home, err := server.HomeDir(a.env, os.Geteuid())
	if err != nil {
		return nil, err
	}
	journal := journalDir(home)
	if f.AllowSettings {
		restored, err := server.RestorePending(ctx, target, journal)
		if err != nil {
			return nil, err
		}
		for _, r := range restored {
			say(fmt.Sprintf("put back what an interrupted run had changed on %s: %d setting(s)", r.Server, len(r.Changes)))
		}
	}
	attached, err := server.Attach(ctx, target, server.AttachOptions{Load: f.LoadThisServer, Settings: f.AllowSettings, JournalDir: journal})
	if err != nil {
		return nil, err
	}
	b := &bench{app: a, attached: attached, builds: []pgassay.Build{attached.Build()}}
	for _, arm := range e.Arms {
		if arm.Postgres != "" || arm.PgBin != "" {
			return nil, pgassay.WithHint(fmt.Errorf("%w: arm %s chooses a PostgreSQL build; an attached server has just one", pgassay.ErrUsage, arm.Name), "Run it on servers of our own: leave the connection out.")
		}
		if err := attached.MayChange(arm.Settings); err != nil {
			return nil, err
		}
		b.byArm = append(b.byArm, attached.Build())
	}
	return b, nil
}

// hold holds the experiment's values against every build that will run them.
func (b *bench) hold(ctx context.Context, f *experiment.File) error {
	if b.attached != nil {
		return f.CheckServer(experiment.Knowledge{Build: b.attached.Build(), Settings: b.attached.Settings(), Attached: true})
	}
	if f.Experiment.Server.MemoryLimitBytes > 0 {
		if err := server.CanLimitMemory(); err != nil {
			return err
		}
	}
	raise := 0
	for _, build := range b.builds {
		c, err := b.home.Catalogue(ctx, build)
		if err != nil {
			return err
		}
		k := experiment.Knowledge{Build: build, Settings: c.Settings}
		for i, other := range b.byArm {
			if other.BinDir == build.BinDir {
				k.Arms = append(k.Arms, i)
			}
		}
		if err := b.holdBuild(ctx, f, k); err != nil {
			return err
		}
		if err := b.tryStarts(ctx, f.Experiment, k); err != nil {
			return err
		}
		for _, s := range c.Settings {
			if s.Name == "max_connections" {
				if _, err := fmt.Sscan(s.Setting, &raise); err != nil {
					return fmt.Errorf("read max_connections: %w", err)
				}
			}
		}
	}
	f.RaiseConnections(raise)
	return nil
}

// holdBuild tries storage parameters on the dataset's empty tables, where the
// dataset's schema is known without loading it.
func (b *bench) holdBuild(ctx context.Context, f *experiment.File, k experiment.Knowledge) error {
	e := f.Experiment
	for _, i := range k.Arms {
		arm := e.Arms[i]
		if len(arm.Tables) == 0 || arm.Dataset.Schema == "" {
			continue
		}
		return b.home.TrySchema(ctx, k.Build, arm.Dataset.Schema, func(tables []pgassay.Relation, try func(table, name, value string) error) error {
			k.Tables, k.TryStorage = tables, try
			return f.CheckServer(k)
		})
	}
	return f.CheckServer(k)
}

// tryStarts starts an empty server once for each set of settings that act at
// the start, and refuses settings that our servers need for themselves: better
// now than in the middle of the first block.
func (b *bench) tryStarts(ctx context.Context, e *pgassay.Experiment, k experiment.Knowledge) error {
	atStart := map[string]bool{}
	for _, s := range k.Settings {
		atStart[s.Name] = s.Context == "postmaster"
	}
	tried := map[string]bool{"": true}
	for _, i := range k.Arms {
		var settings []pgassay.Setting
		for _, s := range e.Arms[i].Settings {
			if why := server.Reserved(s.Name); why != "" {
				return pgassay.WithHint(fmt.Errorf("%w: arm %s: %s cannot be set: %s", pgassay.ErrUsage, e.Arms[i].Name, s.Name, why), "Take it out of the experiment.")
			}
			if atStart[s.Name] {
				settings = append(settings, s)
			}
		}
		key := ""
		if len(settings) > 0 {
			key = fmt.Sprint(settings)
		}
		if tried[key] {
			continue
		}
		tried[key] = true
		if err := b.home.TryStart(ctx, k.Build, settings); err != nil {
			return pgassay.WithHint(fmt.Errorf("%w: arm %s: %w", pgassay.ErrUsage, e.Arms[i].Name, err), pgassay.Hint(err))
		}
	}
	return nil
}

// fingerprint describes host and builds.
func (b *bench) fingerprint(ctx context.Context) (pgassay.Fingerprint, error) {
	dir := ""
	if b.home != nil {
		dir = b.home.Dir()
	}
	f := host.Fingerprint(ctx, dir, toolVersion())
	f.Builds = b.builds
	f.Options = map[string]string{"protocol": "prepared", "clients": "on the server's host"}
	if b.user != nil {
		f.Options["server_user"], f.Options["connection"] = b.user.Name, "unix socket"
	}
	if b.attached != nil {
		f.Options["connection"] = b.attached.Target().Address()
		if !b.attached.Target().IsSocket() {
			f.Options["clients"] = "over the network"
		}
	}
	return f, nil
}

// open makes the lab's view of the bench.
func (b *bench) open(ctx context.Context, e *pgassay.Experiment, dir *runDir, keep bool) (lab.Target, lab.Observer, error) {
	if b.attached != nil {
		if keep {
			return nil, nil, pgassay.WithHint(fmt.Errorf("%w: --keep is for servers of our own", pgassay.ErrUsage), "Your server stays up anyway; leave --keep out.")
		}
		return &attachedTarget{server: b.attached, reset: e.Design.Reset}, watcher{}, nil
	}
	b.made = &createdTarget{bench: b, experiment: e, log: dir.file("server.log.part"), keep: keep, templates: map[string]*server.Template{}}
	return b.made, watcher{serverLog: dir.file("server.log")}, nil
}

// closeLimit bounds putting things back on a server that may not answer.
const closeLimit = 60 * time.Second

// close puts back what was changed and lets a kept server go.
func (b *bench) close(say func(string)) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	var errs []error
	if b.attached != nil {
		errs = append(errs, b.attached.Restore(ctx))
	}
	if b.made != nil {
		errs = append(errs, b.made.close(ctx, say))
	}
	return errors.Join(errs...)
}

// versions lists the distinct builds' versions, for people.
func (b *bench) versions() []string {
	var out []string
	for _, build := range b.builds {
		out = append(out, build.Version)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
