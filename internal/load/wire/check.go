package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Fault is a statement that the server refused to prepare.
type Fault struct {
	Statement int // ID
	Part      int
	// Line is the line within the part's SQL, from 0, on which the server found
	// the fault.
	Line int
	Err  *pgconn.PgError
}

// Check asks the server to prepare every statement and returns those it
// refuses. Nothing is executed. In the simple protocol a statement with
// parameters is not checked: its variables may stand for any text. The error
// is that of a broken connection.
func Check(ctx context.Context, conn *pgconn.PgConn, protocol Protocol, all []*Statement) ([]Fault, error) {
	var faults []Fault
	for _, st := range all {
		for i := range st.Parts {
			p := &st.Parts[i]
			if protocol == Simple && p.params() > 0 {
				continue
			}
			_, err := conn.Prepare(ctx, "", p.SQL, nil)
			var refused *pgconn.PgError
			switch {
			case err == nil:
			case errors.As(err, &refused) && !conn.IsClosed():
				faults = append(faults, Fault{Statement: st.ID, Part: i, Line: lineOf(p.SQL, int(refused.Position)), Err: refused})
			default:
				return nil, fmt.Errorf("check statements: %w", err)
			}
		}
	}
	return faults, nil
}

// lineOf counts the newlines before a position, which counts characters from 1;
// 0 is unknown.
func lineOf(sql string, position int) int {
	runes := []rune(sql)
	return strings.Count(string(runes[:min(max(position-1, 0), len(runes))]), "\n")
}
