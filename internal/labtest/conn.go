package labtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Conn opens a session for the test and closes it at its end.
func (in *Instance) Conn(tb testing.TB) *pgx.Conn {
	tb.Helper()
	conn, err := in.Target().Connect(context.Background(), "test")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			tb.Logf("close session: %v", err)
		}
	})
	return conn
}

// Exec runs SQL (also several statements) in a session of its own.
func (in *Instance) Exec(tb testing.TB, sql string) {
	tb.Helper()
	in.rows(tb, sql)
}

// Query1 returns the first column of the first row as text, "" for NULL. The
// test fails when there is no row.
func (in *Instance) Query1(tb testing.TB, sql string) string {
	tb.Helper()
	rows := in.rows(tb, sql)
	if len(rows) == 0 || len(rows[0]) == 0 {
		tb.Fatalf("query %s: no row", sql)
	}
	return string(rows[0][0])
}

// rows runs SQL by the simple protocol and returns the last statement's rows.
func (in *Instance) rows(tb testing.TB, sql string) [][][]byte {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := in.Target().ConnectRaw(ctx, "test")
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(context.Background())
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		tb.Fatalf("run %s: %v", sql, err)
	}
	if len(results) == 0 {
		return nil
	}
	return results[len(results)-1].Rows
}
