package journal

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind says where a changed parameter is stored.
type Kind string

// The kinds of changes.
const (
	AlterSystem      Kind = "alter-system"      // a line of postgresql.auto.conf
	StorageParameter Kind = "storage-parameter" // a table's reloptions
	DatabaseSetting  Kind = "database-setting"  // ALTER DATABASE … SET
)

// Value is a parameter's value in one place.
type Value struct {
	// Present says that the place has an entry; if not, undoing means RESET.
	Present bool `json:"present"`
	// Text is the value as it is written, Source where the server said that the
	// effective value came from (pg_settings.source, or "reloptions").
	Text   string `json:"text,omitempty"`
	Source string `json:"source,omitempty"`
}

// Change is one parameter that is changed in one place.
type Change struct {
	// Seq counts a journal's changes from 1; Record sets it.
	Seq  int    `json:"seq"`
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	// Table is the table of a storage parameter, as SQL writes it: qualified,
	// and quoted where needed. A TOAST table's parameter has a Name that starts
	// with "toast.".
	Table string `json:"table,omitempty"`
	// Database is the database that the table is in, or that a database
	// setting belongs to.
	Database string `json:"database,omitempty"`
	Before   Value  `json:"before"`
	After    Value  `json:"after"`
	// At is when the change was recorded.
	At time.Time `json:"at"`
}

// validate refuses what could not be undone.
func (c Change) validate() error {
	switch {
	case c.Name == "":
		return fmt.Errorf("a change without a parameter")
	case c.Kind == StorageParameter && (c.Table == "" || c.Database == ""):
		return fmt.Errorf("storage parameter %s without its table and database", c.Name)
	case c.Kind == DatabaseSetting && c.Database == "":
		return fmt.Errorf("database setting %s without its database", c.Name)
	case c.Kind != AlterSystem && c.Kind != StorageParameter && c.Kind != DatabaseSetting:
		return fmt.Errorf("unknown kind of change %q", c.Kind)
	}
	return nil
}

// Undo is the statement that puts the parameter back. A storage parameter's
// must run in c.Database; none may run in a transaction block with others, and
// after an alter-system the server must be told to reload.
func (c Change) Undo() string {
	switch c.Kind {
	case StorageParameter:
		if !c.Before.Present {
			return fmt.Sprintf("ALTER TABLE %s RESET (%s)", c.Table, quoteName(c.Name))
		}
		return fmt.Sprintf("ALTER TABLE %s SET (%s = %s)", c.Table, quoteName(c.Name), quoteLiteral(c.Before.Text))
	case DatabaseSetting:
		return "ALTER DATABASE " + quoteIdent(c.Database) + c.setOrReset()
	}
	return "ALTER SYSTEM" + c.setOrReset()
}

func (c Change) setOrReset() string {
	if !c.Before.Present {
		return " RESET " + quoteName(c.Name)
	}
	return " SET " + quoteName(c.Name) + " = " + settingLiteral(c.Name, c.Before.Text)
}

// quoteName quotes the parts of a parameter's name, such as ext.param.
func quoteName(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = quoteIdent(p)
	}
	return strings.Join(parts, ".")
}

func quoteIdent(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// quoteLiteral needs no knowledge of standard_conforming_strings.
func quoteLiteral(s string) string {
	q := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(q, `\`, `\\`)
	}
	return q
}

// quotedLists are the parameters whose value is a list of quoted names
// (GUC_LIST_QUOTE; the list of pg_dump's variable_is_guc_list_quote). Given one
// literal, SET would take it for a single name.
var quotedLists = []string{
	"local_preload_libraries", "search_path", "session_preload_libraries",
	"shared_preload_libraries", "temp_tablespaces", "unix_socket_directories",
}

func settingLiteral(name, value string) string {
	if !slices.Contains(quotedLists, strings.ToLower(name)) {
		return quoteLiteral(value)
	}
	var parts []string
	for _, p := range splitList(value) {
		parts = append(parts, quoteLiteral(p))
	}
	if len(parts) == 0 {
		return "''"
	}
	return strings.Join(parts, ", ")
}

// splitList reads "a, "b c", d": names with commas between them, in double
// quotes where needed.
func splitList(s string) []string {
	var parts []string
	for s = strings.TrimSpace(s); s != ""; {
		var name string
		if strings.HasPrefix(s, `"`) {
			name, s = quotedName(s[1:])
		} else {
			name, s, _ = strings.Cut(s, ",")
			s = "," + s
		}
		if name = strings.TrimSpace(name); name != "" {
			parts = append(parts, name)
		}
		s = strings.TrimLeft(s, ", \t\n")
	}
	return parts
}

// quotedName takes a name up to its closing quote.
func quotedName(s string) (name, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			if i+1 == len(s) || s[i+1] != '"' {
				return b.String(), s[i+1:]
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
