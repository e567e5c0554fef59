package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// counter says where a counter of a snapshot is found: a column of a view. The
// catalogue decides which rows of the table act, not the version's number: of
// the rows with the same name the first whose view and column exist counts.
type counter struct {
	name   string
	view   string
	where  string // of the view's row; "" when it has only one
	column string
}

const thisDatabase = `datname = current_database()`

// counterTable is the counters of all versions. What moved: checkpoints left
// pg_stat_bgwriter for pg_stat_checkpointer in 17, where backends' own writes
// are counted by pg_stat_io alone (see backendWrites).
var counterTable = []counter{
	{"xact_commit", "pg_stat_database", thisDatabase, "xact_commit"},
	{"xact_rollback", "pg_stat_database", thisDatabase, "xact_rollback"},
	{"blks_read", "pg_stat_database", thisDatabase, "blks_read"},
	{"blks_hit", "pg_stat_database", thisDatabase, "blks_hit"},
	{"temp_bytes", "pg_stat_database", thisDatabase, "temp_bytes"},
	{"deadlocks", "pg_stat_database", thisDatabase, "deadlocks"},
	{"backends", "pg_stat_database", thisDatabase, "numbackends"},
	{"wal_bytes", "pg_stat_wal", "", "wal_bytes"}, // 14+
	{"wal_records", "pg_stat_wal", "", "wal_records"},
	{"wal_fpi", "pg_stat_wal", "", "wal_fpi"},
	{"checkpoints_timed", "pg_stat_checkpointer", "", "num_timed"}, // 17+
	{"checkpoints_requested", "pg_stat_checkpointer", "", "num_requested"},
	{"buffers_checkpoint", "pg_stat_checkpointer", "", "buffers_written"},
	{"checkpoints_timed", "pg_stat_bgwriter", "", "checkpoints_timed"}, // to 16
	{"checkpoints_requested", "pg_stat_bgwriter", "", "checkpoints_req"},
	{"buffers_checkpoint", "pg_stat_bgwriter", "", "buffers_checkpoint"},
	{"buffers_backend", "pg_stat_bgwriter", "", "buffers_backend"},
}

// backendWrites are buffers that processes other than checkpointer and
// background writer wrote or extended themselves, as buffers_backend of
// pg_stat_bgwriter counted them to 16. From 18 on pg_stat_io counts operations,
// of several blocks at times, so its bytes are taken.
var backendWrites = []struct{ column, sql string }{
	{"write_bytes", `SELECT sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0))::float8 / current_setting('block_size')::float8`},
	{"writes", `SELECT sum(coalesce(writes, 0) + coalesce(extends, 0))::float8`},
}

const backendWritesFrom = ` FROM pg_stat_io WHERE object = 'relation' AND backend_type NOT IN ('checkpointer', 'background writer')`

// catalogueSQL lists the columns of the views in $1 that exist.
const catalogueSQL = `SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
	WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relname = ANY ($1) AND a.attnum > 0 AND NOT a.attisdropped`

// catalogue is which views and columns this server has, as "view.column".
type catalogue map[string]bool

func readCatalogue(ctx context.Context, conn *pgx.Conn) (catalogue, error) {
	views := []string{"pg_class", "pg_stat_io"}
	for _, c := range counterTable {
		views = append(views, c.view)
	}
	rows, err := conn.Query(ctx, catalogueSQL, views)
	if err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	has := catalogue{}
	var view, column string
	if _, err := pgx.ForEachRow(rows, []any{&view, &column}, func() error {
		has[view+"."+column] = true
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	return has, nil
}

// counterSQL is one look-up per view that exists: a JSON object of the counters
// that it has.
func (has catalogue) counterSQL() []string {
	found := map[string]bool{}
	var order []string
	pairs := map[string][]string{}
	where := map[string]string{}
	for _, c := range counterTable {
		if found[c.name] || !has[c.view+"."+c.column] {
			continue
		}
		found[c.name] = true
		if pairs[c.view] == nil {
			order = append(order, c.view)
		}
		pairs[c.view] = append(pairs[c.view], "'"+c.name+"', "+c.column)
		where[c.view] = c.where
	}
	var list []string
	for _, view := range order {
		sql := `SELECT json_build_object(` + strings.Join(pairs[view], ", ") + `) FROM pg_catalog.` + view
		if where[view] != "" {
			sql += ` WHERE ` + where[view]
		}
		list = append(list, sql)
	}
	if !found["buffers_backend"] {
		for _, w := range backendWrites {
			if has["pg_stat_io."+w.column] {
				list = append(list, `SELECT json_build_object('buffers_backend', (`+w.sql+backendWritesFrom+`))`)
				break
			}
		}
	}
	return list
}

// readCounters reads the counters that this version and role give.
func readCounters(ctx context.Context, conn *pgx.Conn, has catalogue) (map[string]float64, error) {
	all := map[string]float64{}
	for _, sql := range has.counterSQL() {
		var text []byte
		if err := conn.QueryRow(ctx, sql).Scan(&text); err != nil {
			if denied(err) {
				continue
			}
			return nil, fmt.Errorf("read counters: %w", err)
		}
		var some map[string]*float64
		if err := json.Unmarshal(text, &some); err != nil {
			return nil, fmt.Errorf("read counters: %w", err)
		}
		for name, v := range some {
			if v != nil {
				all[name] = *v
			}
		}
	}
	return all, nil
}

// denied says that an error is a missing right, table, column or function: the
// look-up is left out, and the session goes on.
func denied(err error) bool {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return false
	}
	switch pgErr.Code {
	case "42501", "42P01", "42703", "42883", "0A000":
		return true
	}
	return false
}
