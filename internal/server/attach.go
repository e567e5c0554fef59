package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/server/journal"
)

// AttachOptions say what the user allows on a server that is not ours.
type AttachOptions struct {
	// Load allows putting load on it (--load-this-server); a database named
	// [MarkerDatabase] on the server allows it too.
	Load bool
	// Settings allows changing settings for the time of the run.
	Settings bool
	// JournalDir is where changes are written before they are made.
	JournalDir string
}

// MarkerDatabase is the name of a database by which an administrator marks a
// server as a lab: load is welcome there.
const MarkerDatabase = "pgassay_lab"

// Attached is a server that is not ours. Nothing of it is changed without
// permission, and everything is put back.
type Attached struct {
	target   *dial.Target // the database the user named
	options  AttachOptions
	journal  *journal.Journal
	identity journal.Server
	build    pgassay.Build
	settings []pgassay.SettingState // as they were when we came
	super    bool
	made     bool // the experiment's database was made by us
	// guard is a session in the experiment's database. While it is there, no
	// other pgassay takes the database for a left-over; it goes when we die.
	guard *pgx.Conn
}

// Attach connects to a server, looks at what is there and at what is allowed.
func Attach(ctx context.Context, target *dial.Target, o AttachOptions) (a *Attached, err error) {
	conn, err := target.Connect(ctx, "attach")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	a = &Attached{target: target, options: o}
	if a.settings, err = ReadSettings(ctx, conn); err != nil {
		return nil, err
	}
	if err := a.identify(ctx, conn); err != nil {
		return nil, err
	}
	var standby, marked bool
	err = conn.QueryRow(ctx, "SELECT pg_is_in_recovery(), EXISTS (SELECT FROM pg_database WHERE datname = $1), current_setting('is_superuser') = 'on'", MarkerDatabase).
		Scan(&standby, &marked, &a.super)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at the server: %w", err)
	case standby:
		return nil, pgassay.WithHint(fmt.Errorf("%w: %s is a standby", pgassay.ErrRefused, target), "Experiments write: name the primary, or a lab server of its own.")
	case !o.Load && !marked:
		return nil, pgassay.WithHint(fmt.Errorf("%w: putting load on %s was not allowed", pgassay.ErrRefused, target),
			"Say --load-this-server when this server may be loaded, or create a database named "+MarkerDatabase+" on it; without either, `pgassay run` makes a throw-away server of its own.")
	}
	return a, nil
}

// identify finds out which server and which version this is.
func (a *Attached) identify(ctx context.Context, conn *pgx.Conn) error {
	var id string
	if err := conn.QueryRow(ctx, "SELECT system_identifier::text FROM pg_control_system()").Scan(&id); err != nil {
		id = "" // some services do not tell; the address is left
	}
	a.identity = journal.Server{SystemIdentifier: id, Address: a.target.Address()}
	var jit bool
	if err := conn.QueryRow(ctx, "SELECT version(), current_setting('server_version'), current_setting('server_version_num')::int, pg_jit_available()").
		Scan(&a.build.VersionString, &a.build.Version, &a.build.VersionNum, &jit); err != nil {
		return fmt.Errorf("read version: %w", err)
	}
	a.build.Version, _, _ = strings.Cut(a.build.Version, " ")
	a.build.Major = a.build.VersionNum / 10000
	a.build.Origin = "attached"
	return nil
}

// Build is what is known of the server's build; Settings are as they were when
// we came.
func (a *Attached) Build() pgassay.Build             { return a.build }
func (a *Attached) Settings() []pgassay.SettingState { return a.settings }

// Target is how to connect to the experiment's database.
func (a *Attached) Target() *dial.Target { return a.target.WithDatabase(Superuser) }

// Checkpoint makes a checkpoint where the role may.
func (a *Attached) Checkpoint(ctx context.Context) error {
	return a.session(ctx, a.target, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CHECKPOINT")
		var denied *pgconn.PgError
		if errors.As(err, &denied) && denied.Code == "42501" {
			return pgassay.WithHint(fmt.Errorf("%w: this role may not run CHECKPOINT: %w", pgassay.ErrRefused, err), "GRANT pg_checkpoint TO the role (15 and later), or connect as a superuser.")
		}
		return err
	})
}

// InForce reads pg_settings and the storage parameters from a new session.
func (a *Attached) InForce(ctx context.Context) (settings []pgassay.SettingState, storage []pgassay.StorageSetting, err error) {
	err = a.session(ctx, a.Target(), func(conn *pgx.Conn) error {
		if settings, err = ReadSettings(ctx, conn); err != nil {
			return err
		}
		storage, err = readStorage(ctx, conn)
		return err
	})
	return settings, storage, err
}

func (a *Attached) session(ctx context.Context, t *dial.Target, f func(*pgx.Conn) error) error {
	conn, err := t.Connect(ctx, "control")
	if err != nil {
		return err
	}
	return errors.Join(f(conn), conn.Close(context.WithoutCancel(ctx)))
}
