package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/pgassay/pgassay"
)

// Superuser is the superuser of every server that we create, and the name of
// the database that experiments use.
const Superuser = "pgassay"

// LogLinePrefix is the log_line_prefix of our servers: time, process id and
// backend type.
const LogLinePrefix = "%m [%p] %b "

// port is the number in the socket's name; sockets are in directories of their
// own, so it never clashes.
const port = 5432

// ours are the settings that make a created server observable and safe. The
// user's win over those that are not in reserved.
var ours = []pgassay.Setting{
	// What initdb would have written into postgresql.conf.
	{Name: "shared_buffers", Value: "128MB"},
	{Name: "default_text_search_config", Value: "pg_catalog.english"},
	{Name: "cluster_name", Value: "pgassay"},
	{Name: "fsync", Value: "on"},
	{Name: "lc_messages", Value: "C"},
	{Name: "log_timezone", Value: "UTC"},
	{Name: "timezone", Value: "UTC"},
	{Name: "log_autovacuum_min_duration", Value: "0"},
	{Name: "log_autoanalyze_min_duration", Value: "0"}, // 19
	{Name: "log_checkpoints", Value: "on"},
	{Name: "track_io_timing", Value: "on"},
	{Name: "track_cost_delay_timing", Value: "on"}, // 18
}

// reserved are settings that the user may not change, with the reason.
var reserved = map[string]string{
	"listen_addresses":            "our servers listen on a Unix socket only",
	"port":                        "our servers listen on a Unix socket of their own",
	"unix_socket_directories":     "our servers listen on a Unix socket of their own",
	"unix_socket_permissions":     "our servers' sockets are for one user only",
	"data_directory":              "the data directory is a clone of the template",
	"hba_file":                    "access is decided by the socket's directory",
	"ident_file":                  "access is decided by the socket's directory",
	"config_file":                 "the settings come from the experiment",
	"external_pid_file":           "the server is our child process",
	"logging_collector":           "the server's log is read while it runs",
	"log_destination":             "the server's log is read while it runs",
	"log_line_prefix":             "the server's log is read while it runs",
	"log_timezone":                "the server's log is read while it runs",
	"lc_messages":                 "the server's log is read while it runs",
	"log_min_messages":            "the server's log is read while it runs",
	"archive_command":             "our servers run no command of the user",
	"archive_library":             "our servers run no command of the user",
	"restore_command":             "our servers run no command of the user",
	"archive_cleanup_command":     "our servers run no command of the user",
	"recovery_end_command":        "our servers run no command of the user",
	"ssl_passphrase_command":      "our servers run no command of the user",
	"primary_conninfo":            "our servers follow no other server",
	"cluster_name":                "it marks the server as ours",
	"include":                     "it is a directive of postgresql.conf",
	"include_dir":                 "it is a directive of postgresql.conf",
	"include_if_exists":           "it is a directive of postgresql.conf",
	"log_autovacuum_min_duration": "every autovacuum must be seen",
}

// Reserved says why a setting cannot be changed on our servers, "" when it can.
func Reserved(name string) string { return reserved[strings.ToLower(name)] }

// merge puts lists of settings over each other: later ones win. Names are
// compared without case, as PostgreSQL does; the order is by name.
func merge(lists ...[]pgassay.Setting) []pgassay.Setting {
	byName := map[string]pgassay.Setting{}
	for _, list := range lists {
		for _, s := range list {
			byName[strings.ToLower(s.Name)] = s
		}
	}
	out := make([]pgassay.Setting, 0, len(byName))
	for _, s := range byName {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// configuration is the text of a configuration file.
func configuration(settings []pgassay.Setting) string {
	var b strings.Builder
	for _, s := range settings {
		fmt.Fprintf(&b, "%s = %s\n", s.Name, quote(s.Value))
	}
	return b.String()
}

// quote writes a value as postgresql.conf wants it (guc-file.l): a quote and a
// backslash are doubled, and a line's end, which a value must not have, becomes
// an escape.
func quote(v string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''", "\n", `\n`, "\r", `\r`).Replace(v) + "'"
}

// settingName is what guc-file.l takes for a setting's name.
var settingName = regexp.MustCompile(`^[A-Za-z_\x80-\xff][A-Za-z_0-9$\x80-\xff]*(\.[A-Za-z_\x80-\xff][A-Za-z_0-9$\x80-\xff]*)*$`)

// allowed refuses settings that are not the user's on our servers, and names
// that would mean something else in the file.
func allowed(settings []pgassay.Setting) error {
	for _, s := range settings {
		if !settingName.MatchString(s.Name) || strings.ContainsRune(s.Value, 0) {
			return fmt.Errorf("%w: setting %q = %q cannot be written to postgresql.conf", pgassay.ErrUsage, s.Name, s.Value)
		}
		if why := Reserved(s.Name); why != "" {
			return pgassay.WithHint(fmt.Errorf("%w: setting %s cannot be changed: %s", pgassay.ErrUsage, s.Name, why), "Take it out of the experiment.")
		}
	}
	return nil
}

// configFile holds the settings of one instance. postgresql.conf of every
// cluster of ours is one line that includes it.
const configFile = "pgassay.conf"

// configure writes an instance's settings: ours, the socket's, then the
// user's. known says which of ours the build has.
func (h *Home) configure(dataDir, socketDir string, known func(string) bool, user []pgassay.Setting) error {
	if err := allowed(user); err != nil {
		return err
	}
	var base []pgassay.Setting
	for _, s := range ours {
		if known(s.Name) {
			base = append(base, s)
		}
	}
	fixed := []pgassay.Setting{
		{Name: "listen_addresses", Value: ""},
		{Name: "port", Value: fmt.Sprint(port)},
		{Name: "unix_socket_directories", Value: listItem(socketDir)},
		{Name: "unix_socket_permissions", Value: "0700"},
		{Name: "logging_collector", Value: "off"},
		{Name: "log_destination", Value: "stderr"},
		{Name: "log_line_prefix", Value: LogLinePrefix},
	}
	return h.writeFile(filepath.Join(dataDir, configFile), configuration(merge(base, user, fixed)))
}

// listItem writes a path as an item of a list of directories
// (SplitDirectoriesString): quoted, because a comma would end it.
func listItem(path string) string { return `"` + strings.ReplaceAll(path, `"`, `""`) + `"` }

// writeFile writes a small file that belongs to the servers' account. It is
// there as a whole or not at all, and replaces a link instead of following it:
// the account owns the directory, and we may be root.
func (h *Home) writeFile(path, text string) (err error) {
	defer func() {
		if err != nil {
			err = diskFull(fmt.Errorf("write %s: %w", filepath.Base(path), err))
		}
	}()
	f, err := os.CreateTemp(filepath.Dir(path), ".new-") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close(), h.user.give(f.Name())); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}
