package pgassay

// SeriesName names a series of the closed list below.
type SeriesName string

// The series of a trial. Those of the clients have one point per second and
// cover the warm-up too; those of the server have one per look.
const (
	SeriesTPS         SeriesName = "tps"         // completed transactions per second
	SeriesRowsPerS    SeriesName = "rows_per_s"  // rows written per second
	SeriesLatencyP50  SeriesName = "latency_p50" // ns, over the second
	SeriesLatencyP99  SeriesName = "latency_p99" // ns, over the second
	SeriesErrors      SeriesName = "errors"      // failed transactions per second
	SeriesInFlight    SeriesName = "in_flight"   // transactions begun and not ended
	SeriesDeadRows    SeriesName = "dead_rows"   // n_dead_tup; Object is schema.table
	SeriesLiveRows    SeriesName = "live_rows"   // n_live_tup; Object is schema.table
	SeriesTableBytes  SeriesName = "table_bytes" // heap size; Object is schema.table
	SeriesAutovacuums SeriesName = "autovacuums" // autovacuum workers at work
	SeriesWALBytes    SeriesName = "wal_bytes"   // WAL written since the trial's zero
	SeriesHostCPU     SeriesName = "host_cpu"    // busy share of all CPUs, 0 to 1
	SeriesIOWait      SeriesName = "host_iowait" // share of all CPUs, 0 to 1
	SeriesDirtyBytes  SeriesName = "host_dirty"  // dirty and write-back pages, bytes
)

// Series is one quantity over a trial. At and Value have the same length; At
// is ascending, on the trial's clock (the end of the interval for rates).
type Series struct {
	Name   SeriesName `json:"name"`
	Object string     `json:"object,omitempty"`
	At     []int64    `json:"at_ns"`
	Value  []float64  `json:"value"`
}

// Histogram is a latency distribution of the measurement interval: response
// time in nanoseconds, as an HdrHistogram in the V2 compressed encoding
// (not base64).
type Histogram struct {
	// Script is the script's name, "" for all scripts together.
	Script string `json:"script"`
	// Kind is "response" (from the scheduled start) or "service" (from the
	// actual start); in the closed model they are the same and only
	// "response" exists.
	Kind    string `json:"kind"`
	Encoded []byte `json:"encoded"`
}

// EventKind says what happened.
type EventKind string

// The kinds of events.
const (
	EventCheckpoint       EventKind = "checkpoint"        // complete; Duration is its total
	EventCheckpointStart  EventKind = "checkpoint-start"  // Text is the cause as logged
	EventAutovacuum       EventKind = "autovacuum"        // a finished vacuum of one table
	EventAutoanalyze      EventKind = "autoanalyze"       // a finished analyze of one table
	EventAutovacuumCancel EventKind = "autovacuum-cancel" // gave way to a lock
	EventCheckpointsOften EventKind = "checkpoints-too-frequent"
	EventServerError      EventKind = "server-error" // FATAL, PANIC or a crash in the server's log
)

// Event is something that happened at one moment or, with a Duration, ended at
// it. At is on the trial's clock.
type Event struct {
	At       int64     `json:"at_ns"`
	Duration int64     `json:"duration_ns,omitempty"`
	Kind     EventKind `json:"kind"`
	// Object is schema.table for maintenance, "" else.
	Object string `json:"object,omitempty"`
	Text   string `json:"text,omitempty"`
	// Numbers are named after the log line's words, in base units. For an
	// autovacuum: index_scans, pages_removed, pages_remain, pages_scanned,
	// tuples_removed, tuples_remain, tuples_not_removable, buffer_hits,
	// buffer_misses, buffer_dirtied, wal_records, wal_fpi, wal_bytes,
	// cpu_user_s, cpu_system_s, elapsed_s, delay_s, aggressive (0/1),
	// wraparound (0/1). For a checkpoint: buffers, write_s, sync_s, total_s,
	// distance_bytes, estimate_bytes.
	Numbers map[string]float64 `json:"numbers,omitempty"`
}
