package check

// Through is what a setting acts through.
type Through string

// The mechanisms.
const (
	ThroughCheckpoint Through = "checkpoint"
	ThroughVacuum     Through = "vacuum"
	ThroughCommit     Through = "commit"
	ThroughMemory     Through = "memory"
	ThroughNone       Through = "none"
)

// Rule is what pgassay knows of a setting or storage parameter.
type Rule struct {
	Name string
	// Unit is the base unit as pg_settings writes it, "" for none.
	Unit    string
	Through Through
	// Trigger says which vacuums exercise the setting, for those that act
	// through vacuum.
	Trigger Trigger
	// Precondition completes the sentence "it can matter only …".
	Precondition string
	// Counters name what moves when the setting acts: counters of a snapshot,
	// columns of a relation (n_tup_hot_upd) or kinds of events (autovacuum).
	Counters []string
	// Contexts say when the server takes a new value, by the first major
	// version, ascending. A storage parameter that is no setting has none.
	Contexts []Context
	// Storage says that it can be set for one table.
	Storage bool
	// binds looks whether the precondition was met.
	binds func(contrast, treated) finding
}

// Context is the context of a setting from a major version on.
type Context struct {
	Since   int
	Context string
}

// Context returns how a server of the major version takes the setting
// (postmaster, sighup, superuser or user), "" when it does not have it. It is
// what to expect: the server's pg_settings has the last word.
func (r Rule) Context(major int) string {
	out := ""
	for _, c := range r.Contexts {
		if major >= c.Since {
			out = c.Context
		}
	}
	return out
}

// RuleFor finds the rule of a setting or storage parameter.
func RuleFor(name string) (Rule, bool) {
	for _, r := range Rules() {
		if r.Name == name {
			return r, true
		}
	}
	return Rule{}, false
}

func ruleUnit(name string) string {
	r, _ := RuleFor(name)
	return r.Unit
}

// Rules returns the whole table: the settings of the write path.
func Rules() []Rule {
	var out []Rule
	for _, part := range [][]Rule{vacuumRules(), storageRules(), checkpointRules(), commitRules(), memoryRules()} {
		out = append(out, part...)
	}
	return out
}

// since is the context of a setting that has had one only, from a version on.
func since(major int, context string) []Context { return []Context{{major, context}} }

// oldest is the oldest version that pgassay supports.
const oldest = 14
