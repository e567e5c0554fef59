package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
)

// startLimit is the longest that a server may take until it lets us in. A
// clean clone needs well under a second; recovery after a crash may need more.
const startLimit = 120 * time.Second

// running is a server that we started on a data directory.
type running struct {
	*postmaster
	target  *dial.Target
	socket  string // directory
	dataDir string
	logPath string
}

// maxSocketPath is what fits into sockaddr_un on Linux, with its final zero
// byte; other systems have 104.
const maxSocketPath = 103

// socketDir makes a private directory for a socket. Its path must be short and
// the servers' account must be able to enter it: the system's directory for
// temporary files usually serves, but TMPDIR may name a private or a deep one.
func (h *Home) socketDir() (string, error) {
	var errs []error
	for _, parent := range []string{os.TempDir(), "/tmp", h.path(instancesDir)} {
		dir, err := h.socketDirIn(parent)
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", pgassay.WithHint(fmt.Errorf("make socket directory: %w", errors.Join(errs...)),
		"Set TMPDIR to a directory with a short path that every user can enter, such as /tmp.")
}

func (h *Home) socketDirIn(parent string) (string, error) {
	if err := h.user.canEnter(parent); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(parent, "pgassay-")
	if err != nil {
		return "", err
	}
	if n := len(filepath.Join(dir, fmt.Sprintf(".s.PGSQL.%d", port))); n > maxSocketPath {
		return "", errors.Join(fmt.Errorf("%s is too long for a Unix socket (%d bytes, at most %d)", dir, n, maxSocketPath), os.Remove(dir))
	}
	if err := errors.Join(os.Chmod(dir, 0o700), h.user.give(dir)); err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return dir, nil
}

// start configures and starts a server and waits until it answers. When it
// does not, the error holds the server's own words.
func (h *Home) start(ctx context.Context, b pgassay.Build, dataDir, logPath string, settings []pgassay.Setting) (r *running, err error) {
	known, err := h.knownSettings(ctx, b)
	if err != nil {
		return nil, err
	}
	return h.startKnowing(ctx, b, dataDir, logPath, settings, known)
}

func (h *Home) startKnowing(ctx context.Context, b pgassay.Build, dataDir, logPath string, settings []pgassay.Setting, known func(string) bool) (r *running, err error) {
	socket, err := h.socketDir()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(socket))
		}
	}()
	if err := h.configure(dataDir, socket, known, settings); err != nil {
		return nil, err
	}
	from := fileSize(logPath)
	p, err := h.user.startPostmaster(b.BinDir, dataDir, logPath)
	if err != nil {
		return nil, err
	}
	r = &running{postmaster: p, target: dial.Socket(socket, port, Superuser, "postgres"), socket: socket, dataDir: dataDir, logPath: logPath}
	if err := r.ready(ctx); err != nil {
		if ctx.Err() == nil {
			err = explainStart(fmt.Errorf("start server: %w", err), logPath, from)
		}
		return nil, errors.Join(err, ignoreExit(r.postmaster.stop()))
	}
	return r, nil
}

// ready waits until the server lets us in, has ended, or the limit is over.
func (r *running) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("it did not let us in within %v", startLimit))
	defer cancel()
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		if r.ended() {
			return fmt.Errorf("it ended at once (%w)", r.err)
		}
		if _, err := os.Stat(filepath.Join(r.socket, fmt.Sprintf(".s.PGSQL.%d", port))); err == nil {
			conn, err := pgx.Connect(ctx, r.dsn())
			if err == nil {
				return conn.Close(ctx)
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-r.done:
		case <-time.After(wait):
		}
	}
}

// dsn is a plain connection string for the many quick tries of ready; every
// other connection goes through package dial.
func (r *running) dsn() string {
	return fmt.Sprintf("host=%s port=%d user=%s dbname=postgres sslmode=disable connect_timeout=2 application_name=pgassay/start", r.socket, port, Superuser)
}

// stop stops the server and removes its socket directory.
func (r *running) stop() error {
	return errors.Join(ignoreExit(r.postmaster.stop()), os.RemoveAll(r.socket))
}

// ignoreExit passes over a server that ended with a status of its own.
func ignoreExit(err error) error {
	var status interface{ ExitCode() int }
	if errors.As(err, &status) {
		return nil
	}
	return err
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// explainStart adds the server's own last words to an error.
func explainStart(err error, logPath string, from int64) error {
	words := lastWords(logPath, from)
	if words == "" {
		return pgassay.WithHint(err, "The server wrote nothing to its log.")
	}
	return pgassay.WithHint(fmt.Errorf("%w; its log says:\n    %s", err, strings.ReplaceAll(words, "\n", "\n    ")),
		"Correct the setting that the server names.")
}

// lastWords returns the log's FATAL, PANIC and ERROR records since an offset
// with their hints, else its last lines.
func lastWords(path string, from int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, from, 1<<20))
	if err != nil || len(text) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var loud []string
	follow := false
	for _, line := range lines {
		switch {
		case containsAny(line, "FATAL:", "PANIC:", "ERROR:"):
			follow = true
		case containsAny(line, "HINT:", "DETAIL:"), strings.HasPrefix(line, "\t"):
		default:
			follow = containsAny(line, "could not", "invalid value", "unrecognized", "outside the valid range")
		}
		if follow {
			loud = append(loud, line)
		}
	}
	if len(loud) == 0 {
		loud = lines
	}
	return strings.Join(loud[max(0, len(loud)-6):], "\n")
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
