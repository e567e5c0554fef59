package pglog

import (
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// Analyze is a finished automatic analyze of one table.
type Analyze struct {
	At       time.Time // when it ended
	PID      int
	Relation Relation
	Usage    Usage
	// Unknown are the lines of the body that no version up to 19 writes.
	Unknown []string
}

// parseAnalyze reads `automatic analyze of table "db.schema.table"` and the
// body: lines below it from 14 on, words behind it before.
func parseAnalyze(rec Record) (Entry, bool) {
	rest, ok := strings.CutPrefix(rec.Message, `automatic analyze of table "`)
	if !ok {
		return nil, false
	}
	a := &Analyze{At: rec.Time, PID: rec.PID, Usage: unknownUsage()}
	name, body, ok := cutAnalyzeHead(rest)
	if !ok {
		return nil, false
	}
	a.Relation = Relation(name)
	for _, l := range bodyLines(body) {
		if !a.Usage.line(l) {
			a.Unknown = append(a.Unknown, l)
		}
	}
	return a, true
}

// cutAnalyzeHead cuts behind the table's name: at the first quote that is
// followed by a line of a body, or by the end.
func cutAnalyzeHead(s string) (name, body string, ok bool) {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '"')
		if i < 0 {
			return "", "", false
		}
		at := from + i
		after := s[at+1:]
		if after == "" {
			return s[:at], "", true
		}
		if after[0] == '\n' || after[0] == ' ' {
			for _, start := range []string{"delay time: ", "I/O timings: ", "avg read rate: ", "buffer usage: ", "WAL usage: ", "system usage: "} {
				if strings.HasPrefix(after[1:], start) {
					return s[:at], after[1:], true
				}
			}
		}
		from = at + 1
	}
}

// Event converts to an autoanalyze event; see [Entry].
func (a *Analyze) Event(zero time.Time, database string) (pgassay.Event, bool) {
	n := numbers{}
	n.usage(a.Usage)
	return pgassay.Event{
		At: a.At.Sub(zero).Nanoseconds(), Duration: nanoseconds(a.Usage.ElapsedS), Kind: pgassay.EventAutoanalyze,
		Object: a.Relation.objectIn(database), Text: "automatic analyze", Numbers: n,
	}, true
}
