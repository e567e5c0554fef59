package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	dataDir string
	logPath string
}

// start configures and starts a server and waits until it answers. When it
// does not, the error holds the server's own words.
func (h *Home) start(ctx context.Context, b pgassay.Build, dataDir, logPath string, settings []pgassay.Setting) (*running, error) {
	known, err := h.knownSettings(ctx, b)
	if err != nil {
		return nil, err
	}
	for _, s := range settings {
		// A name with a dot may belong to an extension that is not loaded yet.
		if !known(s.Name) && !strings.Contains(s.Name, ".") {
			return nil, pgassay.WithHint(fmt.Errorf("%w: PostgreSQL %s has no setting %s", pgassay.ErrUsage, b.Version, s.Name),
				"Take it out, or choose a version that has it.")
		}
	}
	return h.startKnowing(ctx, b, dataDir, logPath, settings, known)
}

// startKnowing is start with knowledge of what the build has.
func (h *Home) startKnowing(ctx context.Context, b pgassay.Build, dataDir, logPath string, settings []pgassay.Setting, known func(string) bool) (r *running, err error) {
	dir := filepath.Dir(dataDir)
	socket, err := h.socketDir(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeSocket(dir))
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
	r = &running{postmaster: p, target: dial.Socket(socket, port, Superuser, "postgres"), dataDir: dataDir, logPath: logPath}
	err = r.ready(ctx)
	if err == nil {
		return r, nil
	}
	if ctx.Err() == nil {
		err = whyLost(explainStart(fmt.Errorf("start server: %w", err), logPath, from), logPath, from)
	}
	if stopErr := r.postmaster.stop(stopLimits); !errors.Is(stopErr, errGone) {
		err = errors.Join(err, stopErr)
	}
	return nil, err
}

// ready waits until the server says that it takes connections and lets us in,
// has ended, or the limit is over.
func (r *running) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("it did not let us in within %v", startLimit))
	defer cancel()
	for wait := 5 * time.Millisecond; !r.saysReady(); wait = min(2*wait, 50*time.Millisecond) {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-r.exited:
		case <-timer.C:
		}
		timer.Stop()
		if r.ended() {
			if r.err != nil {
				return fmt.Errorf("it ended at once (%w)", r.err)
			}
			return errors.New("it ended at once")
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	conn, err := r.target.Connect(ctx, "start")
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// saysReady reads postmaster.pid, whose eighth line says what the server is up
// to (miscadmin.h). Asking it by a connection would leave a FATAL in its log.
func (r *running) saysReady() bool {
	text, err := os.ReadFile(filepath.Join(r.dataDir, "postmaster.pid"))
	if err != nil {
		return false
	}
	lines := strings.Split(string(text), "\n")
	return len(lines) >= 8 && lines[0] == strconv.Itoa(r.pid) && strings.TrimSpace(lines[7]) == "ready"
}

// stop stops the server and removes its socket's directory.
func (r *running) stop() error {
	return errors.Join(r.postmaster.stop(stopLimits), removeSocket(filepath.Dir(r.dataDir)))
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
	text := textSince(path, from)
	if text == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
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

// textSince reads the end of a log: what was written since an offset, at most
// the last megabyte; "" when it cannot be read.
func textSince(path string, from int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	size := fileSize(path)
	from = max(from, size-1<<20)
	text, err := io.ReadAll(io.NewSectionReader(f, from, size-from))
	if err != nil {
		return ""
	}
	return string(text)
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
