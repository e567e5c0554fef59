package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgassay/pgassay"
)

// script runs the statements of a script one by one. what names it in errors.
func script(ctx context.Context, conn *pgx.Conn, what, text string) error {
	statements, err := splitSQL(text)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for _, s := range statements {
		if s.data != nil {
			_, err = conn.PgConn().CopyFrom(ctx, bytes.NewReader(s.data), s.text)
		} else {
			err = conn.PgConn().Exec(ctx, s.text).Close()
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", what, s.errorLine(err), explainSQL(err))
		}
	}
	return nil
}

// errorLine is the line that the server's error position points to.
func (s statement) errorLine(err error) int {
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Position <= 0 {
		return s.line
	}
	before := []rune(s.text)
	return s.line + strings.Count(string(before[:min(int(e.Position)-1, len(before))]), "\n")
}

// explainSQL adds the server's detail and turns its hint into ours. A full
// disk is told apart (SQLSTATE 53100).
func explainSQL(err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err
	}
	if e.Detail != "" {
		err = fmt.Errorf("%w: %s", err, e.Detail)
	}
	if where, _, _ := strings.Cut(e.Where, "\n"); strings.HasPrefix(where, "COPY ") {
		err = fmt.Errorf("%w (%s)", err, where) // the line of its data
	}
	switch {
	case e.Code == "53100":
		return pgassay.WithHint(fmt.Errorf("%w: %w", errNoSpace, err), diskFullHint)
	case e.Hint != "":
		return pgassay.WithHint(err, e.Hint)
	}
	return err
}
