package dial

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// baseConfig is a configuration that nothing outside this file had a say in.
// Only pgx can make one, and pgx always reads the process environment; so every
// variable that it knows is overridden here by a keyword, and what remains is
// cleared by hand.
var baseConfig = sync.OnceValue(func() *pgx.ConnConfig {
	text := neutral + " host=/ port=1 user=nobody dbname=postgres sslmode=disable"
	c, err := withService(text, pgx.ParseConfig)
	if err != nil {
		panic(fmt.Sprintf("dial: base configuration: %v", err)) // a constant text: cannot fail
	}
	c.RuntimeParams = map[string]string{}
	c.Password = ""
	return c
})

// neutral gives every keyword that has an environment variable in pgconn its
// default, except those that every caller sets.
const neutral = `password=none passfile=/dev/null application_name='' connect_timeout=0 sslcert='' sslkey='' sslcertmode=allow
	sslsni=1 sslrootcert='' sslpassword='' sslnegotiation=postgres target_session_attrs=any timezone='' options=''
	min_protocol_version=3.0 max_protocol_version=3.0 channel_binding=prefer require_auth=''`

// withService calls parse so that PGSERVICE of the process environment has no
// effect. pgconn looks a service up whenever that variable is set, and an empty
// keyword does not switch it off; so it is given a service file with one empty
// service. A pipe serves as the file: nothing is left behind.
func withService[C any](text string, parse func(string) (C, error)) (C, error) {
	if os.Getenv("PGSERVICE") == "" {
		return parse(text)
	}
	var zero C
	r, w, err := os.Pipe()
	if err != nil {
		return zero, fmt.Errorf("open pipe: %w", err)
	}
	defer r.Close()
	_, err = w.WriteString("[none]\n")
	if err := errors.Join(err, w.Close()); err != nil {
		return zero, fmt.Errorf("write pipe: %w", err)
	}
	return parse(fmt.Sprintf("%s service=none servicefile=/dev/fd/%d", text, r.Fd()))
}

// base returns a fresh configuration without host, user, password, TLS and
// run-time parameters.
func base() *pgconn.Config { return baseConfig().Config.Copy() }
