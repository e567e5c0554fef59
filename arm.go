package pgassay

// FactorKind says what a factor varies.
type FactorKind string

// The kinds of factors.
const (
	FactorSetting  FactorKind = "setting"  // a PostgreSQL parameter
	FactorStorage  FactorKind = "storage"  // a storage parameter of a table
	FactorVariable FactorKind = "variable" // a script variable, written $name
	FactorPostgres FactorKind = "postgres" // the server version or build
	FactorDataset  FactorKind = "dataset"  // a parameter of the dataset
)

// Factor is something that is varied, with its levels in the order of the file.
type Factor struct {
	Kind FactorKind `json:"kind"`
	// Name is the key as written: a parameter, table.parameter, $variable,
	// postgres, or dataset.parameter.
	Name   string   `json:"name"`
	Levels []string `json:"levels"`
}

// Arm is one assignment of all factors, or a named arm. Everything in it is
// effective: inherited values are already copied in.
type Arm struct {
	// Name is unique: the given name, or the levels joined as "name=value, …".
	Name string `json:"name"`
	// Levels has one entry per factor (the level's index) for a combination of
	// factors, and is empty for a named arm.
	Levels []int `json:"levels,omitempty"`
	// Postgres overrides the experiment's constraint when not empty; PgBin is a
	// directory of binaries that does so.
	Postgres string `json:"postgres,omitempty"`
	PgBin    string `json:"pg_bin,omitempty"`
	// Settings is the whole list for this arm: the server's, then the factors',
	// then the arm's own, each name once.
	Settings []Setting `json:"settings,omitempty"`
	// Treatment is the part of Settings that is not the same in all arms.
	Treatment []Setting        `json:"treatment,omitempty"`
	Tables    []StorageSetting `json:"tables,omitempty"`
	Variables []Variable       `json:"variables,omitempty"`
	// Dataset is this arm's dataset (the experiment's unless it has its own).
	Dataset Dataset `json:"dataset"`
	// SQL runs while the template is built, after the data is loaded.
	SQL []string `json:"sql,omitempty"`
}
