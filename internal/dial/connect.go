package dial

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// waits are the pauses between the tries: one try more than pauses.
var waits = []time.Duration{250 * time.Millisecond, time.Second}

// applicationPrefix starts the application_name of every session.
const applicationPrefix = "pgassay/"

// Connect makes a session named "pgassay/"+application. It tries three times,
// as long as the failure may pass (see [Retriable]) and ctx lasts. The caller
// closes the connection. The error wraps [pgassay.ErrConnect] and carries a
// hint; ctx's own error is wrapped when it ended the attempt.
func (t *Target) Connect(ctx context.Context, application string) (*pgx.Conn, error) {
	return connect(ctx, t, application, func(ctx context.Context, c *pgconn.Config) (*pgx.Conn, error) {
		cc := baseConfig().Copy()
		cc.Config = *c
		return pgx.ConnectConfig(ctx, cc)
	})
}

// ConnectRaw is [Target.Connect] for the protocol's own level.
func (t *Target) ConnectRaw(ctx context.Context, application string) (*pgconn.PgConn, error) {
	return connect(ctx, t, application, pgconn.ConnectConfig)
}

// connect tries once more after each of the waits.
func connect[C any](ctx context.Context, t *Target, application string, open func(context.Context, *pgconn.Config) (C, error)) (C, error) {
	for i := 0; ; i++ {
		conn, err := try(ctx, t, application, open)
		if err == nil {
			return conn, nil
		}
		if i == len(waits) || ctx.Err() != nil || !Retriable(err) {
			var zero C
			return zero, t.explain(ctx, err, i+1)
		}
		timer := time.NewTimer(waits[i])
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// try connects once. pgconn limits each host's part; the outer limit also
// covers the look-up of names.
func try[C any](ctx context.Context, t *Target, application string, open func(context.Context, *pgconn.Config) (C, error)) (C, error) {
	c := t.config.Copy()
	c.ConnectTimeout = t.timeout
	c.RuntimeParams["application_name"] = applicationPrefix + application
	ctx, cancel := context.WithTimeout(ctx, t.timeout*time.Duration(1+len(c.Fallbacks)))
	defer cancel()
	return open(ctx, c)
}
