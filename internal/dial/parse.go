package dial

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// Flags are the connection flags of a command, with psql's meaning; "" is not
// given.
type Flags struct {
	// DSN is a connection string: key=value pairs or a postgresql:// URI; a text
	// that is neither is a database's name.
	DSN string
	// Host, Port and User are -h, -p and -U. Database is -d, which may be a
	// connection string instead of DSN.
	Host, Port, User, Database string
	// Password asks the user for the password (-W). It is called once, unless
	// the connection string has a password; nil when -W was not given. To ask
	// only when the server wants one, see [Target.NeedsPassword].
	Password func() (string, error)
	// NoPassword never asks (-w), whatever Password is.
	NoPassword bool
}

// Parse collects what the flags, the service file, the environment (env, such
// as os.LookupEnv) and the password file say. What is named earlier wins:
//
//  1. the connection string (as in psql, it wins over the flags)
//  2. the flags
//  3. the service (PGSERVICE or service=) from PGSERVICEFILE or
//     ~/.pg_service.conf, else from the system's pg_service.conf
//  4. the variables
//  5. defaults: the local socket, port 5432, the account's name as user, the
//     user's name as database; the password from ~/.pgpass
//
// Files are read here and not again. An error wraps [pgassay.ErrUsage] and
// never tells a password.
func Parse(f Flags, env func(string) (string, bool)) (*Target, error) {
	s, err := f.settings()
	if err != nil {
		return nil, fmt.Errorf("parse connection: %w", asUsage(err))
	}
	home := homeDir(env)
	fromVars := fromEnv(env)
	if err := s.addService(fromVars, home, env); err != nil {
		return nil, fmt.Errorf("parse connection: %w", err)
	}
	passwordFrom := s.passwordOrigin(fromVars)
	s.fill(fromVars)
	if err := s.refuse(); err != nil {
		return nil, fmt.Errorf("parse connection: %w", err)
	}
	s.addDefaults(home)
	ends, err := s.endpoints()
	if err != nil {
		return nil, fmt.Errorf("parse connection: %w", asUsage(err))
	}
	t := &Target{passwordSource: passwordFrom}
	if s["password"] == "" && s["passfile"] != "" {
		var warning string
		s["password"], warning = passwordFromFile(s["passfile"], ends, s["dbname"], s["user"])
		if warning != "" {
			t.warnings = append(t.warnings, warning)
		}
		if s["password"] != "" {
			t.passwordSource = "the password file " + s["passfile"]
		}
	}
	if t.timeout, err = s.timeout(); err != nil {
		return nil, fmt.Errorf("parse connection: %w", asUsage(err))
	}
	if t.config, err = s.config(ends); err != nil {
		return nil, fmt.Errorf("parse connection: %w", asUsage(err))
	}
	return t, nil
}

// asUsage marks an error as a mistake of the request, once, without secrets.
func asUsage(err error) error {
	wrapped := fmt.Errorf("%w: %w", pgassay.ErrUsage, err)
	if strings.Contains(err.Error(), pgassay.ErrUsage.Error()) {
		wrapped = err
	}
	return wrapped
}

// settings merges the connection string and the flags.
func (f Flags) settings() (settings, error) {
	text, database := f.DSN, f.Database
	if isConnString(database) {
		if text != "" {
			return nil, fmt.Errorf("two connection strings were given")
		}
		text, database = database, ""
	}
	s, err := parseString(text)
	if err != nil {
		return nil, err
	}
	flags := settings{}
	for name, v := range map[string]string{"host": f.Host, "port": f.Port, "user": f.User, "dbname": database} {
		if v != "" {
			flags[name] = v
		}
	}
	s.fill(flags)
	if f.Password != nil && !f.NoPassword && s["password"] == "" {
		p, err := f.Password()
		if err != nil {
			return nil, fmt.Errorf("ask for password: %w", err)
		}
		s["password"] = p
	}
	return s, nil
}

// addService fills in the service's settings, which rank below what is there.
func (s settings) addService(vars settings, home string, env func(string) (string, bool)) error {
	first := func(name string) string {
		if v, ok := s[name]; ok {
			return v
		}
		return vars[name]
	}
	name := first("service")
	if name == "" {
		return nil
	}
	files, explicit := serviceFiles(first("servicefile"), home, env)
	found, err := readService(name, files, explicit)
	if err != nil {
		return err
	}
	s.fill(found)
	return nil
}

// passwordOrigin says in words where the password comes from.
func (s settings) passwordOrigin(vars settings) string {
	switch {
	case s["password"] != "":
		return "the connection string, the service file or the prompt"
	case vars["password"] != "":
		return "PGPASSWORD"
	}
	return ""
}

// homeDir is HOME, else the account's directory, "" when there is none.
func homeDir(env func(string) (string, bool)) string {
	if home, ok := env("HOME"); ok && home != "" {
		return home
	}
	if u, err := user.Current(); err == nil {
		return u.HomeDir
	}
	return ""
}

// addDefaults fills in what libpq does when nothing is said.
func (s settings) addDefaults(home string) {
	if s["user"] == "" {
		if u, err := user.Current(); err == nil {
			s["user"] = u.Username
		}
	}
	if s["dbname"] == "" {
		s["dbname"] = s["user"]
	}
	if home == "" {
		return
	}
	s.fill(settings{"passfile": filepath.Join(home, ".pgpass")})
	dir := filepath.Join(home, ".postgresql")
	exists := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	if exists("postgresql.crt") && exists("postgresql.key") {
		s.fill(settings{"sslcert": filepath.Join(dir, "postgresql.crt"), "sslkey": filepath.Join(dir, "postgresql.key")})
	}
	if exists("root.crt") {
		s.fill(settings{"sslrootcert": filepath.Join(dir, "root.crt")})
	}
}

// timeout is connect_timeout; as in libpq 0, a negative and an absent one mean
// no opinion, which is [DefaultTimeout] here: no wait is endless.
func (s settings) timeout() (time.Duration, error) {
	text := strings.TrimSpace(s["connect_timeout"])
	if text == "" {
		return DefaultTimeout, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("connect_timeout %q is not a whole number of seconds", text)
	}
	if n <= 0 {
		return DefaultTimeout, nil
	}
	return time.Duration(n) * time.Second, nil
}
