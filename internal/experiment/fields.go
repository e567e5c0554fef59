package experiment

import (
	"fmt"
	"time"

	"github.com/pgassay/pgassay"
)

// The field table. It is the only place where keys of the experiment file are
// named together with what they take: walk.go holds files against it and
// schema.go writes it as JSON Schema. A key is added with the work that makes
// it act.

// formatVersion is the only version of the format.
var formatVersion = &scalar{says: "1", check: func(text string) error {
	if text != "1" {
		return fmt.Errorf("is not a version that this pgassay reads")
	}
	return nil
}, schema: map[string]any{"const": 1}}

const variableName = `[A-Za-z_][A-Za-z0-9_]*`

var (
	settingValue  = &typ{scalar: anyValue("a value as in postgresql.conf")}
	settingName   = pattern("the name of a PostgreSQL setting", `[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_$]*)?`)
	variableValue = &typ{scalar: anyValue("a number or text")}

	settingsType  = &typ{others: settingValue, key: settingName, empty: true, says: "a map of settings"}
	variablesType = &typ{others: variableValue, key: pattern("a variable's name without $", variableName), empty: true, says: "a map of variables"}
	tablesType    = &typ{
		others: &typ{others: settingValue, key: pattern("the name of a storage parameter", `(?:toast\.)?[a-z_]+`), says: "a map of storage parameters"},
		key:    anyText("the name of a table"), empty: true, says: "a map of tables",
	}
	postgresType = &typ{scalar: postgresConstraint}
	sqlType      = &typ{list: &typ{scalar: anyText("an SQL statement")}, empty: true, says: "a list of SQL statements"}
)

// datasetFields are the keys of a dataset that do not depend on the built-in.
var datasetFields = []field{
	{key: "builtin", doc: "A built-in dataset; its parameters (rows, scale, …) stand beside it. `pgassay list` shows the datasets.", typ: &typ{scalar: pattern("the name of a built-in", `[a-z0-9-]+`)}},
	{key: "init", doc: "An SQL file, relative to this one, that creates and fills the tables.", typ: &typ{scalar: anyText("the name of an SQL file")}},
}

func datasetType(exactly []string) *typ {
	return &typ{fields: datasetFields, others: &typ{scalar: anyValue("a number")}, key: pattern("the name of a parameter", `[a-z][a-z0-9_]*`), exactly: exactly, says: "a map such as {builtin: events, rows: 300_000}"}
}

var scriptType = &typ{says: "a map such as {builtin: insert-batch, weight: 3}", exactly: []string{"builtin", "file", "sql"}, fields: []field{
	{key: "builtin", doc: "A built-in script; `pgassay list` shows them.", typ: &typ{scalar: pattern("the name of a built-in", `[a-z0-9-]+`)}},
	{key: "file", doc: "A file in pgbench's script language, relative to this one.", typ: &typ{scalar: anyText("the name of a script file")}},
	{key: "sql", doc: "The script itself, in pgbench's script language.", typ: &typ{scalar: anyText("a script")}},
	{key: "weight", doc: "Its share of transactions, relative to the other scripts.", def: "1", typ: &typ{scalar: integer(1, 1_000_000)}},
	{key: "variables", doc: "Variables of this script; they override the workload's.", typ: variablesType},
}}

var clientCount = &typ{scalar: integer(1, 10_000)}

var workloadType = &typ{says: "a map with scripts and clients", fields: []field{
	{key: "scripts", doc: "The transaction scripts; each transaction picks one by weight.", required: true, typ: &typ{list: scriptType, says: "a list of scripts"}},
	{key: "variables", doc: "Variables of all scripts.", typ: variablesType},
	{key: "clients", doc: "Load levels: numbers of clients. Each arm is tried at each level.", required: true, typ: &typ{list: clientCount, scalar: clientCount.scalar, says: "a list of numbers of clients"}},
	{key: "warmup", doc: "Time under load before measuring.", def: "10s", typ: &typ{scalar: duration(0)}},
	{key: "measure", doc: "How long each trial is measured.", def: "60s", typ: measureType},
}}

var armType = &typ{null: true, says: "a map of what this arm changes", fields: []field{
	{key: "extends", doc: "Another named arm, whose values this one starts from.", typ: &typ{scalar: anyText("an arm's name")}},
	{key: "postgres", doc: "The PostgreSQL version of this arm.", typ: postgresType},
	{key: "pg_bin", doc: "A directory with this arm's PostgreSQL binaries.", typ: &typ{scalar: anyText("a directory")}},
	{key: "settings", doc: "PostgreSQL settings of this arm; they override the server's.", typ: settingsType},
	{key: "tables", doc: "Storage parameters by table (table, schema.table); toast.NAME for the TOAST table.", typ: tablesType},
	{key: "variables", doc: "Script variables of this arm; they override the scripts'.", typ: variablesType},
	{key: "dataset", doc: "What this arm's dataset has different: parameters, or another dataset.", typ: datasetType(nil)},
	{key: "sql", doc: "Statements run once, after the arm's data is loaded.", typ: sqlType},
}}

func metricNames() []string {
	var names []string
	for _, m := range pgassay.Metrics {
		names = append(names, string(m.Name))
	}
	return names
}

var designType = &typ{says: "a map", empty: true, fields: []field{
	{key: "kind", doc: "Which arms the factors make: every combination.", def: "factorial", typ: &typ{scalar: oneOf("factorial")}},
	{key: "exclude", doc: "Combinations that are left out: maps of a factor to a level, a list of levels, or any.", typ: &typ{empty: true, says: "a list of maps", list: &typ{
		says: "a map of a factor to a level", others: &typ{scalar: anyValue("a level, or any"), list: settingValue}, key: anyText("a factor"),
	}}},
	{key: "baseline", doc: "What the other arms are compared with: an arm's name or a level for each factor. Default: the first level of each factor, else the first arm.", typ: &typ{scalar: anyText("an arm's name"), others: settingValue, key: anyText("a factor"), says: "an arm's name, or a map of factors to levels"}},
	{key: "stop", doc: "When the run is over.", def: "{}", typ: &typ{says: "a map such as {fixed: 4}", fields: []field{
		{key: "fixed", doc: "After this many blocks; a block is every arm at every load level once.", def: "4", typ: &typ{scalar: integer(1, 1000)}},
	}}},
	{key: "primary", doc: "The one comparison that decides; all others are exploratory.", def: "{}", typ: &typ{says: "a map such as {metric: response_p99, level: 100}", fields: []field{
		{key: "metric", doc: "A metric.", def: "tps", typ: &typ{scalar: oneOf(metricNames()...)}},
		{key: "level", doc: "The number of clients of one load level. Default: the highest.", typ: clientCount},
	}}},
	{key: "detect", doc: "The effect that you want to be able to see.", def: "5%", typ: &typ{scalar: fraction(0, 10)}},
	{key: "delta", doc: "The margin within which two arms count as equivalent. Default: half of detect.", typ: &typ{scalar: fraction(0, 10)}},
	{key: "alpha", doc: "The error rate of the primary comparison.", def: "0.05", typ: &typ{scalar: fraction(0, 0.5)}},
	{key: "seed", doc: "Feeds the order of trials and the clients' random numbers.", def: "1", typ: &typ{scalar: integer(0, 1<<62)}},
	{key: "reset", doc: "How a trial gets its starting state: restored from a template, or not at all.", def: "restore", typ: &typ{scalar: oneOf("restore", "none")}},
	{key: "budget", doc: "The longest the run may take.", typ: &typ{scalar: duration(time.Second)}},
}}

var serverType = &typ{says: "a map", empty: true, fields: []field{
	{key: "postgres", doc: `Which PostgreSQL, such as 16 or ">=14".`, typ: postgresType},
	{key: "settings", doc: "PostgreSQL settings, the same in every arm. Memory may be a share of the usable memory: 25%, min(2GB, 25%).", typ: settingsType},
	{key: "limits", doc: "What the server may use.", typ: &typ{says: "a map such as {memory: 2GB}", fields: []field{
		{key: "memory", doc: "The server's memory limit (cgroup).", typ: &typ{scalar: size(64 << 20)}},
	}}},
}}

// experimentType is the root of the table.
var experimentType = &typ{says: "a map that starts with version: 1", fields: append(profileFields(),
	field{key: "profiles", doc: "Variants: each is merged over the file when chosen with --profile. Maps merge, lists and values replace, null deletes.", typ: &typ{
		others: &typ{fields: profileFields()[1:], says: "a map like the file itself", empty: true}, key: pattern("a profile's name", `[A-Za-z0-9][A-Za-z0-9._-]*`), empty: true, says: "a map of profiles",
	}})}

// profileFields are the keys of the file without profiles; version is first.
func profileFields() []field {
	return []field{
		{key: "version", doc: "The version of this format: 1.", required: true, typ: &typ{scalar: formatVersion}},
		{key: "name", doc: "A short name; the run's directory is named after it.", required: true, typ: &typ{scalar: pattern("a short name of letters, digits, . _ and -", `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`)}},
		{key: "question", doc: "What this experiment is to answer, in one sentence.", typ: &typ{scalar: anyText("a sentence")}},
		{key: "server", doc: "The server that all arms share.", def: "{}", typ: serverType},
		{key: "dataset", doc: "The data that a trial starts with.", required: true, typ: datasetType([]string{"builtin", "init"})},
		{key: "workload", doc: "What the clients do.", required: true, typ: workloadType},
		{key: "factors", doc: "What is varied: every combination of levels is an arm. A key is a setting, table.parameter, $variable, postgres or dataset.parameter.", typ: &typ{others: &typ{list: settingValue, says: "a list of levels"}, key: anyText("a factor"), empty: true, says: "a map of factors to levels"}},
		{key: "arms", doc: "Named arms, added to the factors' combinations.", typ: &typ{others: armType, key: anyText("an arm's name"), empty: true, says: "a map of arms"}},
		{key: "design", doc: "Order, stopping and what decides.", def: "{}", typ: designType},
	}
}
