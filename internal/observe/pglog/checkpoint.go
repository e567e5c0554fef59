package pglog

import (
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// CheckpointStart is a checkpoint or restartpoint that began.
type CheckpointStart struct {
	At           time.Time
	PID          int
	Restartpoint bool
	// Cause is as logged: "time", "wal", "immediate force wait" ("fast force
	// wait" in 19) and so on.
	Cause string
}

// Checkpoint is a checkpoint or restartpoint that ended. Counts that its line
// does not hold are -1.
type Checkpoint struct {
	At           time.Time
	PID          int
	Restartpoint bool
	// Cause is that of its start: 19 repeats it, else [Read] fills it in; "" when
	// the log begins in the middle of the checkpoint.
	Cause         string
	Buffers       float64 // to 17 with the SLRU pages
	SLRUBuffers   float64 // 18+
	WALAdded      float64 // segments, as the next two
	WALRemoved    float64
	WALRecycled   float64
	WriteS, SyncS float64
	TotalS        float64
	SyncFiles     float64
	LongestSyncS  float64
	DistanceBytes float64
	EstimateBytes float64
}

// CheckpointsOften is the server's complaint that WAL forces checkpoints more
// often than checkpoint_warning.
type CheckpointsOften struct {
	At      time.Time
	PID     int
	Seconds float64 // since the last one
}

// parseCheckpoint reads the lines of checkpoints and restartpoints.
func parseCheckpoint(rec Record) (Entry, bool) {
	m := rec.Message
	if o := (CheckpointsOften{At: rec.Time, PID: rec.PID}); words(m, "checkpoints are occurring too frequently (# second", &o.Seconds) {
		return &o, true
	}
	what, rest, ok := strings.Cut(m, " ")
	if !ok || what != "checkpoint" && what != "restartpoint" {
		return nil, false
	}
	restart := what == "restartpoint"
	if cause, ok := strings.CutPrefix(rest, "starting:"); ok {
		return &CheckpointStart{At: rec.Time, PID: rec.PID, Restartpoint: restart, Cause: strings.TrimSpace(cause)}, true
	}
	if rest, ok = strings.CutPrefix(rest, "complete:"); !ok {
		return nil, false
	}
	flags, rest, ok := strings.Cut(rest, "wrote ")
	if !ok {
		return nil, false
	}
	c := &Checkpoint{At: rec.Time, PID: rec.PID, Restartpoint: restart, Cause: strings.Trim(flags, " :")}
	for _, n := range []*float64{&c.SLRUBuffers, &c.WALAdded, &c.WALRemoved, &c.WALRecycled, &c.WriteS, &c.SyncS, &c.TotalS, &c.SyncFiles, &c.LongestSyncS, &c.DistanceBytes, &c.EstimateBytes} {
		*n = -1
	}
	if !words(rest, "# buffers (#%)", &c.Buffers) {
		return nil, false
	}
	find(rest, "), wrote # SLRU buffers", &c.SLRUBuffers)
	find(rest, "; # WAL file(s) added, # removed, # recycled", &c.WALAdded, &c.WALRemoved, &c.WALRecycled)
	find(rest, "write=# s, sync=# s, total=# s", &c.WriteS, &c.SyncS, &c.TotalS)
	find(rest, "sync files=#, longest=# s", &c.SyncFiles, &c.LongestSyncS)
	var kb [2]float64
	if find(rest, "distance=# kB, estimate=# kB", &kb[0], &kb[1]) {
		c.DistanceBytes, c.EstimateBytes = kb[0]*1024, kb[1]*1024
	}
	return c, true
}

// Event converts to a checkpoint-start event; see [Entry].
func (c *CheckpointStart) Event(zero time.Time, _ string) (pgassay.Event, bool) {
	return pgassay.Event{At: c.At.Sub(zero).Nanoseconds(), Kind: pgassay.EventCheckpointStart, Text: pointText(c.Restartpoint, c.Cause)}, true
}

// Event converts to a checkpoint event; see [Entry].
func (c *Checkpoint) Event(zero time.Time, _ string) (pgassay.Event, bool) {
	n := numbers{}
	n.put("buffers", c.Buffers)
	n.put("slru_buffers", c.SLRUBuffers)
	n.put("wal_added", c.WALAdded)
	n.put("wal_removed", c.WALRemoved)
	n.put("wal_recycled", c.WALRecycled)
	n.put("write_s", c.WriteS)
	n.put("sync_s", c.SyncS)
	n.put("total_s", c.TotalS)
	n.put("sync_files", c.SyncFiles)
	n.put("longest_sync_s", c.LongestSyncS)
	n.put("distance_bytes", c.DistanceBytes)
	n.put("estimate_bytes", c.EstimateBytes)
	return pgassay.Event{
		At: c.At.Sub(zero).Nanoseconds(), Duration: nanoseconds(c.TotalS), Kind: pgassay.EventCheckpoint,
		Text: pointText(c.Restartpoint, c.Cause), Numbers: n,
	}, true
}

// Event converts to a checkpoints-too-frequent event; see [Entry].
func (c *CheckpointsOften) Event(zero time.Time, _ string) (pgassay.Event, bool) {
	return pgassay.Event{
		At: c.At.Sub(zero).Nanoseconds(), Kind: pgassay.EventCheckpointsOften,
		Text: "checkpoints are occurring too frequently", Numbers: numbers{"apart_s": c.Seconds},
	}, true
}

// pointText is the cause; a restartpoint is marked as one.
func pointText(restart bool, cause string) string {
	if restart {
		return strings.TrimSpace("restartpoint " + cause)
	}
	return cause
}
