package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

var infoV2 = Info{
	ID: "V2", Title: "Only the treatment differs", Severity: pgassay.SeverityExperiment, Run: true,
	What:      "all of pg_settings and the storage parameters of each arm against the baseline's",
	Threshold: "anything differs that is not part of the arms",
	Remedy:    "declare what differs in the arms, or find out what changed it",
}

// ownPerInstance are settings that differ between instances or follow from
// others; they are no treatment.
var ownPerInstance = []string{
	"port", "data_directory", "config_file", "hba_file", "ident_file", "external_pid_file", "unix_socket_directories",
	"cluster_name", "log_directory", "log_filename", "shared_memory_size", "shared_memory_size_in_huge_pages",
	"num_os_semaphores", "application_name",
}

// onlyTreatmentDiffers compares the settings in force between arms.
func (r *run) onlyTreatmentDiffers() []pgassay.CheckResult {
	var out []pgassay.CheckResult
	for _, s := range r.subjects {
		if s.arms == nil {
			continue // a factor's arms are compared as arms
		}
		c := infoV2.result()
		c.Arms = slices.Clone(s.arms)
		a, b := r.trialsOf(s.arms[0]), r.trialsOf(s.arms[1])
		if len(a) == 0 || len(b) == 0 || len(a[0].settings) == 0 || len(b[0].settings) == 0 {
			out = append(out, infoV2.unknown(c, "there are no settings in force to compare: an arm has no valid trial"))
			continue
		}
		stray := undeclared(s, a, b)
		numbers := []pgassay.Number{{Name: "compared", Value: float64(len(a[0].settings))}, {Name: "undeclared", Value: float64(len(stray))}}
		if len(stray) > 0 {
			out = append(out, infoV2.failed(c, fmt.Sprintf("%d settings differ from the baseline without being part of the arm: %s", len(stray), strings.Join(stray, "; ")), numbers...))
			continue
		}
		out = append(out, infoV2.passed(c, fmt.Sprintf("of %d settings only the declared ones differ from the baseline", len(a[0].settings)), numbers...))
	}
	if len(out) == 0 {
		out = append(out, infoV2.unknown(infoV2.result(), "there is one arm only, so nothing is compared"))
	}
	return out
}

// trialsOf lists an arm's valid trials over all load levels.
func (r *run) trialsOf(arm int) []*facts {
	var out []*facts
	for load := range r.Experiment.Loads {
		out = append(out, r.cells[[2]int{arm, load}]...)
	}
	return out
}

func undeclared(s subject, a, b []*facts) []string {
	builds := a[0].settings["server_version_num"].Setting != b[0].settings["server_version_num"].Setting
	x, y := valuesOf(a, builds), valuesOf(b, builds)
	names := slices.Sorted(maps.Keys(x))
	for name := range y {
		if _, ok := x[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var stray []string
	for _, name := range names {
		if x[name] == y[name] || s.declares(name, builds) {
			continue
		}
		stray = append(stray, fmt.Sprintf("%s (%s, baseline %s)", name, orNone(x[name]), orNone(y[name])))
	}
	return stray
}

// valuesOf lists the values that each setting and storage parameter had over
// an arm's trials. Between builds only what somebody has set counts: compiled
// defaults change with the version.
func valuesOf(trials []*facts, builds bool) map[string]string {
	sets := map[string][]string{}
	add := func(name, value string) {
		if !slices.Contains(sets[name], value) {
			sets[name] = append(sets[name], value)
		}
	}
	for _, f := range trials {
		for name, s := range f.settings {
			if builds && (s.Source == "default" || s.Source == "override") {
				continue
			}
			add(name, s.Setting)
		}
		for _, s := range f.rec.Storage {
			add(s.Table+"."+s.Name, s.Value)
		}
	}
	out := map[string]string{}
	for name, values := range sets {
		slices.Sort(values)
		out[name] = strings.Join(values, ", ")
	}
	return out
}

func (s subject) declares(name string, builds bool) bool {
	if slices.Contains(ownPerInstance, name) {
		return true
	}
	for _, t := range s.treated {
		switch {
		case t.name == name && t.table == "" && t.is == "":
			return true
		case t.table != "" && strings.HasSuffix(name, "."+t.name) && sameTable(strings.TrimSuffix(name, "."+t.name), t.table):
			return true
		case t.name == "shared_buffers" && name == "wal_buffers": // 1/32 of it by default
			return true
		case t.is == "sql": // SQL may set storage parameters and settings of roles or databases
			return true
		}
	}
	return builds && strings.HasPrefix(name, "server_version")
}

func orNone(v string) string {
	if v == "" {
		return "not set"
	}
	return v
}
