package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/pgassay/pgassay/experiments"
)

type listCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help shows an example.
func (listCmd) Help() string {
	return "Example:\n\n  pgassay list\n  pgassay init quick > my.yaml"
}

// Run lists what is built in.
func (c *listCmd) Run(a *app) error {
	entries := experiments.List()
	if c.JSON {
		return a.printJSON(map[string]any{"schema_version": 1, "builtin": entries})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	last := ""
	for _, e := range entries {
		if e.Kind != last {
			if last != "" {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%ss\n", e.Kind)
			last = e.Kind
		}
		fmt.Fprintf(w, "  %s\t%s\n", e.Name, e.Description)
	}
	return w.Flush()
}
