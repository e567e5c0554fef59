package pglog

import (
	"math"
	"time"

	"github.com/pgassay/pgassay"
)

// Entry is a message that pgassay understands: a [*Vacuum], [*Analyze],
// [*CheckpointStart], [*Checkpoint], [*CheckpointsOften], [*Cancel] or [*Fault].
type Entry interface {
	// Event converts to an event on a trial's clock, whose zero is given. An
	// event with a Duration ended at its time. database is the one that is
	// watched: objects in it are named schema.table, those of another database
	// with its name before that; "" drops every database's name. ok is false for
	// an entry that is no event (an orderly shutdown).
	Event(zero time.Time, database string) (e pgassay.Event, ok bool)
}

// Parse recognises a record's message. ok is false for all the messages that
// are not listed at [Entry].
func Parse(rec Record) (e Entry, ok bool) {
	for _, parse := range []func(Record) (Entry, bool){parseVacuum, parseAnalyze, parseCheckpoint, parseCancel, parseFault} {
		if e, ok := parse(rec); ok {
			return e, true
		}
	}
	return nil, false
}

// numbers are an event's Numbers.
type numbers map[string]float64

// put leaves out what the line did not hold.
func (n numbers) put(name string, v float64) {
	if v >= 0 {
		n[name] = v
	}
}

func (n numbers) flag(name string, v bool) {
	n[name] = 0
	if v {
		n[name] = 1
	}
}

func (n numbers) usage(u Usage) {
	n.put("buffer_hits", u.Hits)
	n.put("buffer_misses", u.Misses)
	n.put("buffer_dirtied", u.Dirtied)
	n.put("io_read_s", u.ReadS)
	n.put("io_write_s", u.WriteS)
	n.put("delay_s", u.DelayS)
	n.put("wal_records", u.WALRecords)
	n.put("wal_fpi", u.WALFullPageImages)
	n.put("wal_bytes", u.WALBytes)
	n.put("wal_buffers_full", u.WALBuffersFull)
	n.put("cpu_user_s", u.CPUUserS)
	n.put("cpu_system_s", u.CPUSystemS)
	n.put("elapsed_s", u.ElapsedS)
}

// nanoseconds converts seconds; unknown ones (-1) are 0.
func nanoseconds(s float64) int64 {
	if s < 0 {
		return 0
	}
	return int64(math.Round(min(s, 1e9) * 1e9))
}
