package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
)

// ReadSettings reads pg_settings as this session sees it, sorted by name.
// Values that hold secrets are replaced.
func ReadSettings(ctx context.Context, conn *pgx.Conn) ([]pgassay.SettingState, error) {
	rows, err := conn.Query(ctx, `SELECT name, setting, coalesce(unit, ''), category, context, vartype, source, coalesce(sourcefile, ''),
		coalesce(min_val, ''), coalesce(max_val, ''), coalesce(enumvals, '{}'), coalesce(boot_val, ''), pending_restart
		FROM pg_settings ORDER BY name COLLATE "C"`)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s pgassay.SettingState, err error) {
		err = row.Scan(&s.Name, &s.Setting, &s.Unit, &s.Category, &s.Context, &s.VarType, &s.Source, &s.SourceFile,
			&s.Min, &s.Max, &s.EnumValues, &s.BootValue, &s.PendingRestart)
		if len(s.EnumValues) == 0 {
			s.EnumValues = nil
		}
		s.Setting, s.BootValue = dial.RedactSetting(s.Name, s.Setting), dial.RedactSetting(s.Name, s.BootValue)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return out, nil
}

// readRelations reads the user tables' names and structure.
func readRelations(ctx context.Context, conn *pgx.Conn) ([]pgassay.Relation, error) {
	rows, err := conn.Query(ctx, `SELECT n.nspname, c.relname, c.relkind::text, c.reltuples, c.relpages, pg_relation_size(c.oid),
		(SELECT count(*) FROM pg_index i WHERE i.indrelid = c.oid)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'm', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_toast%' AND c.relpersistence <> 't'
		ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("read tables: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r pgassay.Relation, err error) {
		err = row.Scan(&r.Schema, &r.Name, &r.Kind, &r.Tuples, &r.Pages, &r.HeapBytes, &r.Indexes)
		return r, err
	})
}

// readStorage reads the storage parameters that are set on user tables and
// their TOAST tables (table.toast), one entry per parameter.
func readStorage(ctx context.Context, conn *pgx.Conn) ([]pgassay.StorageSetting, error) {
	rows, err := conn.Query(ctx, `SELECT n.nspname || '.' || c.relname || CASE WHEN o.toast THEN '.toast' ELSE '' END, split_part(o.option, '=', 1),
		substr(o.option, strpos(o.option, '=') + 1)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_class t ON t.oid = c.reltoastrelid,
		LATERAL (SELECT unnest(c.reloptions) AS option, false AS toast UNION ALL SELECT unnest(t.reloptions), true) o
		WHERE c.relkind IN ('r', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
		ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("read storage parameters: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s pgassay.StorageSetting, err error) {
		err = row.Scan(&s.Table, &s.Name, &s.Value)
		return s, err
	})
}

// alterStorage is the statement that sets (or, with an empty value, resets) a
// storage parameter. The table's name may have a schema before and .toast
// behind it; a toast. prefix of the parameter means the same.
func alterStorage(s pgassay.StorageSetting) string {
	table, toast := strings.CutSuffix(s.Table, ".toast")
	name := s.Name
	if rest, ok := strings.CutPrefix(name, "toast."); ok {
		name, toast = rest, true
	}
	parameter := pgx.Identifier{name}.Sanitize()
	if toast {
		parameter = "toast." + parameter
	}
	id := pgx.Identifier(strings.Split(table, ".")).Sanitize()
	if s.Value == "" {
		return fmt.Sprintf("ALTER TABLE %s RESET (%s)", id, parameter)
	}
	return fmt.Sprintf("ALTER TABLE %s SET (%s = '%s')", id, parameter, strings.ReplaceAll(s.Value, "'", "''"))
}
