package journal_test

import (
	"testing"

	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/server/journal"
)

// TestUndo puts values back on a real server and looks.
func TestUndo(t *testing.T) {
	in := labtest.Server(t, labtest.Options{Database: `odd"db`})
	in.Exec(t, `CREATE SCHEMA "S p"; CREATE TABLE "S p"."t'b" (x text) WITH (fillfactor = 71)`)
	const table = `"S p"."t'b"`
	set := func(text string) journal.Value { return journal.Value{Present: true, Text: text} }
	database := in.Query1(t, "SELECT current_database()")
	auto := func(name string) string {
		return "SELECT coalesce((SELECT setting FROM pg_file_settings WHERE name = '" + name + "' AND sourcefile LIKE '%auto.conf'), 'none')"
	}
	const options = `SELECT coalesce(array_to_string(reloptions, ' '), 'none') FROM pg_class WHERE relname = 't''b'`
	tests := []struct {
		name   string
		change journal.Change
		made   string // what pgassay did
		ask    string
		want   string
	}{
		{"a line of auto.conf that was there", journal.Change{Kind: journal.AlterSystem, Name: "work_mem", Before: set("5MB")}, "ALTER SYSTEM SET work_mem = '9MB'", auto("work_mem"), "5MB"},
		{"one that was not", journal.Change{Kind: journal.AlterSystem, Name: "vacuum_cost_delay"}, "ALTER SYSTEM SET vacuum_cost_delay = 3", auto("vacuum_cost_delay"), "none"},
		{"quotes and backslashes", journal.Change{Kind: journal.AlterSystem, Name: "log_line_prefix", Before: set(`it's \ %m`)}, "ALTER SYSTEM RESET log_line_prefix", auto("log_line_prefix"), `it's \ %m`},
		{"a list of names", journal.Change{Kind: journal.AlterSystem, Name: "session_preload_libraries", Before: set(`auto_explain, "odd, name"`)}, "ALTER SYSTEM RESET session_preload_libraries", auto("session_preload_libraries"), `auto_explain, "odd, name"`},
		{"an empty list", journal.Change{Kind: journal.AlterSystem, Name: "temp_tablespaces", Before: set("")}, "ALTER SYSTEM RESET temp_tablespaces", auto("temp_tablespaces"), `""`},
		{"an extension's parameter", journal.Change{Kind: journal.DatabaseSetting, Name: "my.param", Database: database, Before: set("v")}, `ALTER DATABASE "odd""db" RESET ALL`, "SELECT array_to_string(setconfig, ' ') FROM pg_db_role_setting", "my.param=v"},
		{"a database's setting that was not there", journal.Change{Kind: journal.DatabaseSetting, Name: "my.param", Database: database}, "SELECT 1", "SELECT count(*)::text FROM pg_db_role_setting", "0"},
		{"a storage parameter", journal.Change{Kind: journal.StorageParameter, Name: "fillfactor", Table: table, Database: database, Before: set("71")}, "ALTER TABLE " + table + " SET (fillfactor = 90)", options, "fillfactor=71"},
		{"a storage parameter that was not there", journal.Change{Kind: journal.StorageParameter, Name: "autovacuum_vacuum_scale_factor", Table: table, Database: database}, "ALTER TABLE " + table + " SET (autovacuum_vacuum_scale_factor = 0.01)", options, "fillfactor=71"},
		{"a TOAST table's", journal.Change{Kind: journal.StorageParameter, Name: "toast.autovacuum_enabled", Table: table, Database: database}, "ALTER TABLE " + table + " SET (toast.autovacuum_enabled = off)",
			"SELECT coalesce(array_to_string(reloptions, ' '), 'none') FROM pg_class WHERE oid = (SELECT reltoastrelid FROM pg_class WHERE relname = 't''b')", "none"},
	}
	for _, tt := range tests {
		in.Exec(t, tt.made)
		in.Exec(t, tt.change.Undo())
		if got := in.Query1(t, tt.ask); got != tt.want {
			t.Errorf("%s: after %s got %s, want %s", tt.name, tt.change.Undo(), got, tt.want)
		}
	}
}
