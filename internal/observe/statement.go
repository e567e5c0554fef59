package observe

import "strings"

// part is one expression of the statement that a look sends. Its result is
// one float8 or, for the tables of $1, an array of them in $1's order.
type part struct {
	name string // for Missing
	expr string
	// array says that the expression is about the tables of $1.
	array bool
	// need is a condition on the session's rights, "" for none; without it the
	// server answers but hides rows.
	need, needName string
}

// The parts of a look, in the order of [sample]'s fields. They call the
// functions below the views: the same on 14 to 19, and cheaper.
var parts = []part{
	{
		name: "WAL position",
		expr: `pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, '0/0')::float8`,
	},
	{
		name: "autovacuum workers at work",
		expr: `(SELECT count(*) FROM pg_stat_get_activity(NULL) a WHERE a.backend_type = 'autovacuum worker')::float8`,
		need: `pg_has_role('pg_read_all_stats', 'USAGE')`, needName: "pg_monitor",
	},
	{name: "dead rows", array: true, expr: `pg_stat_get_dead_tuples(t.o)::float8`},
	{name: "live rows", array: true, expr: `pg_stat_get_live_tuples(t.o)::float8`},
	{name: "table sizes", array: true, expr: `pg_relation_size(t.o)::float8`},
}

// sql is the part's expression as it stands in a SELECT list.
func (p part) sql() string {
	if p.array {
		return `ARRAY(SELECT ` + p.expr + ` FROM unnest($1::oid[]) WITH ORDINALITY AS t(o, n) ORDER BY t.n)`
	}
	return p.expr
}

// statement puts the parts that work into one statement; the place of the
// others is NULL.
func statement(works []bool) string {
	list := make([]string, len(parts))
	for i, p := range parts {
		switch {
		case works[i]:
			list[i] = p.sql()
		case p.array:
			list[i] = `NULL::float8[]`
		default:
			list[i] = `NULL::float8`
		}
	}
	return `SELECT ` + strings.Join(list, ", ") + `, cardinality($1::oid[])`
}

// tablesSQL picks the tables to watch: those named in $1 (with or without
// their schema) or, for NULL, the 20 largest user tables. Sizes are asked only
// of the 200 with most pages in the catalogue, so that a database with 100,000
// tables is not walked.
const tablesSQL = `
SELECT oid, object FROM (
	SELECT c.oid, n.nspname || '.' || c.relname AS object, c.relpages
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'm') AND c.relpersistence <> 't' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
		AND ($1::text[] IS NULL OR n.nspname || '.' || c.relname = ANY ($1) OR c.relname = ANY ($1))
	ORDER BY c.relpages DESC, c.oid LIMIT 200) t
ORDER BY pg_relation_size(oid) DESC NULLS LAST, object LIMIT 20`

// logSettings are the settings that decide what the log tells.
const logSettings = `SELECT name, setting FROM pg_settings WHERE name IN
	('log_timezone', 'log_line_prefix', 'lc_messages', 'log_autovacuum_min_duration', 'log_autoanalyze_min_duration', 'log_checkpoints')`

// freshSQL makes statistics be read anew for every statement also within a
// transaction, from 15 on (14 has no such setting, and no need outside one).
const freshSQL = `SELECT set_config(name, 'none', false) FROM pg_settings WHERE name = 'stats_fetch_consistency'`
