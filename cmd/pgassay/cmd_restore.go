package main

import (
	"context"
	"fmt"
	"os"

	"github.com/pgassay/pgassay/internal/server"
	"github.com/pgassay/pgassay/internal/server/journal"
)

type restoreCmd struct {
	connectFlags `embed:""`
	List         bool `name:"list" help:"Only show what would be put back, and where; connects to nothing."`
	JSON         bool `name:"json" help:"Print JSON."`
}

// Help shows an example.
func (restoreCmd) Help() string {
	return `A run that changes settings of your server notes each change on disk first and puts it back at its end. When it was killed in between, this command does so. A new run on the same server does it too.

Examples:

  pgassay restore --list
  pgassay restore -h db1 -U postgres`
}

// Run puts settings back.
func (c *restoreCmd) Run(ctx context.Context, a *app) error {
	home, err := server.HomeDir(a.env, os.Geteuid())
	if err != nil {
		return err
	}
	dir := journalDir(home)
	if c.List {
		return c.list(a, dir)
	}
	target, err := c.target(a)
	if err != nil {
		return err
	}
	restored, err := server.RestorePending(ctx, target, dir)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(map[string]any{"schema_version": 1, "restored": append([]server.Restored{}, restored...)})
	}
	if len(restored) == 0 {
		_, err := fmt.Fprintf(a.stdout, "nothing to put back on %s\n", target)
		return err
	}
	for _, r := range restored {
		for _, change := range r.Changes {
			fmt.Fprintf(a.stdout, "%s: %s\n", r.Server, change)
		}
	}
	return nil
}

// list shows the journals with pending changes.
func (c *restoreCmd) list(a *app, dir string) error {
	entries, err := journal.List(dir)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(map[string]any{"schema_version": 1, "pending": append([]journal.Entry{}, entries...)})
	}
	if len(entries) == 0 {
		_, err := fmt.Fprintln(a.stdout, "nothing is pending")
		return err
	}
	for _, e := range entries {
		state := "its run has ended"
		if e.Alive {
			state = "its run goes on and will put it back"
		}
		fmt.Fprintf(a.stdout, "%s (since %s, %s)\n", e.Server.Address, e.Opened.Format("2006-01-02 15:04:05"), state)
		for _, change := range e.Pending {
			fmt.Fprintf(a.stdout, "  %s\n", change.Undo())
		}
	}
	return nil
}
