package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

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

// madeByUs marks a database that we created, in its comment.
const madeByUs = "made by pgassay for an experiment; pgassay drops it"

// Load makes the experiment's database new and fills it. A database of that
// name which we did not make is left alone and refused.
func (a *Attached) Load(ctx context.Context, d pgassay.Dataset, storage []pgassay.StorageSetting, sql []string, progress func(string)) error {
	if err := a.drop(ctx); err != nil {
		return err
	}
	if err := a.session(ctx, a.target, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "CREATE DATABASE "+Superuser); err != nil {
			return pgassay.WithHint(fmt.Errorf("create database %s: %w", Superuser, err), "The role needs the right to create databases: ALTER ROLE … CREATEDB.")
		}
		a.made = true
		_, err := conn.Exec(ctx, "COMMENT ON DATABASE "+Superuser+" IS '"+madeByUs+"'")
		return err
	}); err != nil {
		return err
	}
	layout, other := split(storage)
	if err := a.session(ctx, a.Target(), func(conn *pgx.Conn) error {
		if err := load(ctx, conn, d, layout, sql, progress); err != nil {
			return err
		}
		for _, s := range other {
			if err := script(ctx, conn, "storage parameter "+s.Table+"."+s.Name, alterStorage(s)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	progress("vacuum and analyze")
	return a.session(ctx, a.Target(), func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "VACUUM (FREEZE, ANALYZE)")
		return err
	})
}

// drop drops the experiment's database if we made it, and refuses to go on if
// somebody else did.
func (a *Attached) drop(ctx context.Context) error {
	return a.session(ctx, a.target, func(conn *pgx.Conn) error {
		var comment *string
		err := conn.QueryRow(ctx, "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = $1", Superuser).Scan(&comment)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil
		case err != nil:
			return fmt.Errorf("look for database %s: %w", Superuser, err)
		case comment == nil || *comment != madeByUs:
			return pgassay.WithHint(fmt.Errorf("%w: %s has a database %s that pgassay did not make", pgassay.ErrRefused, a.target, Superuser),
				"Experiments use a database of this name. Rename or drop it if nobody needs it.")
		}
		if _, err := conn.Exec(ctx, "DROP DATABASE "+Superuser+" WITH (FORCE)"); err != nil {
			return fmt.Errorf("drop database %s: %w", Superuser, err)
		}
		return nil
	})
}

// Apply changes settings by ALTER SYSTEM and reload, each in the journal first,
// and verifies them from a new session. Settings that an earlier Apply changed
// and that are not in the list are put back.
func (a *Attached) Apply(ctx context.Context, settings []pgassay.Setting) error {
	if len(settings) == 0 && a.journal == nil {
		return nil
	}
	if err := a.MayChange(settings); err != nil {
		return err
	}
	return a.session(ctx, a.target, func(conn *pgx.Conn) error {
		if err := a.putBack(ctx, conn, settings); err != nil {
			return err
		}
		for _, s := range settings {
			if err := a.change(ctx, conn, s); err != nil {
				return err
			}
		}
		return a.reload(ctx, conn, settings)
	})
}

// MayChange says why settings cannot be changed here, nil when they can as far
// as can be known without trying.
func (a *Attached) MayChange(settings []pgassay.Setting) error {
	for _, s := range settings {
		if !a.options.Settings {
			return pgassay.WithHint(fmt.Errorf("%w: the experiment changes %s on %s, and changing settings was not allowed", pgassay.ErrRefused, s.Name, a.target),
				"Say --allow-settings; every change is put back at the end.")
		}
		if _, err := a.changeable(s); err != nil {
			return err
		}
	}
	return nil
}

// change makes one change, after it is in the journal.
func (a *Attached) change(ctx context.Context, conn *pgx.Conn, s pgassay.Setting) error {
	state, err := a.changeable(s)
	if err != nil {
		return err
	}
	before, err := autoConf(ctx, conn, state.Name)
	if err != nil {
		return err
	}
	before.Source = state.Source
	if a.journal == nil {
		if a.journal, err = journal.Open(a.options.JournalDir, a.identity); err != nil {
			return err
		}
	}
	for _, c := range a.journal.Pending() {
		if c.Kind == journal.AlterSystem && strings.EqualFold(c.Name, s.Name) {
			before = c.Before // what it was before our first change
		}
	}
	if _, err := a.journal.Record(journal.Change{Kind: journal.AlterSystem, Name: state.Name, Before: before,
		After: journal.Value{Present: true, Text: s.Value}, At: time.Now()}); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "ALTER SYSTEM SET "+pgx.Identifier{state.Name}.Sanitize()+" = '"+strings.ReplaceAll(s.Value, "'", "''")+"'"); err != nil {
		return explainAlter(fmt.Errorf("set %s = %s: %w", s.Name, s.Value, err))
	}
	return nil
}

// changeable refuses settings that cannot be changed here without a restart or
// without being overridden.
func (a *Attached) changeable(s pgassay.Setting) (pgassay.SettingState, error) {
	for _, state := range a.settings {
		if !strings.EqualFold(state.Name, s.Name) {
			continue
		}
		switch {
		case state.Context == "postmaster" || state.Context == "internal":
			return state, pgassay.WithHint(fmt.Errorf("%w: %s needs a restart, and pgassay does not restart servers of others", pgassay.ErrRefused, s.Name),
				"Leave the connection flags out: on a server of its own pgassay can vary it.")
		case state.Source == "command line":
			return state, pgassay.WithHint(fmt.Errorf("%w: %s was given on the server's command line, which wins over any change", pgassay.ErrRefused, s.Name),
				"Take it from the command line (a container's or an operator's configuration).")
		}
		return state, nil
	}
	return pgassay.SettingState{}, fmt.Errorf("%w: %s has no setting %s", pgassay.ErrUsage, a.target, s.Name)
}

// autoConf reads whether postgresql.auto.conf has a line for a setting. Where
// that may not be read, a value that comes from the file counts as a line.
func autoConf(ctx context.Context, conn *pgx.Conn, name string) (journal.Value, error) {
	var v journal.Value
	err := conn.QueryRow(ctx, `SELECT setting FROM pg_file_settings WHERE lower(name) = lower($1) AND sourcefile LIKE '%postgresql.auto.conf' ORDER BY seqno DESC LIMIT 1`, name).Scan(&v.Text)
	var denied *pgconn.PgError
	switch {
	case err == nil:
		v.Present = true
	case errors.Is(err, pgx.ErrNoRows):
	case errors.As(err, &denied) && denied.Code == "42501":
		return v, pgassay.WithHint(fmt.Errorf("%w: this role may not read pg_file_settings, so a change of %s could not be put back exactly", pgassay.ErrRefused, name),
			"Connect as a superuser, or run the experiment on a throw-away server.")
	default:
		return v, fmt.Errorf("read postgresql.auto.conf: %w", err)
	}
	return v, nil
}

func explainAlter(err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case "42501":
		return pgassay.WithHint(fmt.Errorf("%w: %w", pgassay.ErrRefused, err), "The role needs to be a superuser, or ALTER SYSTEM must be granted (15 and later). Managed services allow it only through their own tools.")
	case "55P02", "0A000":
		return pgassay.WithHint(fmt.Errorf("%w: %w", pgassay.ErrRefused, err), "This server does not allow ALTER SYSTEM (allow_alter_system, or a managed service).")
	}
	if e.Hint != "" {
		return pgassay.WithHint(err, e.Hint)
	}
	return err
}

// putBack undoes pending changes, the last first, except those in keep.
func (a *Attached) putBack(ctx context.Context, conn *pgx.Conn, keep []pgassay.Setting) error {
	if a.journal == nil {
		return nil
	}
	return undo(ctx, a.journal, conn, func(name string) bool {
		for _, s := range keep {
			if strings.EqualFold(s.Name, name) {
				return true
			}
		}
		return false
	})
}

// undo puts a journal's pending changes back on the server behind conn.
func undo(ctx context.Context, j *journal.Journal, conn *pgx.Conn, keep func(string) bool) error {
	pending := j.Pending()
	for i := len(pending) - 1; i >= 0; i-- {
		if keep(pending[i].Name) {
			continue
		}
		if _, err := conn.Exec(ctx, pending[i].Undo()); err != nil {
			return fmt.Errorf("put back %s: %w", pending[i].Name, err)
		}
		if err := j.Done(pending[i]); err != nil {
			return err
		}
	}
	return nil
}

// reload has the server read its files again and waits until a new session
// sees the values.
func (a *Attached) reload(ctx context.Context, conn *pgx.Conn, settings []pgassay.Setting) error {
	if _, err := conn.Exec(ctx, "SELECT pg_reload_conf()"); err != nil {
		return explainAlter(fmt.Errorf("reload: %w", err))
	}
	var last error
	for range 50 {
		last = a.session(ctx, a.target, func(c *pgx.Conn) error { return verifyAuto(ctx, c, settings) })
		if last == nil || ctx.Err() != nil {
			return last
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	return last
}

// verifyAuto checks that what we set is in force: the file's entry was applied
// and nothing of a database, role or command line hides it.
func verifyAuto(ctx context.Context, conn *pgx.Conn, settings []pgassay.Setting) error {
	for _, s := range settings {
		var source string
		var pending, applied bool
		var problem *string
		err := conn.QueryRow(ctx, `SELECT s.source, s.pending_restart, f.applied, f.error FROM pg_settings s, pg_file_settings f
			WHERE lower(s.name) = lower($1) AND lower(f.name) = lower($1) AND f.sourcefile LIKE '%postgresql.auto.conf'`, s.Name).
			Scan(&source, &pending, &applied, &problem)
		if err != nil {
			return fmt.Errorf("verify %s: %w", s.Name, err)
		}
		if source != "configuration file" || pending || !applied {
			why := "source " + source
			if problem != nil {
				why = *problem
			}
			return pgassay.WithHint(fmt.Errorf("setting %s = %s is not in force on the server: %s", s.Name, s.Value, why),
				"A database's, a role's or the command line's own value hides it.")
		}
	}
	return nil
}

// Restore puts every setting back and drops the experiment's database. It may
// be called more than once.
func (a *Attached) Restore(ctx context.Context) error {
	var errs []error
	if a.journal != nil {
		errs = append(errs, a.session(ctx, a.target, func(conn *pgx.Conn) error {
			if err := a.putBack(ctx, conn, nil); err != nil {
				return err
			}
			_, err := conn.Exec(ctx, "SELECT pg_reload_conf()")
			return err
		}))
		if errors.Join(errs...) == nil {
			errs = append(errs, a.journal.Remove())
			a.journal = nil
		}
	}
	if a.made {
		err := a.drop(ctx)
		a.made = err != nil
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return pgassay.WithHint(fmt.Errorf("restore %s: %w", a.target, err), "What was changed is in the journal: `pgassay restore` with the same connection puts it back.")
	}
	return nil
}

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

// Restored is one journal whose changes were put back.
type Restored struct {
	Server  string   `json:"server"`
	Changes []string `json:"changes"`
}

// RestorePending puts back what dead runs left changed on the server behind
// target.
func RestorePending(ctx context.Context, target *dial.Target, journalDir string) (out []Restored, err error) {
	a := &Attached{target: target}
	conn, err := target.Connect(ctx, "restore")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if err := a.identify(ctx, conn); err != nil {
		return nil, err
	}
	entries, err := journal.List(journalDir)
	for _, e := range entries {
		if e.Alive || e.Server.SystemIdentifier != a.identity.SystemIdentifier || e.Server.SystemIdentifier == "" && e.Server.Address != a.identity.Address {
			continue
		}
		j, openErr := journal.Resume(e.Path)
		if openErr != nil {
			err = errors.Join(err, openErr)
			continue
		}
		r := Restored{Server: e.Server.Address}
		for _, c := range e.Pending {
			r.Changes = append(r.Changes, c.Undo())
		}
		undoErr := undo(ctx, j, conn, func(string) bool { return false })
		if undoErr == nil {
			undoErr = j.Remove()
			out = append(out, r)
		}
		err = errors.Join(err, undoErr)
	}
	if len(out) > 0 {
		_, reloadErr := conn.Exec(ctx, "SELECT pg_reload_conf()")
		err = errors.Join(err, reloadErr)
	}
	return out, err
}
