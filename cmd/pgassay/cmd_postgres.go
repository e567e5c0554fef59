package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server"
	"github.com/pgassay/pgassay/internal/server/binaries"
)

type postgresCmd struct {
	List    postgresListCmd    `cmd:"" default:"withargs" help:"Show the builds on this host."`
	Install postgresInstallCmd `cmd:"" help:"Fetch a build with npm; needs no administrator rights."`
}

type postgresListCmd struct {
	PgBin string `name:"pg-bin" placeholder:"DIR" help:"Look at the build in this directory."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Help shows an example.
func (postgresListCmd) Help() string {
	return "Each build is started once on an empty cluster to ask it what was compiled in; the answer is kept.\n\nExample:\n\n  pgassay postgres list"
}

// Run lists the builds.
func (c *postgresListCmd) Run(ctx context.Context, a *app) error {
	dir, err := server.HomeDir(a.env, os.Geteuid())
	if err != nil {
		return err
	}
	builds, err := binaries.Find(ctx, binaries.Options{PgBin: c.PgBin, Env: a.env, CacheDir: dir})
	if err != nil {
		return err
	}
	if len(builds) == 0 {
		return pgassay.WithHint(fmt.Errorf("no PostgreSQL %d or newer was found on this host", binaries.OldestMajor), "Fetch one: pgassay postgres install 16")
	}
	builds = a.facts(ctx, dir, builds)
	return a.printBuilds(builds, c.JSON)
}

// facts asks each build what it can; one that does not start keeps what is
// known without starting it.
func (a *app) facts(ctx context.Context, dir string, builds []pgassay.Build) []pgassay.Build {
	user, err := server.ChooseUser("", os.Geteuid())
	if err == nil {
		var home *server.Home
		if home, err = server.OpenHome(dir, user); err == nil {
			b := &bench{app: a, home: home, user: user}
			for i := range builds {
				full, err := b.complete(ctx, builds[i])
				if err != nil {
					fmt.Fprintf(a.stderr, "note: PostgreSQL %s in %s was not asked: %v\n", builds[i].Version, builds[i].BinDir, err)
					continue
				}
				builds[i] = full
			}
			return builds
		}
	}
	fmt.Fprintf(a.stderr, "note: the builds were not started to ask them: %v\n", err)
	return builds
}

type postgresInstallCmd struct {
	Version string `arg:"" name:"VERSION" help:"A major version, such as 16, or a version, such as 16.14."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Help shows an example.
func (postgresInstallCmd) Help() string {
	return "The build comes through your own npm with its configuration. Such builds are made for size: no JIT, lz4 or zstd. Prefer your distribution's packages for results that matter.\n\nExample:\n\n  pgassay postgres install 16"
}

// Run fetches a build.
func (c *postgresInstallCmd) Run(ctx context.Context, a *app) error {
	dir, err := server.HomeDir(a.env, os.Geteuid())
	if err != nil {
		return err
	}
	build, err := binaries.Install(ctx, c.Version, dir, func(s string) { fmt.Fprintln(a.stderr, s) })
	if err != nil {
		return err
	}
	return a.printBuilds(a.facts(ctx, dir, []pgassay.Build{build}), c.JSON)
}

// printBuilds prints a table of builds, or JSON.
func (a *app) printBuilds(builds []pgassay.Build, asJSON bool) error {
	if asJSON {
		return a.printJSON(map[string]any{"schema_version": 1, "builds": builds})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "VERSION\tJIT\tLZ4\tZSTD\tIO\tFROM\tDIRECTORY")
	for _, b := range builds {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", b.Version, yes(b.JIT, b.Complete), yes(b.LZ4, b.Complete), yes(b.Zstd, b.Complete),
			orDash(strings.Join(b.IOMethods, ",")), b.Origin, b.BinDir)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, b := range builds {
		if b.VersionString != "" {
			fmt.Fprintf(a.stdout, "\n%s: %s\n", b.Version, b.VersionString)
		}
	}
	return nil
}

func yes(v, known bool) string {
	switch {
	case v:
		return "yes"
	case known:
		return "no"
	}
	return "?"
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
