package experiment_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/experiment"
)

// knowledge is what a PostgreSQL 15 would tell; kind is "created" or "attached".
func knowledge(kind string) experiment.Knowledge {
	k := experiment.Knowledge{
		Build: pgassay.Build{Version: "15.18", Major: 15},
		Settings: []pgassay.SettingState{
			{Name: "autovacuum_naptime", Unit: "s", VarType: "integer", Min: "1", Max: "2147483", Context: "sighup"},
			{Name: "autovacuum_vacuum_cost_delay", Unit: "ms", VarType: "real", Min: "-1", Max: "100", Context: "sighup"},
			{Name: "autovacuum_vacuum_insert_scale_factor", VarType: "real", Min: "0", Max: "100", Context: "sighup"},
			{Name: "autovacuum_vacuum_scale_factor", VarType: "real", Min: "0", Max: "100", Context: "sighup"},
			{Name: "commit_delay", VarType: "integer", Min: "0", Max: "100000", Context: "superuser"},
			{Name: "jit", VarType: "bool", Context: "user"},
			{Name: "max_connections", Setting: "100", VarType: "integer", Min: "1", Max: "262143", Context: "postmaster"},
			{Name: "random_page_cost", VarType: "real", Min: "0", Max: "1.79769e+308", Context: "user"},
			{Name: "server_version_num", VarType: "integer", Context: "internal"},
			{Name: "shared_buffers", Unit: "8kB", VarType: "integer", Min: "16", Max: "1073741823", Context: "postmaster"},
			{Name: "superuser_reserved_connections", Setting: "3", VarType: "integer", Min: "0", Max: "262143", Context: "postmaster"},
			{Name: "synchronous_commit", VarType: "enum", EnumValues: []string{"local", "remote_write", "remote_apply", "on", "off"}, Context: "user"},
			{Name: "wal_sync_method", VarType: "enum", EnumValues: []string{"fsync", "fdatasync", "open_sync", "open_datasync"}, Context: "sighup"},
			{Name: "work_mem", Unit: "kB", VarType: "integer", Min: "64", Max: "2147483647", Context: "user"},
		},
		Tables: []pgassay.Relation{{Schema: "public", Name: "events"}},
		TryStorage: func(_, name, value string) error {
			if name == "fillfactor" && value == "5" {
				return pgassay.WithHint(errors.New(`value 5 out of bounds for option "fillfactor"`), `Valid values are between "10" and "100".`)
			}
			if name == "autovacuum_vacuum_max_threshold" {
				return errors.New(`unrecognized parameter "autovacuum_vacuum_max_threshold"`)
			}
			return nil
		},
	}
	k.Attached = kind == "attached"
	return k
}

// TestCheckServerAccepts has values that PostgreSQL takes and a stricter check
// would not.
func TestCheckServerAccepts(t *testing.T) {
	for _, one := range []struct{ name, value, why string }{
		{"synchronous_commit", "true", "a hidden spelling of on"},
		{"JIT", "of", "an unambiguous beginning of off, and names ignore case"},
		{"wal_sync_method", "FSYNC", "enum values ignore case"},
		{"work_mem", "0.5GB", "a fraction with a unit"},
		{"work_mem", "65536", "a bare number is in kB"},
		{"shared_buffers", "130kB", "rounded to 16 blocks of 8 kB"},
		{"autovacuum_vacuum_cost_delay", "500us", "half a millisecond, of a real setting"},
		{"autovacuum_naptime", "1min", "60 s"},
		{"commit_delay", "1_000", "underscores are ours"},
		{"auto_explain.log_min_duration", "10ms", "an extension's setting is not in pg_settings before it is loaded"},
		{"random_page_cost", "1.1e0", "an exponent"},
	} {
		f := mustDecode(t, minimal+"server: {settings: {"+one.name+": "+one.value+"}}\n", options())
		if err := f.CheckServer(knowledge("created")); err != nil {
			t.Errorf("%s=%s (%s): %v", one.name, one.value, one.why, err)
		}
	}
}

// TestRaiseConnections: room for 200 clients and our own sessions, where the
// file does not say otherwise.
func TestRaiseConnections(t *testing.T) {
	text := strings.Replace(minimal, "[8, 2]", "[200]", 1) + "arms: {a: {}, b: {settings: {max_connections: 300}}}\n"
	f := mustDecode(t, text, options())
	if err := f.CheckServer(knowledge("created")); err != nil {
		t.Fatal(err)
	}
	if !f.RaiseConnections(100) || f.RaiseConnections(300) {
		t.Fatal("want max_connections raised from 100, not from 300")
	}
	e := f.Experiment
	if got := e.Arms[0].Settings; len(got) != 1 || got[0].Value != "220" || e.Arms[1].Settings[0].Value != "300" || len(e.Notes) != 1 {
		t.Errorf("got %v, %v, notes %q", got, e.Arms[1].Settings, e.Notes)
	}
	again := mustDecode(t, string(f.Resolved()), options())
	if diff := sameExperiment(e, again.Experiment); diff != "" {
		t.Errorf("resolved (-original +resolved):\n%s", diff)
	}
}

// TestArmsOfABuild: values of arms that another build runs are not checked.
func TestArmsOfABuild(t *testing.T) {
	f := mustDecode(t, minimal+"arms: {a: {}, new: {postgres: 18, settings: {io_method: sync}}}\n", options())
	k := knowledge("created")
	if err := f.CheckServer(k); err == nil {
		t.Error("got no error for io_method on 15")
	}
	k.Arms = []int{0}
	if err := f.CheckServer(k); err != nil {
		t.Error(err)
	}
}
