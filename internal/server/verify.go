package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
)

// verify makes sure, in a new session like those of the workload, that every
// setting has the value that was asked for, that it comes from our file, and
// that no setting waits for a restart.
func verify(ctx context.Context, conn *pgx.Conn, settings []pgassay.Setting) error {
	rows, err := conn.Query(ctx, "SELECT lower(name), setting, coalesce(unit, ''), vartype, source, coalesce(sourcefile, ''), pending_restart FROM pg_settings")
	if err != nil {
		return fmt.Errorf("verify settings: %w", err)
	}
	states, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s pgassay.SettingState, err error) {
		err = row.Scan(&s.Name, &s.Setting, &s.Unit, &s.VarType, &s.Source, &s.SourceFile, &s.PendingRestart)
		return s, err
	})
	if err != nil {
		return fmt.Errorf("verify settings: %w", err)
	}
	byName := map[string]pgassay.SettingState{}
	for _, s := range states {
		byName[s.Name] = s
	}
	var errs []error
	for _, s := range settings {
		state, ok := byName[strings.ToLower(s.Name)]
		switch {
		case ok:
			errs = append(errs, inForce(s, state))
		case !strings.Contains(s.Name, "."): // else a placeholder for an extension that is not loaded yet
			errs = append(errs, fmt.Errorf("%w: this server has no setting %s", pgassay.ErrUsage, s.Name))
		}
		delete(byName, strings.ToLower(s.Name))
	}
	for _, s := range byName {
		if s.PendingRestart {
			errs = append(errs, fmt.Errorf("setting %s has changed in the file, and the change waits for a restart", s.Name))
		}
	}
	return errors.Join(errs...)
}

// inForce says how a setting differs from what was asked for.
func inForce(wanted pgassay.Setting, is pgassay.SettingState) error {
	why := ""
	switch {
	case is.PendingRestart:
		why = "the change waits for a restart"
	case is.Source == "override" && leavesItToTheServer(wanted.Value):
		return nil // wal_buffers = -1 and the like: the server has chosen
	case is.Source != "configuration file":
		why = "it comes from: " + is.Source
	case is.SourceFile != "" && filepath.Base(is.SourceFile) != configFile:
		why = "it comes from " + is.SourceFile
	case !sameValue(wanted.Value, is):
		why = "it differs"
	default:
		return nil
	}
	return pgassay.WithHint(fmt.Errorf("setting %s = %s is not in force: the server has %s (%s)", wanted.Name, wanted.Value, withUnit(is), why),
		"Something else sets it: ALTER SYSTEM, or a database's or role's own settings, in the dataset's or the arm's SQL perhaps.")
}

func leavesItToTheServer(value string) bool {
	value = strings.TrimSpace(value)
	return value == "-1" || value == "0"
}

func withUnit(s pgassay.SettingState) string {
	if s.Unit == "" {
		return s.Setting
	}
	return s.Setting + " (unit " + s.Unit + ")"
}
