package dial

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgassay/pgassay"
)

// explain turns a failure into the error for the user.
func (t *Target) explain(err error, tries int) error {
	var pg *pgconn.PgError
	text := Redact(err.Error())
	if errors.As(err, &pg) {
		text = pg.Message
	}
	out := fmt.Errorf("connect to %s: %w: %w", t, pgassay.ErrConnect, &cause{text, err})
	return pgassay.WithHint(out, "is the server up?")
}

// cause is an error with a text of our own.
type cause struct {
	text string
	err  error
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.err }
