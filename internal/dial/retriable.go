package dial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// Retriable says whether connecting again may succeed although nobody changed
// anything: the server starts up or restarts, has no free connection slot,
// did not answer in time, or the network failed. It is false for a wrong
// password, a missing database, role or right, for errors of TLS, a name that
// does not exist, a cancelled context and nil.
func Retriable(err error) bool {
	retriable := false
	for _, leaf := range leaves(err) {
		switch judge(leaf) {
		case final:
			return false
		case passing:
			retriable = true
		}
	}
	return retriable
}

type judgement int

const (
	unknown judgement = iota
	passing
	final
)

// judge looks at one error that wraps nothing more.
func judge(err error) judgement {
	switch e := err.(type) {
	case *pgconn.PgError:
		return judgeState(e.Code)
	case *net.DNSError:
		if e.IsNotFound {
			return final
		}
		return passing
	case *net.OpError:
		return judge(leaves(e.Err)[0])
	case *os.SyscallError:
		return judge(e.Err)
	case syscall.Errno:
		if e == syscall.EINVAL || e == syscall.EACCES || e == syscall.EPERM || e == syscall.ENAMETOOLONG {
			return final
		}
		return passing // refused, reset, unreachable, timed out, no socket file (yet)
	case x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError, tls.AlertError, *tls.CertificateVerificationError:
		return final
	}
	switch {
	case errors.Is(err, context.Canceled):
		return final
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return passing
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return passing
	}
	return unknown
}

// judgeState judges a SQLSTATE (PostgreSQL manual, appendix A).
func judgeState(code string) judgement {
	switch {
	case code == "57P01", code == "57P02", code == "57P03": // shut down, crash, starting up
		return passing
	case strings.HasPrefix(code, "53"): // too many clients, out of memory, disk full
		return passing
	case strings.HasPrefix(code, "08"): // connection exceptions
		if code == "08P01" { // protocol violation: the other side is not what we think
			return final
		}
		return passing
	}
	return final
}

// leaves returns the innermost errors of a tree of wrapped and joined errors
// that mean something on their own.
func leaves(err error) []error {
	if err == nil {
		return nil
	}
	switch e := err.(type) {
	case *pgconn.PgError, *net.DNSError, *tls.CertificateVerificationError:
		return []error{err}
	case *net.OpError: // kept, because it names the address
		if e.Op == "dial" && !errors.As(err, new(*net.DNSError)) {
			return []error{err}
		}
		return leaves(e.Err)
	case interface{ Unwrap() []error }:
		var out []error
		for _, u := range e.Unwrap() {
			out = append(out, leaves(u)...)
		}
		return out
	case interface{ Unwrap() error }:
		if u := e.Unwrap(); u != nil {
			return leaves(u)
		}
	}
	return []error{err}
}
