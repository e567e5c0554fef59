package dial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// settings are connection parameters by libpq's keyword.
type settings map[string]string

// use says what we do with a keyword.
type use int

const (
	used     use = iota // here or by pgconn
	option              // a run-time parameter of the session
	harmless            // accepted without effect: it does not change what is reached, nor how safely
	refused             // would make the connection safer or different than we can
)

// keyword is one of libpq's connection parameters.
type keyword struct {
	name string
	env  string // the variable that gives its default, "" for none
	use  use
}

// keywords are those of libpq up to version 18, and three variables that libpq
// sends as run-time parameters (PostgreSQL manual, "Parameter Key Words" and
// "Environment Variables").
var keywords = []keyword{
	{"host", "PGHOST", used}, {"hostaddr", "PGHOSTADDR", used}, {"port", "PGPORT", used},
	{"dbname", "PGDATABASE", used}, {"user", "PGUSER", used},
	{"password", "PGPASSWORD", used}, {"passfile", "PGPASSFILE", used},
	{"service", "PGSERVICE", used}, {"servicefile", "PGSERVICEFILE", used},
	{"connect_timeout", "PGCONNECT_TIMEOUT", used},
	{"sslmode", "PGSSLMODE", used}, {"sslnegotiation", "PGSSLNEGOTIATION", used},
	{"sslcert", "PGSSLCERT", used}, {"sslkey", "PGSSLKEY", used}, {"sslrootcert", "PGSSLROOTCERT", used},
	{"sslcertmode", "PGSSLCERTMODE", used}, {"sslsni", "PGSSLSNI", used}, {"sslpassword", "", used},
	{"ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION", used},
	{"ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION", used},
	{"min_protocol_version", "PGMINPROTOCOLVERSION", used}, {"max_protocol_version", "PGMAXPROTOCOLVERSION", used},
	{"channel_binding", "PGCHANNELBINDING", used}, {"require_auth", "PGREQUIREAUTH", used},
	{"target_session_attrs", "PGTARGETSESSIONATTRS", used},
	{"krbsrvname", "PGKRBSRVNAME", used}, {"gssencmode", "PGGSSENCMODE", used},

	{"options", "PGOPTIONS", option}, {"timezone", "PGTZ", option},
	{"datestyle", "PGDATESTYLE", option}, {"geqo", "PGGEQO", option},

	{"application_name", "PGAPPNAME", harmless}, {"fallback_application_name", "", harmless}, // ours is always "pgassay/…"
	{"client_encoding", "PGCLIENTENCODING", harmless}, // ours is always UTF8
	{"load_balance_hosts", "PGLOADBALANCEHOSTS", harmless},
	{"keepalives", "", harmless}, {"keepalives_idle", "", harmless}, {"keepalives_interval", "", harmless},
	{"keepalives_count", "", harmless}, {"tcp_user_timeout", "", harmless},
	{"sslcompression", "PGSSLCOMPRESSION", harmless}, {"sslkeylogfile", "", harmless},
	{"gsslib", "PGGSSLIB", harmless}, {"gssdelegation", "PGGSSDELEGATION", harmless},

	{"sslcrl", "PGSSLCRL", refused}, {"sslcrldir", "PGSSLCRLDIR", refused}, {"requirepeer", "PGREQUIREPEER", refused},
	{"replication", "", refused}, {"requiressl", "PGREQUIRESSL", refused},
	{"scram_client_key", "", refused}, {"scram_server_key", "", refused},
	{"oauth_issuer", "", refused}, {"oauth_client_id", "", refused}, {"oauth_client_secret", "", refused}, {"oauth_scope", "", refused},
}

// envOnly are keywords that libpq knows as variables only.
var envOnly = []string{"timezone", "datestyle", "geqo"}

func lookupKeyword(name string) (keyword, bool) {
	i := slices.IndexFunc(keywords, func(k keyword) bool { return k.name == name })
	if i < 0 {
		return keyword{}, false
	}
	return keywords[i], true
}

// checkKeyword says whether a connection string or a service may use a keyword.
func checkKeyword(name string) error {
	if _, ok := lookupKeyword(name); ok && !slices.Contains(envOnly, name) {
		return nil
	}
	err := fmt.Errorf("%w: invalid connection option %q", pgassay.ErrUsage, name)
	if near := nearKeyword(name); near != "" {
		return pgassay.WithHint(err, fmt.Sprintf("Did you mean %q?", near))
	}
	return pgassay.WithHint(err, fmt.Sprintf("Connection options are those of libpq. To set a PostgreSQL parameter for the session, write options='-c %s=…'.", name))
}

// nearKeyword finds what was probably meant: a name that people know from
// elsewhere, or one that differs in case, in separators or in two letters.
func nearKeyword(name string) string {
	switch strings.ToLower(name) {
	case "database", "db", "databasename":
		return "dbname"
	case "username":
		return "user"
	case "hostname", "server":
		return "host"
	case "pass", "passwd", "pwd":
		return "password"
	case "timeout":
		return "connect_timeout"
	}
	best, bestDistance := "", 3
	for _, k := range keywords {
		if d := distance(strings.ToLower(name), k.name); d < bestDistance && d <= len(k.name)/2 && !slices.Contains(envOnly, k.name) {
			best, bestDistance = k.name, d
		}
	}
	return best
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// refuse reports keywords that we cannot honour: to ignore them would make a
// connection that the user did not want.
func (s settings) refuse() error {
	for _, k := range keywords {
		if k.use == refused && s[k.name] != "" {
			return fmt.Errorf("%w: connection option %q is not supported", pgassay.ErrUsage, k.name)
		}
	}
	if s["gssencmode"] == "require" {
		return fmt.Errorf("%w: gssencmode=require is not supported: pgassay encrypts with TLS only", pgassay.ErrUsage)
	}
	return nil
}

// fill adds what is not given yet. As in libpq, a value that is there but
// empty is given in a connection string and not given in a variable.
func (s settings) fill(from settings) {
	for k, v := range from {
		if _, ok := s[k]; !ok {
			s[k] = v
		}
	}
}

// fromEnv collects the variables.
func fromEnv(env func(string) (string, bool)) settings {
	s := settings{}
	for _, k := range keywords {
		if k.env == "" {
			continue
		}
		if v, ok := env(k.env); ok && v != "" {
			s[k.name] = v
		}
	}
	return s
}
