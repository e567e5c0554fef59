package main

import "github.com/pgassay/pgassay/internal/experiment"

type schemaCmd struct{}

// Help shows how editors use it.
func (schemaCmd) Help() string {
	return "Editors complete and check experiment files with it.\n\nExample:\n\n  pgassay schema > pgassay.schema.json\n\nand as the first line of the experiment file:\n\n  # yaml-language-server: $schema=pgassay.schema.json"
}

// Run prints the schema.
func (schemaCmd) Run(a *app) error {
	_, err := a.stdout.Write(experiment.Schema())
	return err
}
