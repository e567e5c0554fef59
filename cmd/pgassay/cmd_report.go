package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/pgassay/pgassay/internal/analyze"
	"github.com/pgassay/pgassay/internal/lab/store"
)

type reportCmd struct {
	Dir    string   `arg:"" name:"DIR" help:"A run directory."`
	Output string   `name:"output" short:"o" placeholder:"DIR" help:"Write the reports there instead of into the run directory."`
	JSON   bool     `name:"json" help:"Print results.json to stdout instead of the table."`
	FailOn []string `name:"fail-on" placeholder:"VERDICT" help:"Exit with 3 when a comparison has this verdict: improved, regressed, equivalent, inconclusive, invalid. May be repeated." enum:"improved,regressed,equivalent,inconclusive,invalid"`
}

// Help shows an example.
func (reportCmd) Help() string {
	return `Everything is made from DIR/run.db; nothing is measured and no server is needed. A run that is still going on can be looked at.

Example:

  pgassay report pgassay-runs/quick-20261201-101500`
}

// Run makes the reports of a run again.
func (c *reportCmd) Run(ctx context.Context, a *app) (err error) {
	result, err := c.render(ctx)
	if err != nil {
		return err
	}
	if err := a.printResult(result, c.JSON); err != nil {
		return err
	}
	return judge(result, c.FailOn)
}

func (c *reportCmd) render(ctx context.Context) (result *analyze.Result, err error) {
	out := c.Output
	if out == "" {
		out = c.Dir
	} else if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, fmt.Errorf("make report directory: %w", err)
	}
	dir, err := openRunDir(c.Dir)
	if err == nil {
		defer func() { err = errors.Join(err, dir.close()) }()
		s, openErr := store.Open(ctx, dir.database())
		if openErr == nil {
			defer func() { err = errors.Join(err, s.Close()) }()
			return render(ctx, s, true, out)
		}
	} else if !errors.Is(err, errDirInUse) {
		return nil, err
	}
	// A run that goes on, or a directory that we may only read.
	s, err := store.OpenReadOnly(ctx, c.Dir+"/run.db")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return render(ctx, s, false, out)
}
