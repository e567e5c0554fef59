package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// forPgconn are the keywords whose meaning is pgconn's business. All others
// are set here.
var forPgconn = []string{
	"sslmode", "sslnegotiation", "sslcert", "sslkey", "sslrootcert", "sslcertmode", "sslsni", "sslpassword",
	"min_protocol_version", "max_protocol_version", "channel_binding", "require_auth", "target_session_attrs", "krbsrvname",
}

// config turns complete settings into pgconn's configuration. pgconn reads the
// process environment; as every keyword that has a variable is given a value,
// it does not matter.
func (s settings) config(ends []endpoint) (*pgconn.Config, error) {
	var hosts, ports []string
	for _, e := range ends {
		hosts, ports = append(hosts, e.host), append(ports, e.port)
	}
	var b strings.Builder
	b.WriteString(neutral)
	put := func(name, value string) { fmt.Fprintf(&b, " %s=%s", name, quoteValue(value)) }
	put("host", strings.Join(hosts, ","))
	put("port", strings.Join(ports, ","))
	put("user", s["user"])
	put("dbname", s["dbname"])
	if s["sslmode"] == "" {
		put("sslmode", "prefer")
	}
	for _, name := range forPgconn {
		if v, ok := s[name]; ok && v != "" {
			put(name, v)
		}
	}
	c, err := withService(b.String(), pgconn.ParseConfig)
	if err != nil {
		return nil, pgconnError(err)
	}
	c.User, c.Database, c.Password = s["user"], s["dbname"], s["password"]
	c.RuntimeParams = sessionDefaults()
	for _, k := range keywords {
		if v := s[k.name]; k.use == option && v != "" {
			c.RuntimeParams[k.name] = v
		}
	}
	if err := s.limitTLS(c); err != nil {
		return nil, err
	}
	c.LookupFunc = lookup(ends, c.LookupFunc)
	return c, nil
}

// pgconnError takes the reason out of pgconn's error, which also quotes the
// whole connection string that we made.
func pgconnError(err error) error {
	text := err.Error()
	if i := strings.LastIndex(text, "`: "); i >= 0 {
		text = text[i+len("`: "):]
	}
	return errors.New(Redact(text))
}

// sessionDefaults are the run-time parameters of every session. Go's strings
// are UTF-8, so PGCLIENTENCODING is not followed.
func sessionDefaults() map[string]string { return map[string]string{"client_encoding": "UTF8"} }

// lookup resolves host names, and those with a hostaddr to that address only.
func lookup(ends []endpoint, resolve pgconn.LookupFunc) pgconn.LookupFunc {
	known := map[string][]string{}
	for _, e := range ends {
		if e.addr != "" {
			known[e.host] = append(known[e.host], net.JoinHostPort(e.addr, e.port))
		}
	}
	if len(known) == 0 {
		return resolve
	}
	return func(ctx context.Context, host string) ([]string, error) {
		if addrs := known[host]; len(addrs) > 0 {
			return addrs, nil
		}
		return resolve(ctx, host)
	}
}

var tlsVersions = map[string]uint16{
	"tlsv1": tls.VersionTLS10, "tlsv1.1": tls.VersionTLS11, "tlsv1.2": tls.VersionTLS12, "tlsv1.3": tls.VersionTLS13,
}

// limitTLS applies ssl_min_protocol_version and ssl_max_protocol_version.
func (s settings) limitTLS(c *pgconn.Config) error {
	for _, name := range []string{"ssl_min_protocol_version", "ssl_max_protocol_version"} {
		if s[name] == "" {
			continue
		}
		version, ok := tlsVersions[strings.ToLower(s[name])]
		if !ok {
			return fmt.Errorf("%s %q is not one of TLSv1, TLSv1.1, TLSv1.2, TLSv1.3", name, s[name])
		}
		configs := []*tls.Config{c.TLSConfig}
		for _, f := range c.Fallbacks {
			configs = append(configs, f.TLSConfig)
		}
		for _, t := range configs {
			switch {
			case t == nil:
			case name == "ssl_min_protocol_version":
				t.MinVersion = version
			default:
				t.MaxVersion = version
			}
		}
	}
	return nil
}
