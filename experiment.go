package pgassay

import "time"

// Experiment is one question with everything needed to answer it: factors,
// arms, load levels, design and objective. It is complete (merged with its
// profile, every default filled in) and is never changed after decoding.
type Experiment struct {
	Name     string `json:"name"`
	Question string `json:"question"`
	// Profile is the profile that was merged in, "" for none.
	Profile string `json:"profile,omitempty"`
	Server  Server `json:"server"`
	// Dataset is what arms use that do not name their own.
	Dataset  Dataset  `json:"dataset"`
	Workload Workload `json:"workload"`
	Factors  []Factor `json:"factors,omitempty"`
	// Arms holds every arm in the order of the file: first the combinations of
	// the factors' levels (the last factor varies fastest), then the named arms.
	Arms []Arm `json:"arms"`
	// Loads holds the load levels, ascending.
	Loads []Load `json:"loads"`
	// Baseline indexes Arms: what the others are compared with.
	Baseline int    `json:"baseline"`
	Design   Design `json:"design"`
	// Notes are what the decoder wants the reader to know (warnings): each
	// starts with file:line:column.
	Notes []string `json:"notes,omitempty"`
}

// Server says which server the experiment needs.
type Server struct {
	// Postgres is a constraint on the version, such as ">=14" or "16"; empty
	// means any version pgassay supports.
	Postgres string `json:"postgres,omitempty"`
	// Settings apply in every arm, before the arm's own.
	Settings []Setting `json:"settings,omitempty"`
	// MemoryLimitBytes is the cgroup limit for the server, 0 for none.
	MemoryLimitBytes int64 `json:"memory_limit_bytes,omitempty"`
}

// Setting is a PostgreSQL parameter and a value as one writes it in
// postgresql.conf, without quotes.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// StorageSetting is a storage parameter of one table. Table is as the user
// names it: table, schema.table, table.toast or schema.table.toast; Name is
// the parameter without the toast. prefix. A nil-like empty Value resets it.
type StorageSetting struct {
	Table string `json:"table"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Variable is a script variable or a dataset parameter.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Dataset says what data a template is loaded with: a built-in one with
// parameters (rows, scale), or the SQL of a file.
type Dataset struct {
	// Builtin names a built-in dataset, "" when Init is used.
	Builtin    string     `json:"builtin,omitempty"`
	Parameters []Variable `json:"parameters,omitempty"`
	// Init is the file's name as written, InitSQL its content.
	Init    string `json:"init,omitempty"`
	InitSQL string `json:"init_sql,omitempty"`
	// Schema and Load are the SQL of a built-in dataset after its parameters
	// have been put in: Schema creates empty tables, Load fills them, Finish
	// adds what is faster to add afterwards (indexes, constraints). A file has
	// all of it in InitSQL.
	Schema string `json:"schema,omitempty"`
	Load   string `json:"load,omitempty"`
	Finish string `json:"finish,omitempty"`
	// Rows is the number of rows the dataset starts with, -1 when unknown.
	Rows int64 `json:"rows"`
}

// Workload is what the clients do in every trial.
type Workload struct {
	Scripts   []Script      `json:"scripts"`
	Variables []Variable    `json:"variables,omitempty"`
	Warmup    time.Duration `json:"warmup_ns"`
	Measure   Measure       `json:"measure"`
}

// Script is one transaction script in pgbench's language.
type Script struct {
	// Name is the built-in's or the file's name, unique in the experiment.
	Name string `json:"name"`
	Text string `json:"text"`
	// Weight is its share of transactions, relative to the others; 1 or more.
	Weight    int        `json:"weight"`
	Variables []Variable `json:"variables,omitempty"`
	// Shape is what one run of the script does to the tables, where it is
	// known (built-in scripts declare it); nil means unknown.
	Shape []TableShape `json:"shape,omitempty"`
}

// TableShape is the number of rows that one transaction touches in a table, on
// average. It lets the plan compute the dead rows a trial makes.
type TableShape struct {
	Table   string  `json:"table"`
	Inserts float64 `json:"inserts"`
	Updates float64 `json:"updates"`
	Deletes float64 `json:"deletes"`
	// HOT is the share of updates that can be heap-only (0 to 1): those leave
	// a dead row that pruning can take back without a vacuum.
	HOT float64 `json:"hot"`
	// Initial says that updates and deletes pick their rows at random from those
	// that were there at the start: rows that were deleted are missed later on.
	Initial bool `json:"initial,omitempty"`
}

// Measure says how long a trial is measured: for a time, for a number of
// transactions over all clients, or for as long as so many cycles of something
// take. Exactly one of Duration, Transactions and Cycles is set in a file.
type Measure struct {
	// Duration is the time to measure. With Cycles it is 0 until a calibration
	// has chosen it.
	Duration     time.Duration `json:"duration_ns,omitempty"`
	Transactions int64         `json:"transactions,omitempty"`
	// Cycles is how many cycles of Of ("vacuum") every arm is to end within the
	// measurement; it takes at most Max.
	Cycles int           `json:"cycles,omitempty"`
	Of     string        `json:"of,omitempty"`
	Max    time.Duration `json:"max_ns,omitempty"`
	// Because is the sentence that says how Duration was chosen for Cycles.
	Because string `json:"because,omitempty"`
}

// CycleVacuum is the Of of a measurement that holds cycles of vacuum.
const CycleVacuum = "vacuum"

// ToChoose says that the length is to be chosen by a calibration and has not
// been chosen yet.
func (m Measure) ToChoose() bool { return m.Cycles > 0 && m.Duration == 0 }

// Load is a load level: how many clients push.
type Load struct {
	// Name labels the level in tables and charts, such as "100 clients".
	Name    string `json:"name"`
	Clients int    `json:"clients"`
}
