package observe

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
)

// settingsSQL reads pg_settings. NULLs become "".
const settingsSQL = `SELECT name, coalesce(setting, ''), coalesce(unit, ''), coalesce(category, ''), context, vartype, source, coalesce(sourcefile, ''),
	coalesce(min_val, ''), coalesce(max_val, ''), enumvals, coalesce(boot_val, ''), pending_restart FROM pg_settings ORDER BY name`

// Settings returns all settings as this session sees them, by name. Values that
// can hold secrets are masked. Without pg_read_all_settings the server leaves
// out some rows and the source files.
func Settings(ctx context.Context, conn *pgx.Conn) ([]pgassay.SettingState, error) {
	rows, err := conn.Query(ctx, settingsSQL)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (pgassay.SettingState, error) {
		var s pgassay.SettingState
		err := row.Scan(&s.Name, &s.Setting, &s.Unit, &s.Category, &s.Context, &s.VarType, &s.Source, &s.SourceFile, &s.Min, &s.Max, &s.EnumValues, &s.BootValue, &s.PendingRestart)
		s.Setting, s.BootValue = dial.RedactSetting(s.Name, s.Setting), dial.RedactSetting(s.Name, s.BootValue)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return all, nil
}
