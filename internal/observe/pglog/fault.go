package pglog

import (
	"regexp"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// Fault is a FATAL or PANIC message, or a line that tells of a crash.
type Fault struct {
	At       time.Time
	PID      int
	Severity string
	Text     string // the message's first line
	// Crash says that the server, or one of its processes, did not end by
	// itself.
	Crash bool
	// Expected says that the line belongs to an orderly start or stop of the
	// server, as at the end of every trial. It makes no event.
	Expected bool
}

// died matches the postmaster's line about a child that did not end well, such
// as "server process (PID 1) was terminated by signal 9: Killed".
var died = regexp.MustCompile(`^(.+) \(PID \d+\) (was terminated by (signal|exception)|exited with exit code|exited with unrecognized status)`)

// crashes are the starts of other lines that tell of a crash.
var crashes = []string{
	"terminating any other active server processes",
	"all server processes terminated; reinitializing",
	"terminating connection because of crash of another server process",
	"database system was not properly shut down; automatic recovery in progress",
	"database system was interrupted",
	"performing immediate shutdown because data directory lock file is invalid",
	"could not fork autovacuum worker process",
}

// orderly are FATAL messages of a start or a stop that somebody asked for.
var orderly = []string{
	"the database system is shutting down",
	"the database system is starting up",
	"the database system is not yet accepting connections",
	"the database system is not accepting connections",
}

// parseFault reads what a server or session died of.
func parseFault(rec Record) (Entry, bool) {
	first, _, _ := strings.Cut(rec.Message, "\n")
	f := &Fault{At: rec.Time, PID: rec.PID, Severity: rec.Severity, Text: first}
	for _, s := range crashes {
		if strings.HasPrefix(first, s) {
			f.Crash = true
			return f, true
		}
	}
	switch rec.Severity {
	case "PANIC":
		f.Crash = true
		return f, true
	case "FATAL":
		f.Expected = strings.HasPrefix(first, "terminating ") && strings.HasSuffix(first, "due to administrator command")
		for _, s := range orderly {
			f.Expected = f.Expected || strings.HasPrefix(first, s)
		}
		return f, true
	case "LOG":
		if !strings.Contains(first, " (PID ") {
			break // spares nearly every line the expression
		}
		if m := died.FindStringSubmatch(first); m != nil {
			// Background workers end with code 1 in every orderly stop.
			f.Crash = !strings.HasPrefix(m[1], "background worker") || strings.HasPrefix(m[2], "was terminated")
			return f, f.Crash
		}
	}
	return nil, false
}

// Event converts to a server-error event; see [Entry].
func (f *Fault) Event(zero time.Time, _ string) (pgassay.Event, bool) {
	if f.Expected {
		return pgassay.Event{}, false
	}
	e := pgassay.Event{At: f.At.Sub(zero).Nanoseconds(), Kind: pgassay.EventServerError, Text: f.Severity + ": " + f.Text, Numbers: numbers{}}
	numbers(e.Numbers).flag("crash", f.Crash)
	return e, true
}
