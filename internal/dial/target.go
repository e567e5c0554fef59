package dial

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Target says how to reach one database on one server (or on the first of
// several that answers). It is immutable and safe for concurrent use; it holds
// the password, but no verb of package fmt prints it.
type Target struct {
	config *pgconn.Config
	// timeout limits one try on one host.
	timeout time.Duration
	// passwordSource says where the password came from, for the advice after
	// it was refused: "" when there is none.
	passwordSource string
	warnings       []string
}

// DefaultTimeout limits one try to connect to one host, unless the user's
// connect_timeout says otherwise.
const DefaultTimeout = 10 * time.Second

// Socket returns the target of a server that pgassay created: the server
// listens on the Unix socket of the given port in dir. There is no password
// and no TLS, and neither PG* variables nor service files have a say.
func Socket(dir string, port int, user, database string) *Target {
	c := base()
	c.Host, c.Port = dir, uint16(port)
	c.User, c.Database = user, database
	c.RuntimeParams = sessionDefaults()
	return &Target{config: c, timeout: DefaultTimeout}
}

// WithDatabase returns the same target with another database.
func (t *Target) WithDatabase(name string) *Target {
	u := t.clone()
	u.config.Database = name
	return u
}

// WithOption returns the same target with a run-time parameter that is sent
// when the session starts, such as synchronous_commit; it becomes the session's
// default (RESET returns to it). It takes the place of an earlier value.
func (t *Target) WithOption(name, value string) *Target {
	u := t.clone()
	u.config.RuntimeParams[name] = value
	return u
}

func (t *Target) clone() *Target {
	u := *t
	u.config = t.config.Copy()
	if u.config.RuntimeParams == nil {
		u.config.RuntimeParams = map[string]string{}
	}
	return &u
}

// Config returns a copy of what pgconn is given, with the password. Its
// application_name is the user's own or absent.
func (t *Target) Config() *pgconn.Config { return t.config.Copy() }

// Host is the first host: a name, an address, or the directory of a Unix
// socket (it starts with "/" or "@").
func (t *Target) Host() string { return t.config.Host }

// Port is the first host's port.
func (t *Target) Port() int { return int(t.config.Port) }

// User is the database user.
func (t *Target) User() string { return t.config.User }

// Database is the database's name.
func (t *Target) Database() string { return t.config.Database }

// Options returns a copy of the run-time parameters that are sent when a
// session starts.
func (t *Target) Options() map[string]string { return maps.Clone(t.config.RuntimeParams) }

// IsSocket says whether the (first) host is a Unix socket, so that the server
// runs on this host.
func (t *Target) IsSocket() bool { return isSocket(t.config.Host) }

func isSocket(host string) bool {
	return strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@")
}

// Warnings are things about the connection's files that the user should know,
// such as a password file that was ignored; each is a sentence.
func (t *Target) Warnings() []string { return slices.Clone(t.warnings) }

// String describes the target for people, without a password:
// "user@host:port/database", with a socket's directory in place of host.
func (t *Target) String() string {
	return fmt.Sprintf("%s@%s/%s", t.config.User, t.Address(), t.config.Database)
}

// GoString keeps the password out of %#v too.
func (t *Target) GoString() string { return "dial.Target(" + t.String() + ")" }

// Address is the server alone: "host:port", or "dir:port" for a Unix socket;
// several hosts are separated by commas.
func (t *Target) Address() string {
	var parts []string
	add := func(host string, port uint16) {
		p := host + ":" + strconv.Itoa(int(port))
		if !isSocket(host) {
			p = net.JoinHostPort(host, strconv.Itoa(int(port)))
		}
		if len(parts) == 0 || parts[len(parts)-1] != p {
			parts = append(parts, p)
		}
	}
	add(t.config.Host, t.config.Port)
	for _, f := range t.config.Fallbacks { // the same host comes twice with sslmode=prefer
		add(f.Host, f.Port)
	}
	return strings.Join(parts, ",")
}
