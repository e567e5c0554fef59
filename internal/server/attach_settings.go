package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/server/journal"
)

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
		back, err := a.putBack(ctx, conn, settings)
		if err != nil {
			return err
		}
		for _, s := range settings {
			if err := a.change(ctx, conn, s); err != nil {
				return err
			}
		}
		return a.reload(ctx, conn, settings, back)
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
	change, err := a.journal.Record(journal.Change{Kind: journal.AlterSystem, Name: state.Name, Before: before,
		After: journal.Value{Present: true, Text: s.Value}, At: time.Now()})
	if err != nil {
		return err
	}
	// Making a change is undoing the opposite one.
	opposite := change
	opposite.Before = change.After
	if _, err := conn.Exec(ctx, opposite.Undo()); err != nil {
		var refused *pgconn.PgError
		if errors.As(err, &refused) { // the server answered: nothing was changed
			err = errors.Join(err, a.journal.Done(change))
		}
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
		case a.value("allow_alter_system") == "off":
			return state, pgassay.WithHint(fmt.Errorf("%w: %s does not allow ALTER SYSTEM (allow_alter_system is off)", pgassay.ErrRefused, a.target),
				"Its settings are managed by other means: use those, or a server of our own.")
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

// value is a setting's value when we came, "" when the server has none of that
// name.
func (a *Attached) value(name string) string {
	for _, s := range a.settings {
		if s.Name == name {
			return s.Setting
		}
	}
	return ""
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

// putBack undoes pending changes, the last first, except those in keep, and
// returns the names of what it undid.
func (a *Attached) putBack(ctx context.Context, conn *pgx.Conn, keep []pgassay.Setting) (names []string, err error) {
	if a.journal == nil {
		return nil, nil
	}
	err = undo(ctx, a.journal, conn, func(name string) bool {
		if slices.ContainsFunc(keep, func(s pgassay.Setting) bool { return strings.EqualFold(s.Name, name) }) {
			return true
		}
		names = append(names, name)
		return false
	})
	return names, err
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

// heedLimit is the longest wait for a reload to reach new sessions of a server
// that is not ours.
const heedLimit = 5 * time.Second

// reload has the server read its files again and waits until a new session
// sees the new values, and the old ones of what was put back.
func (a *Attached) reload(ctx context.Context, conn *pgx.Conn, settings []pgassay.Setting, back []string) error {
	if _, err := conn.Exec(ctx, "SELECT pg_reload_conf()"); err != nil {
		return explainAlter(fmt.Errorf("reload: %w", err))
	}
	target := a.target
	if a.made {
		target = a.Target() // where the workload's sessions are
	}
	var last error
	err := poll(ctx, heedLimit, func() (bool, error) {
		last = a.session(ctx, target, func(c *pgx.Conn) error {
			if err := verifyAuto(ctx, c, settings); err != nil {
				return err
			}
			return a.verifyBack(ctx, c, back)
		})
		return last == nil, nil
	})
	return errors.Join(err, last)
}

// verifyBack checks that settings are again what they were when we came.
func (a *Attached) verifyBack(ctx context.Context, conn *pgx.Conn, names []string) error {
	for _, name := range names {
		i := slices.IndexFunc(a.settings, func(s pgassay.SettingState) bool { return strings.EqualFold(s.Name, name) })
		if i < 0 {
			continue
		}
		var now string
		if err := conn.QueryRow(ctx, "SELECT setting FROM pg_settings WHERE lower(name) = lower($1)", name).Scan(&now); err != nil {
			return fmt.Errorf("verify %s: %w", name, err)
		}
		if was := a.settings[i].Setting; dial.RedactSetting(name, now) != was {
			return pgassay.WithHint(fmt.Errorf("setting %s is not back in force on the server: it has %s, and had %s before the run", name, dial.RedactSetting(name, now), was), "Somebody else has changed it meanwhile, perhaps.")
		}
	}
	return nil
}

// verifyAuto checks that what we set is in force: the file's entry was applied
// and nothing of a database, role or command line hides it.
func verifyAuto(ctx context.Context, conn *pgx.Conn, settings []pgassay.Setting) error {
	for _, s := range settings {
		var is pgassay.SettingState
		var applied bool
		var problem *string
		err := conn.QueryRow(ctx, `SELECT s.name, s.setting, coalesce(s.unit, ''), s.vartype, s.source, s.pending_restart, f.applied, f.error FROM pg_settings s, pg_file_settings f
			WHERE lower(s.name) = lower($1) AND lower(f.name) = lower($1) AND f.sourcefile LIKE '%postgresql.auto.conf'`, s.Name).
			Scan(&is.Name, &is.Setting, &is.Unit, &is.VarType, &is.Source, &is.PendingRestart, &applied, &problem)
		if err != nil {
			return fmt.Errorf("verify %s: %w", s.Name, err)
		}
		if is.Source != "configuration file" || is.PendingRestart || !applied || !sameValue(s.Value, is) {
			why := "it has " + withUnit(is) + ", source " + is.Source
			if problem != nil {
				why = *problem
			}
			return pgassay.WithHint(fmt.Errorf("setting %s = %s is not in force on the server: %s", s.Name, s.Value, why),
				"A database's, a role's or the command line's own value hides it.")
		}
	}
	return nil
}
