package autovacuum

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Parameters are the settings that decide about autovacuum, for the server or,
// after [Parameters.ForTable], for one table. Times are in the unit of the
// parameter, which the field's name carries.
type Parameters struct {
	Enabled  bool
	NaptimeS float64
	Workers  int

	VacuumThreshold float64
	VacuumScale     float64
	// MaxThreshold caps the dead row trigger; -1 is no cap.
	MaxThreshold float64
	// InsertThreshold is -1 when inserts never trigger a vacuum.
	InsertThreshold  float64
	InsertScale      float64
	AnalyzeThreshold float64
	AnalyzeScale     float64

	// CostDelayMS and CostLimit are what autovacuum works with: the
	// vacuum_cost_ ones where the autovacuum_vacuum_cost_ ones say so.
	CostDelayMS float64
	CostLimit   int
	PageHit     int
	PageMiss    int
	PageDirty   int
	// OwnCost says that the table has a cost delay or limit of its own: it gets
	// its whole limit and is left out when the limit is divided.
	OwnCost bool
}

// Defaults are the compiled defaults of versions 14 to 18.
func Defaults() Parameters {
	return Parameters{
		Enabled: true, NaptimeS: 60, Workers: 3,
		VacuumThreshold: 50, VacuumScale: 0.2, MaxThreshold: 100_000_000,
		InsertThreshold: 1000, InsertScale: 0.2,
		AnalyzeThreshold: 50, AnalyzeScale: 0.1,
		CostDelayMS: 2, CostLimit: 200, PageHit: 1, PageMiss: 2, PageDirty: 20,
	}
}

// Read fills the parameters from a lookup of settings, each in its base unit
// as pg_settings gives it (naptime in seconds, cost delay in milliseconds,
// booleans as 0 and 1). What the lookup does not know keeps its default.
func Read(lookup func(name string) (float64, bool)) Parameters {
	p := Defaults()
	get := func(name string, v *float64) {
		if got, ok := lookup(name); ok {
			*v = got
		}
	}
	getInt := func(name string, v *int) {
		if got, ok := lookup(name); ok {
			*v = int(got)
		}
	}
	if on, ok := lookup("autovacuum"); ok {
		p.Enabled = on != 0
	}
	get("autovacuum_naptime", &p.NaptimeS)
	getInt("autovacuum_max_workers", &p.Workers)
	get("autovacuum_vacuum_threshold", &p.VacuumThreshold)
	get("autovacuum_vacuum_scale_factor", &p.VacuumScale)
	get("autovacuum_vacuum_max_threshold", &p.MaxThreshold)
	get("autovacuum_vacuum_insert_threshold", &p.InsertThreshold)
	get("autovacuum_vacuum_insert_scale_factor", &p.InsertScale)
	get("autovacuum_analyze_threshold", &p.AnalyzeThreshold)
	get("autovacuum_analyze_scale_factor", &p.AnalyzeScale)
	getInt("vacuum_cost_page_hit", &p.PageHit)
	getInt("vacuum_cost_page_miss", &p.PageMiss)
	getInt("vacuum_cost_page_dirty", &p.PageDirty)
	p.readCost(lookup)
	return p
}

// readCost resolves the two autovacuum cost parameters, where -1 means the
// parameter without the prefix (and a limit of 0 counts as unset).
func (p *Parameters) readCost(lookup func(name string) (float64, bool)) {
	if delay, ok := lookup("autovacuum_vacuum_cost_delay"); ok {
		p.CostDelayMS = delay
		if delay < 0 {
			p.CostDelayMS = 0 // the default of vacuum_cost_delay
			if parent, ok := lookup("vacuum_cost_delay"); ok {
				p.CostDelayMS = parent
			}
		}
	}
	limit, ok := lookup("autovacuum_vacuum_cost_limit")
	if !ok || limit <= 0 {
		limit, ok = lookup("vacuum_cost_limit")
	}
	if ok {
		p.CostLimit = int(limit)
	}
}

// ForTable applies a table's storage parameters (name to value, as in
// pg_class.reloptions). A value of 0 or more overrides the server's; -1 means
// that the server's holds, except for the insert threshold and the maximum
// threshold, where -1 is a value of its own (no insert vacuum, no cap) and -2
// means unset. Options that are not autovacuum's are ignored; a number that
// cannot be read is an error.
func (p Parameters) ForTable(options map[string]string) (Parameters, error) {
	for _, name := range slices.Sorted(maps.Keys(options)) {
		text := options[name]
		if name == "autovacuum_enabled" {
			p.Enabled = p.Enabled && isOn(text)
			continue
		}
		set, known := tableOptions[name]
		if !known {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return p, fmt.Errorf("read storage parameter %s: %w", name, err)
		}
		set(&p, v)
	}
	return p, nil
}

// tableOptions holds the numeric storage parameters and how each overrides.
var tableOptions = map[string]func(*Parameters, float64){
	"autovacuum_vacuum_threshold":           override(func(p *Parameters) *float64 { return &p.VacuumThreshold }, 0),
	"autovacuum_vacuum_scale_factor":        override(func(p *Parameters) *float64 { return &p.VacuumScale }, 0),
	"autovacuum_vacuum_max_threshold":       override(func(p *Parameters) *float64 { return &p.MaxThreshold }, -1),
	"autovacuum_vacuum_insert_threshold":    override(func(p *Parameters) *float64 { return &p.InsertThreshold }, -1),
	"autovacuum_vacuum_insert_scale_factor": override(func(p *Parameters) *float64 { return &p.InsertScale }, 0),
	"autovacuum_analyze_threshold":          override(func(p *Parameters) *float64 { return &p.AnalyzeThreshold }, 0),
	"autovacuum_analyze_scale_factor":       override(func(p *Parameters) *float64 { return &p.AnalyzeScale }, 0),
	"autovacuum_vacuum_cost_delay": func(p *Parameters, v float64) {
		if v >= 0 {
			p.CostDelayMS, p.OwnCost = v, true
		}
	},
	"autovacuum_vacuum_cost_limit": func(p *Parameters, v float64) {
		if v > 0 {
			p.CostLimit, p.OwnCost = int(v), true
		}
	},
}

// override makes a setter that accepts values from the lowest one with a
// meaning of its own.
func override(field func(*Parameters) *float64, lowest float64) func(*Parameters, float64) {
	return func(p *Parameters, v float64) {
		if v >= lowest {
			*field(p) = v
		}
	}
}

func isOn(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "off", "false", "no", "0", "f", "n":
		return false
	}
	return true
}
