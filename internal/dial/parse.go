package dial

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgassay/pgassay"
)

// Flags are the connection flags of a command, with psql's meaning; "" is not
// given.
type Flags struct {
	// DSN is a connection string: key=value pairs, a postgresql:// URI, or just
	// a database name. The other flags win over what it says.
	DSN                        string
	Host, Port, User, Database string
	// Password asks the user for the password (-W); nil when that was not asked
	// for.
	Password func() (string, error)
	// NoPassword never asks (-w).
	NoPassword bool
}

// Parse collects what flags, environment and files say.
func Parse(f Flags, env func(string) (string, bool)) (*Target, error) {
	text := f.DSN
	for _, kv := range [][2]string{{"host", f.Host}, {"port", f.Port}, {"user", f.User}, {"dbname", f.Database}} {
		if kv[1] != "" {
			text += fmt.Sprintf(" %s='%s'", kv[0], strings.ReplaceAll(kv[1], "'", `\'`))
		}
	}
	c, err := pgconn.ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("parse connection: %w: %s", pgassay.ErrUsage, Redact(err.Error()))
	}
	t := &Target{config: c, timeout: DefaultTimeout}
	if c.ConnectTimeout > 0 {
		t.timeout = max(c.ConnectTimeout, time.Second)
	}
	return t, nil
}
