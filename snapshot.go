package pgassay

// Snapshot is what a database's statistics said at one moment.
type Snapshot struct {
	At        int64      `json:"at_ns"`
	Relations []Relation `json:"relations"`
	// Counters are cumulative and named in one way for all versions:
	// xact_commit, xact_rollback, blks_read, blks_hit, temp_bytes, deadlocks,
	// wal_bytes, wal_records, wal_fpi, checkpoints_timed, checkpoints_requested,
	// buffers_checkpoint, buffers_backend, backends. What a version or a right
	// does not give is absent.
	Counters map[string]float64 `json:"counters"`
}

// Relation is one table (or TOAST table) and its statistics.
type Relation struct {
	Schema          string  `json:"schema"`
	Name            string  `json:"name"`
	Kind            string  `json:"kind"` // pg_class.relkind: r, t, m, p
	Tuples          float64 `json:"reltuples"`
	Pages           int64   `json:"relpages"`
	AllVisible      int64   `json:"relallvisible"`
	AllFrozen       int64   `json:"relallfrozen"` // -1 before 18
	HeapBytes       int64   `json:"heap_bytes"`
	IndexBytes      int64   `json:"index_bytes"`
	LiveRows        int64   `json:"n_live_tup"`
	DeadRows        int64   `json:"n_dead_tup"`
	ModSinceAnalyze int64   `json:"n_mod_since_analyze"`
	InsSinceVacuum  int64   `json:"n_ins_since_vacuum"`
	Inserted        int64   `json:"n_tup_ins"`
	Updated         int64   `json:"n_tup_upd"`
	HotUpdated      int64   `json:"n_tup_hot_upd"`
	Deleted         int64   `json:"n_tup_del"`
	Vacuums         int64   `json:"vacuum_count"`
	Autovacuums     int64   `json:"autovacuum_count"`
	Analyzes        int64   `json:"analyze_count"`
	Autoanalyzes    int64   `json:"autoanalyze_count"`
	XIDAge          int64   `json:"xid_age"`
	Indexes         int     `json:"indexes"`
	// Options are the storage parameters set on it, name to value.
	Options map[string]string `json:"options,omitempty"`
}

// SettingState is a row of pg_settings.
type SettingState struct {
	Name           string   `json:"name"`
	Setting        string   `json:"setting"` // in Unit
	Unit           string   `json:"unit,omitempty"`
	Category       string   `json:"category,omitempty"`
	Context        string   `json:"context"`
	VarType        string   `json:"vartype"`
	Source         string   `json:"source"`
	SourceFile     string   `json:"sourcefile,omitempty"`
	Min            string   `json:"min_val,omitempty"`
	Max            string   `json:"max_val,omitempty"`
	EnumValues     []string `json:"enumvals,omitempty"`
	BootValue      string   `json:"boot_val,omitempty"`
	PendingRestart bool     `json:"pending_restart,omitempty"`
}

// Build is what is known of a set of PostgreSQL binaries.
type Build struct {
	// Version is as the server prints it, such as "15.18"; VersionNum is
	// server_version_num, such as 150018; Major is 15.
	Version    string `json:"version"`
	VersionNum int    `json:"version_num"`
	Major      int    `json:"major"`
	// BinDir holds postgres and initdb; "" for an attached server.
	BinDir string `json:"bin_dir"`
	// Origin says where it was found: "debian", "pgdg", "path", "npm", "flag".
	Origin string `json:"origin"`
	// VersionString is version(): compiler and platform.
	VersionString string `json:"version_string,omitempty"`
	// Configure holds the configure flags and CFLAGS, where they can be known.
	Configure string   `json:"configure,omitempty"`
	JIT       bool     `json:"jit"`
	LZ4       bool     `json:"lz4"`
	Zstd      bool     `json:"zstd"`
	IOMethods []string `json:"io_methods,omitempty"` // 18 and later
	Complete  bool     `json:"complete"`             // its facts were read from a running server
}

// Fingerprint is what makes two runs comparable: host, kernel, build.
type Fingerprint struct {
	Tool       string `json:"tool"` // pgassay's version
	Hostname   string `json:"hostname"`
	OS         string `json:"os"`
	Kernel     string `json:"kernel"`
	Arch       string `json:"arch"`
	CPUModel   string `json:"cpu_model"`
	CPUs       int    `json:"cpus"`
	Memory     int64  `json:"memory_bytes"`
	BootID     string `json:"boot_id"`
	Virtual    string `json:"virtual,omitempty"` // hypervisor, where it can be known
	Clock      string `json:"clocksource,omitempty"`
	FileSystem string `json:"file_system"` // of the data directory
	Device     string `json:"device,omitempty"`
	MountFlags string `json:"mount_options,omitempty"`
	// Reflink says that clones share blocks.
	Reflink bool              `json:"reflink"`
	Sysctl  map[string]string `json:"sysctl,omitempty"`
	Builds  []Build           `json:"builds"`
	Options map[string]string `json:"options,omitempty"` // client protocol, server user, socket or TCP
}
