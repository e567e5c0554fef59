package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/pgassay/pgassay"
)

type initCmd struct {
	From   string `arg:"" optional:"" default:"quick" name:"EXPERIMENT" help:"The built-in experiment to start from (see pgassay list)."`
	Output string `name:"output" short:"o" placeholder:"FILE" help:"Write there instead of to stdout. An existing file is not overwritten."`
}

// Help shows an example.
func (initCmd) Help() string {
	return "Example:\n\n  pgassay init quick -o my.yaml\n  pgassay check my.yaml\n  pgassay run my.yaml"
}

// Run writes a built-in experiment's file.
func (c *initCmd) Run(a *app) error {
	text, err := builtinExperiment(c.From)
	if err != nil {
		return err
	}
	if c.Output == "" {
		_, err := a.stdout.Write(text)
		return err
	}
	f, err := os.OpenFile(c.Output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, os.ErrExist) {
		return pgassay.WithHint(fmt.Errorf("%w: %s exists already", pgassay.ErrUsage, c.Output), "Choose another name; nothing was overwritten.")
	}
	if err != nil {
		return fmt.Errorf("write experiment: %w", err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write experiment: %w", err)
	}
	fmt.Fprintf(a.stderr, "wrote %s; next: pgassay check %s\n", c.Output, c.Output)
	return nil
}
