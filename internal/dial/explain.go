package dial

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgassay/pgassay"
)

// explain makes the error for the user: which server, why, and as the hint
// what can be done. The caller's own end of ctx is no failure to connect.
func (t *Target) explain(ctx context.Context, err error, tries int) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("connect to %s: %w", t, context.Canceled)
	}
	text, hint := t.diagnose(err)
	if tries > 1 {
		text = fmt.Sprintf("%s (%d tries)", text, tries)
	}
	return pgassay.WithHint(fmt.Errorf("connect to %s: %w: %w", t, pgassay.ErrConnect, &cause{text, err}), hint)
}

// cause is an error with a text of our own.
type cause struct {
	text string
	err  error
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.err }

// NeedsPassword says whether err came of this target having no password
// although the server wants one: the moment to ask the user and parse again.
func (t *Target) NeedsPassword(err error) bool {
	return t.config.Password == "" && sqlState(err) == "28P01"
}

func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// diagnose finds the most telling error of all hosts and attempts.
func (t *Target) diagnose(err error) (text, hint string) {
	all := leaves(err)
	var pg *pgconn.PgError
	for _, leaf := range all { // what a server said comes before what the network said
		if p, ok := leaf.(*pgconn.PgError); ok && (pg == nil || judge(p) == final) {
			pg = p
		}
	}
	if pg != nil {
		text, hint = t.diagnoseServer(pg)
		return Redact(text), hint
	}
	var texts []string
	for _, leaf := range all {
		leafText, leafHint := t.diagnoseNetwork(leaf)
		if !slices.Contains(texts, leafText) {
			texts = append(texts, leafText)
		}
		if hint == "" {
			hint = leafHint
		}
	}
	return Redact(strings.Join(texts, "; ")), hint
}

// diagnoseServer explains what the server answered (SQLSTATEs: PostgreSQL
// manual, appendix A).
func (t *Target) diagnoseServer(e *pgconn.PgError) (text, hint string) {
	text = e.Message
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	user, database := t.User(), t.Database()
	switch e.Code {
	case "28P01":
		if t.config.Password == "" {
			return fmt.Sprintf("the server asks for a password for user %q and none was given", user),
				fmt.Sprintf("Put a line host:port:database:%s:PASSWORD in ~/.pgpass (mode 0600), set PGPASSWORD, or use -W.", user)
		}
		return text, fmt.Sprintf("The password came from %s; correct it there.", t.passwordSource)
	case "28000":
		if strings.Contains(e.Message, "does not exist") || strings.Contains(e.Message, "not permitted to log in") {
			return text, "Name a role that may log in with -U or PGUSER."
		}
		return text, fmt.Sprintf("The server's pg_hba.conf must have a line for user %q, database %q and this host; or connect as another user (-U). \"peer\" admits only the account of the same name.", user, database)
	case "3D000":
		return text, fmt.Sprintf("Name another database with -d or PGDATABASE, or create it: createdb %s", database)
	case "42501":
		return text, fmt.Sprintf("Its owner can allow it: GRANT CONNECT ON DATABASE %q TO %q", database, user)
	case "53300":
		return text, "Wait until other sessions end, use fewer clients, or raise max_connections (it needs a restart)."
	case "57P03":
		return text, "The server is starting, stopping or recovering; try again when its log says that it is ready to accept connections."
	case "42704", "22023", "42601", "55P02":
		return text, "Look at PGOPTIONS, PGTZ and the options of the connection string: they set parameters of the session."
	}
	return text, "The server's log says more."
}

// diagnoseNetwork explains an error that no server sent.
func (t *Target) diagnoseNetwork(err error) (text, hint string) {
	var dns *net.DNSError
	var unknownCA x509.UnknownAuthorityError
	var wrongName x509.HostnameError
	address := t.Address()
	var op *net.OpError
	if errors.As(err, &op) && op.Addr != nil {
		address = op.Addr.String()
	}
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("host name %q cannot be resolved", dns.Name), "Correct the host's name (-h or PGHOST), or name its address."
	case errors.Is(err, syscall.ENOENT):
		return "no server listens on the socket " + address,
			"Is the server running? If it is elsewhere, name its host or socket directory with -h or PGHOST."
	case errors.Is(err, syscall.ECONNREFUSED):
		return address + " refused the connection", "Is the server running, and does it listen on this address and port (listen_addresses, port)?"
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return "no permission to use the socket " + address, "See unix_socket_permissions of the server, and the rights of the directory."
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL) && t.IsSocket():
		return "the socket's path is too long", "A socket's path may have 107 bytes; use a shorter directory."
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("no answer within %v", t.timeout), "Is a firewall between, or the server overloaded? connect_timeout (seconds) allows more time."
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the server closed the connection during the start of the session", "The server's log says why; or what listens there is not PostgreSQL."
	case errors.As(err, &unknownCA):
		return "the server's certificate is not signed by a known authority", "Name the authority's certificate with sslrootcert, or use sslmode=require to accept any."
	case errors.As(err, &wrongName):
		return "the server's certificate is for another host: " + err.Error(), "Use the host name of the certificate, or sslmode=verify-ca."
	case strings.Contains(err.Error(), "server refused TLS connection"):
		return "the server does not offer TLS", "Use sslmode=prefer or disable, or switch ssl on in the server."
	}
	return err.Error(), "Is PostgreSQL what listens there?"
}
