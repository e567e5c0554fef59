package pglog

import (
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// Cancel is an automatic vacuum or analyze that gave way to a lock. All its
// work since its last finished index pass is lost.
type Cancel struct {
	At       time.Time
	PID      int
	Analyze  bool
	Relation Relation // "" when the record has no context
}

// parseCancel reads "canceling autovacuum task"; the table stands in the last
// line of the context.
func parseCancel(rec Record) (Entry, bool) {
	if rec.Message != "canceling autovacuum task" {
		return nil, false
	}
	c := &Cancel{At: rec.Time, PID: rec.PID}
	at := -1
	for _, mark := range []string{`automatic vacuum of table "`, `automatic analyze of table "`} {
		if i := strings.LastIndex(rec.Context, mark); i > at {
			at = i
			c.Analyze = strings.Contains(mark, "analyze")
			c.Relation = Relation(strings.TrimSuffix(rec.Context[i+len(mark):], `"`))
		}
	}
	return c, true
}

// Event converts to an autovacuum-cancel event; see [Entry].
func (c *Cancel) Event(zero time.Time, database string) (pgassay.Event, bool) {
	text := "automatic vacuum cancelled"
	if c.Analyze {
		text = "automatic analyze cancelled"
	}
	return pgassay.Event{
		At: c.At.Sub(zero).Nanoseconds(), Kind: pgassay.EventAutovacuumCancel,
		Object: c.Relation.objectIn(database), Text: text,
	}, true
}
