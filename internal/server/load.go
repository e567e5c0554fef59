package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
)

// load runs the parts of a dataset and the arm's SQL, all in one session.
func load(ctx context.Context, conn *pgx.Conn, d pgassay.Dataset, layout []pgassay.StorageSetting, sql []string, progress func(string)) error {
	name := d.Builtin
	if name == "" {
		name = d.Init
	}
	progress("loading " + name)
	if err := script(ctx, conn, "schema of "+name, d.Schema); err != nil {
		return err
	}
	if err := loadFile(ctx, conn, d); err != nil {
		return err
	}
	if err := setLayout(ctx, conn, layout, d.InitSQL != ""); err != nil {
		return err
	}
	if err := script(ctx, conn, "load of "+name, d.Load); err != nil {
		return err
	}
	progress("indexes and constraints")
	if err := script(ctx, conn, "finish of "+name, d.Finish); err != nil {
		return err
	}
	for i, s := range sql {
		if err := script(ctx, conn, fmt.Sprintf("sql %d of the arm", i+1), s); err != nil {
			return err
		}
	}
	return committed(conn, "the SQL")
}

// loadFile runs the user's file. What it sets in its session goes no further:
// pg_dump empties search_path.
func loadFile(ctx context.Context, conn *pgx.Conn, d pgassay.Dataset) error {
	if d.InitSQL == "" {
		return nil
	}
	if err := script(ctx, conn, d.Init, d.InitSQL); err != nil {
		return err
	}
	if err := committed(conn, d.Init); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "RESET SESSION AUTHORIZATION; RESET ALL"); err != nil {
		return fmt.Errorf("reset session: %w", err)
	}
	return nil
}

// committed refuses SQL that leaves a transaction open: the end of the session
// would take back all that it did.
func committed(conn *pgx.Conn, what string) error {
	if conn.PgConn().TxStatus() == 'I' {
		return nil
	}
	return pgassay.WithHint(fmt.Errorf("%w: %s begins a transaction and does not end it", pgassay.ErrUsage, what), "Add COMMIT at its end.")
}

// setLayout sets storage parameters that change how rows are stored. rewrite
// stores the rows that are there already in the new layout.
func setLayout(ctx context.Context, conn *pgx.Conn, layout []pgassay.StorageSetting, rewrite bool) error {
	for _, s := range layout {
		if err := script(ctx, conn, "storage parameter "+s.Table+"."+s.Name, alterStorage(s)); err != nil {
			return err
		}
	}
	for _, s := range layout {
		if !rewrite {
			break
		}
		table := pgx.Identifier(strings.Split(strings.TrimSuffix(s.Table, ".toast"), ".")).Sanitize()
		if err := script(ctx, conn, "rewrite "+s.Table, "VACUUM FULL "+table); err != nil {
			return err
		}
	}
	return nil
}

// selfContained refuses a tablespace outside the data directory: every copy of
// the template would share it, and the first instance would destroy it for the
// others.
func selfContained(ctx context.Context, conn *pgx.Conn) error {
	var name, location string
	err := conn.QueryRow(ctx, "SELECT spcname, pg_tablespace_location(oid) FROM pg_tablespace WHERE pg_tablespace_location(oid) LIKE '/%' LIMIT 1").Scan(&name, &location)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("look for tablespaces: %w", err)
	}
	return pgassay.WithHint(fmt.Errorf("%w: tablespace %s is in %s, outside the data directory that is copied for every trial", pgassay.ErrRefused, name, location),
		"Leave CREATE TABLESPACE out; PGASSAY_HOME chooses the disk for everything.")
}
