package pgassay

import "time"

// TrialOrder asks for one trial: one arm at one load level in one block. It is
// made by the plan and stored with what came of it.
type TrialOrder struct {
	// Number counts the orders of a run from 1, in the order they were given.
	Number int `json:"number"`
	// Block counts from 1, Position from 0 within the block. A repeat keeps the
	// block and the position of the trial it replaces.
	Block    int `json:"block"`
	Position int `json:"position"`
	// Arm and Load index Experiment.Arms and Experiment.Loads.
	Arm  int `json:"arm"`
	Load int `json:"load"`
	// Attempt is 1 for the first try; 2 and 3 repeat an invalid one.
	Attempt int `json:"attempt"`
	// Seed feeds the clients' random numbers. All trials of a block share it.
	Seed uint64 `json:"seed"`
}

// Outcome says what came of a trial.
type Outcome string

// The outcomes of a trial.
const (
	OutcomeValid       Outcome = "valid"       // measured, and no check of severity "trial" failed
	OutcomeInvalid     Outcome = "invalid"     // measured, but a check says it cannot count
	OutcomeFailed      Outcome = "failed"      // could not be measured to its end
	OutcomeInterrupted Outcome = "interrupted" // pgassay was stopped in the middle
)

// TrialRecord is everything that was done and seen in one trial. Slices and
// maps belong to the record; nobody changes them after it was stored.
type TrialRecord struct {
	Order   TrialOrder `json:"order"`
	Outcome Outcome    `json:"outcome"`
	// Reason says in one sentence why the outcome is not valid.
	Reason string `json:"reason,omitempty"`
	// Started and Ended are wall-clock times of the whole trial, MeasureStarted
	// of its measurement interval: the zero of the trial's clock.
	Started        time.Time `json:"started"`
	MeasureStarted time.Time `json:"measure_started"`
	Ended          time.Time `json:"ended"`
	// Phases are the seconds spent outside and inside the measurement.
	Phases Phases `json:"phases"`
	// MeasuredNS is the realised length of the measurement interval.
	MeasuredNS int64 `json:"measured_ns"`
	// Template is the key of the template the instance was cloned from.
	Template string `json:"template"`
	// Scripts has one entry per script of the workload, in its order.
	Scripts    []ScriptResult `json:"scripts"`
	Histograms []Histogram    `json:"-"`
	Series     []Series       `json:"-"`
	Events     []Event        `json:"-"`
	// Start is taken before the first client connects: the state the trial
	// begins with. Before is taken just before the measurement, After at its end.
	Start  Snapshot `json:"-"`
	Before Snapshot `json:"-"`
	After  Snapshot `json:"-"`
	// Settings is pg_settings as a workload session saw it.
	Settings []SettingState `json:"-"`
	// Storage is the storage parameters in force, by table.
	Storage []StorageSetting `json:"-"`
	Use     ResourceUse      `json:"use"`
	Host    HostState        `json:"host"`
	// Missing names what the samplers could not see, and why.
	Missing []string      `json:"missing,omitempty"`
	Checks  []CheckResult `json:"checks"`
}

// Phases are seconds; what was not done is 0.
type Phases struct {
	RestoreS float64 `json:"restore_s"`
	// SettleS is the wait for write-back of the restored files.
	SettleS    float64 `json:"settle_s"`
	StartS     float64 `json:"start_s"`
	WarmupS    float64 `json:"warmup_s"`
	MeasureS   float64 `json:"measure_s"`
	StopS      float64 `json:"stop_s"`
	ConnectS   float64 `json:"connect_s"`
	RestoredMB float64 `json:"restored_mb"`
	// Reflink says that the clone shared blocks with the template.
	Reflink bool `json:"reflink"`
}

// ScriptResult counts what one script did within the measurement interval.
type ScriptResult struct {
	Script       string `json:"script"`
	Transactions int64  `json:"transactions"` // completed without an error
	Rows         int64  `json:"rows"`         // inserted, updated, deleted or copied
	Failed       int64  `json:"failed"`       // ended by an error
	// Errors counts failures by SQLSTATE, or "connection" or "timeout".
	Errors map[string]int64 `json:"errors,omitempty"`
	// FirstError is the text of the first failure, secrets removed.
	FirstError string `json:"first_error,omitempty"`
}

// ResourceUse is CPU time within the measurement interval, in seconds, by
// process group. A negative value means that it could not be read.
type ResourceUse struct {
	ClientCPUS     float64 `json:"client_cpu_s"`       // pgassay itself
	BackendCPUS    float64 `json:"backend_cpu_s"`      // client backends
	AutovacuumCPUS float64 `json:"autovacuum_cpu_s"`   // launcher and workers, those that ended from their log lines
	CheckpointCPUS float64 `json:"checkpointer_cpu_s"` // checkpointer and background writer
	WALWriterCPUS  float64 `json:"walwriter_cpu_s"`
	OtherCPUS      float64 `json:"other_cpu_s"`   // postmaster, io workers and the rest of the server
	SamplerCPUS    float64 `json:"sampler_cpu_s"` // server and client CPU of our own samplers, where known
}

// ServerCPUS is the CPU seconds of the whole server.
func (u ResourceUse) ServerCPUS() float64 {
	sum := 0.0
	for _, v := range []float64{u.BackendCPUS, u.AutovacuumCPUS, u.CheckpointCPUS, u.WALWriterCPUS, u.OtherCPUS} {
		if v > 0 {
			sum += v
		}
	}
	return sum
}

// HostState is what the host as a whole did within the measurement interval.
// Shares are of all CPUs; a negative value means that it could not be read.
type HostState struct {
	CPUs          int     `json:"cpus"`
	BusyShare     float64 `json:"busy_share"`
	IOWaitShare   float64 `json:"iowait_share"`
	StealShare    float64 `json:"steal_share"`
	ForeignCPUS   float64 `json:"foreign_cpu_s"`    // CPU of processes that are not ours
	RunQueueP99NS int64   `json:"run_queue_p99_ns"` // how long our threads waited for a CPU
	GCPauseNS     int64   `json:"gc_pause_ns"`      // our own garbage collector's pauses, summed
	BootID        string  `json:"boot_id"`
	SwapInPages   int64   `json:"swap_in_pages"`
	MemoryBytes   int64   `json:"memory_bytes"`
}

// TotalTransactions sums the scripts' completed transactions.
func (r *TrialRecord) TotalTransactions() int64 {
	var n int64
	for _, s := range r.Scripts {
		n += s.Transactions
	}
	return n
}

// TotalFailed sums the scripts' failed transactions.
func (r *TrialRecord) TotalFailed() int64 {
	var n int64
	for _, s := range r.Scripts {
		n += s.Failed
	}
	return n
}

// TotalRows sums the rows the scripts wrote.
func (r *TrialRecord) TotalRows() int64 {
	var n int64
	for _, s := range r.Scripts {
		n += s.Rows
	}
	return n
}
