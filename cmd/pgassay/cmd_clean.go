package main

import (
	"context"
	"fmt"
	"os"

	"github.com/dustin/go-humanize"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server"
)

type cleanCmd struct {
	All     bool   `name:"all" help:"Remove every cached template and cluster that is not in use. The next run makes them again."`
	MaxSize string `name:"max-size" default:"20GB" placeholder:"SIZE" help:"Keep templates up to this size, the last used first (default 20GB)."`
	DryRun  bool   `name:"dry-run" short:"n" help:"Only say what would be removed."`
	PgUser  string `name:"pg-user" placeholder:"NAME" help:"As root: the user that servers run as."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Help shows an example.
func (cleanCmd) Help() string {
	return "Run directories are yours and are never touched; fetched PostgreSQL builds stay, too.\n\nExamples:\n\n  pgassay clean --dry-run\n  pgassay clean --all"
}

// Run removes what can be made again.
func (c *cleanCmd) Run(ctx context.Context, a *app) error {
	size, err := humanize.ParseBytes(c.MaxSize)
	if err != nil {
		return pgassay.WithHint(fmt.Errorf("%w: --max-size %s: not a size", pgassay.ErrUsage, c.MaxSize), "Example: --max-size 20GB")
	}
	dir, err := server.HomeDir(a.env, os.Geteuid())
	if err != nil {
		return err
	}
	user, err := server.ChooseUser(c.PgUser, os.Geteuid())
	if err != nil {
		return err
	}
	home, err := server.OpenHome(dir, user)
	if err != nil {
		return err
	}
	removed, err := home.Clean(ctx, server.CleanPolicy{MaxBytes: int64(size), All: c.All, DryRun: c.DryRun})
	if c.JSON {
		if jsonErr := a.printJSON(map[string]any{"schema_version": 1, "dry_run": c.DryRun, "removed": append([]server.Removed{}, removed...)}); jsonErr != nil {
			return jsonErr
		}
		return err
	}
	verb := "removed"
	if c.DryRun {
		verb = "would remove"
	}
	var sum int64
	for _, r := range removed {
		sum += r.Bytes
		fmt.Fprintf(a.stdout, "%s %s (%s): %s\n", verb, r.Path, humanize.IBytes(uint64(r.Bytes)), r.Why)
	}
	fmt.Fprintf(a.stdout, "%s %d, %s, in %s\n", verb, len(removed), humanize.IBytes(uint64(sum)), home.Dir())
	return err
}
