package observe

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
)

// relationsSQL reads the user's relations and their TOAST tables in one
// statement, so that their counters belong together. %s is relallfrozen where
// the catalogue has it (18+). The statistics come from the functions below
// pg_stat_all_tables, which also serve partitioned tables.
const relationsSQL = `
WITH mine AS (
	SELECT c.oid, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'm', 'p') AND c.relpersistence <> 't' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
), wanted AS (
	SELECT oid, nspname FROM mine
	UNION ALL
	SELECT c.reltoastrelid, 'pg_toast' FROM mine JOIN pg_class c USING (oid) WHERE c.reltoastrelid <> 0
)
SELECT w.nspname, c.relname, c.relkind::text, c.reltuples::float8, c.relpages::int8, c.relallvisible::int8, %s,
	coalesce(pg_relation_size(c.oid), 0), coalesce(x.bytes, 0)::int8, coalesce(x.n, 0)::int4,
	pg_stat_get_live_tuples(c.oid), pg_stat_get_dead_tuples(c.oid), pg_stat_get_mod_since_analyze(c.oid), pg_stat_get_ins_since_vacuum(c.oid),
	pg_stat_get_tuples_inserted(c.oid), pg_stat_get_tuples_updated(c.oid), pg_stat_get_tuples_hot_updated(c.oid), pg_stat_get_tuples_deleted(c.oid),
	pg_stat_get_vacuum_count(c.oid), pg_stat_get_autovacuum_count(c.oid), pg_stat_get_analyze_count(c.oid), pg_stat_get_autoanalyze_count(c.oid),
	CASE WHEN c.relfrozenxid = '0'::xid THEN 0 ELSE age(c.relfrozenxid) END::int8, c.reloptions
FROM wanted w JOIN pg_class c USING (oid)
	LEFT JOIN LATERAL (SELECT count(*) AS n, sum(pg_relation_size(i.indexrelid)) AS bytes FROM pg_index i WHERE i.indrelid = c.oid) x ON true
ORDER BY w.nspname, c.relname`

// Snapshot reads the statistics of the connection's database: all user
// relations with their TOAST tables, and the counters that this version and
// role give. At is left 0. Statistics are read anew for every statement, but
// other sessions deliver theirs with a delay of up to a second after their
// transactions (idle ones up to ten). Call it outside a transaction.
func Snapshot(ctx context.Context, conn *pgx.Conn) (pgassay.Snapshot, error) {
	if _, err := conn.Exec(ctx, freshSQL); err != nil {
		return pgassay.Snapshot{}, fmt.Errorf("read statistics: %w", err)
	}
	has, err := readCatalogue(ctx, conn)
	if err != nil {
		return pgassay.Snapshot{}, fmt.Errorf("read statistics: %w", err)
	}
	var s pgassay.Snapshot
	if s.Relations, err = readRelations(ctx, conn, has); err != nil {
		return pgassay.Snapshot{}, fmt.Errorf("read statistics: %w", err)
	}
	if s.Counters, err = readCounters(ctx, conn, has); err != nil {
		return pgassay.Snapshot{}, fmt.Errorf("read statistics: %w", err)
	}
	return s, nil
}

func readRelations(ctx context.Context, conn *pgx.Conn, has catalogue) ([]pgassay.Relation, error) {
	frozen := `-1::int8`
	if has["pg_class.relallfrozen"] {
		frozen = `c.relallfrozen::int8`
	}
	rows, err := conn.Query(ctx, fmt.Sprintf(relationsSQL, frozen))
	if err != nil {
		return nil, fmt.Errorf("read relations: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (pgassay.Relation, error) {
		var r pgassay.Relation
		var options []string
		err := row.Scan(&r.Schema, &r.Name, &r.Kind, &r.Tuples, &r.Pages, &r.AllVisible, &r.AllFrozen,
			&r.HeapBytes, &r.IndexBytes, &r.Indexes,
			&r.LiveRows, &r.DeadRows, &r.ModSinceAnalyze, &r.InsSinceVacuum,
			&r.Inserted, &r.Updated, &r.HotUpdated, &r.Deleted,
			&r.Vacuums, &r.Autovacuums, &r.Analyzes, &r.Autoanalyzes, &r.XIDAge, &options)
		for _, o := range options {
			name, value, _ := strings.Cut(o, "=")
			if r.Options == nil {
				r.Options = map[string]string{}
			}
			r.Options[name] = value
		}
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("read relations: %w", err)
	}
	return all, nil
}
