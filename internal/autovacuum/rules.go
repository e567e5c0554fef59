package autovacuum

// Rules says which of the rules that changed between versions a server has.
type Rules struct {
	// CappedDead: the dead row trigger never exceeds
	// autovacuum_vacuum_max_threshold (18 and later).
	CappedDead bool
	// UnfrozenInserts: the insert trigger's scale factor counts only the share
	// of the table that is not frozen (18 and later).
	UnfrozenInserts bool
	// DividedLimit: the cost limit is divided by the number of workers (16 and
	// later); before, it was divided in proportion to their own budgets.
	DividedLimit bool
}

// For returns the rules of a major version. Versions after 18 are taken as 18
// until [Rules.Detect] has looked.
func For(major int) Rules {
	return Rules{CappedDead: major >= 18, UnfrozenInserts: major >= 18, DividedLimit: major >= 16}
}

// Detect corrects the rules by what a server has: has says whether it knows a
// parameter, and frozen whether pg_class has relallfrozen.
func (r Rules) Detect(has func(parameter string) bool, frozen bool) Rules {
	r.CappedDead = has("autovacuum_vacuum_max_threshold")
	r.UnfrozenInserts = frozen
	return r
}
