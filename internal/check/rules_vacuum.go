package check

const (
	whenDead    = "when updates or deletes make more dead rows than the trigger counts"
	whenInserts = "when more rows are inserted than the insert trigger counts"
	whenChanged = "when more rows are changed than the analyze trigger counts"
	whenSleeps  = "when a vacuum runs whose work costs more than the cost limit"
	whenVacuum  = "when autovacuum works on a table"
)

var vacuumCounters = []string{"autovacuum", "autovacuum_count", "n_dead_tup"}

func vacuumRules() []Rule {
	dead := func(name string, from int) Rule {
		return Rule{Name: name, Through: ThroughVacuum, Trigger: TriggerDead, Precondition: whenDead, Counters: vacuumCounters,
			Contexts: since(from, "sighup"), Storage: true, binds: triggerReached}
	}
	inserts := func(name string) Rule {
		return Rule{Name: name, Through: ThroughVacuum, Trigger: TriggerInsert, Precondition: whenInserts, Counters: vacuumCounters,
			Contexts: since(oldest, "sighup"), Storage: true, binds: triggerReached}
	}
	analyze := func(name string) Rule {
		return Rule{Name: name, Through: ThroughVacuum, Trigger: TriggerAnalyze, Precondition: whenChanged, Counters: []string{"autoanalyze", "autoanalyze_count"},
			Contexts: since(oldest, "sighup"), Storage: true, binds: triggerReached}
	}
	cost := func(name, unit, context string, storage bool) Rule {
		return Rule{Name: name, Unit: unit, Through: ThroughVacuum, Trigger: TriggerAny, Precondition: whenSleeps, Counters: []string{"autovacuum", "elapsed_s"},
			Contexts: since(oldest, context), Storage: storage, binds: costsMore}
	}
	every := func(name, unit string, contexts []Context) Rule {
		return Rule{Name: name, Unit: unit, Through: ThroughVacuum, Trigger: TriggerAny, Precondition: whenVacuum, Counters: vacuumCounters,
			Contexts: contexts, binds: vacuumSeen}
	}
	workers := every("autovacuum_max_workers", "", []Context{{oldest, "postmaster"}, {18, "sighup"}})
	workers.Precondition, workers.binds = "when all workers of the smaller arm are at work at once", workersBusy
	memory := every("autovacuum_work_mem", "kB", since(oldest, "sighup"))
	memory.Precondition, memory.binds = "when a vacuum has to scan the indexes more than once", severalPasses
	maintenance := memory
	maintenance.Name, maintenance.Contexts = "maintenance_work_mem", since(oldest, "user")
	return []Rule{
		every("autovacuum", "", since(oldest, "sighup")),
		every("autovacuum_naptime", "s", since(oldest, "sighup")),
		workers, memory, maintenance,
		dead("autovacuum_vacuum_threshold", oldest),
		dead("autovacuum_vacuum_scale_factor", oldest),
		dead("autovacuum_vacuum_max_threshold", 18),
		inserts("autovacuum_vacuum_insert_threshold"),
		inserts("autovacuum_vacuum_insert_scale_factor"),
		analyze("autovacuum_analyze_threshold"),
		analyze("autovacuum_analyze_scale_factor"),
		cost("autovacuum_vacuum_cost_delay", "ms", "sighup", true),
		cost("autovacuum_vacuum_cost_limit", "", "sighup", true),
		cost("vacuum_cost_delay", "ms", "user", false),
		cost("vacuum_cost_limit", "", "user", false),
		cost("vacuum_cost_page_hit", "", "user", false),
		cost("vacuum_cost_page_miss", "", "user", false),
		cost("vacuum_cost_page_dirty", "", "user", false),
		every("vacuum_buffer_usage_limit", "kB", since(16, "user")),
	}
}

// storageRules are parameters that exist for tables only.
func storageRules() []Rule {
	table := func(name, precondition string, counters ...string) Rule {
		return Rule{Name: name, Through: ThroughVacuum, Trigger: TriggerAny, Precondition: precondition, Counters: counters, Storage: true, binds: vacuumSeen}
	}
	fill := Rule{Name: "fillfactor", Through: ThroughNone, Precondition: "when rows of the table are updated", Counters: []string{"n_tup_hot_upd", "n_tup_upd"},
		Storage: true, binds: rowsUpdated}
	return []Rule{
		fill,
		table("autovacuum_enabled", whenVacuum, vacuumCounters...),
		table("vacuum_index_cleanup", whenVacuum, "autovacuum", "index_scans"),
		table("vacuum_truncate", whenVacuum, "autovacuum", "pages_removed"),
	}
}
