package check

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// subjects lists what is compared: each factor, and each arm with the baseline.
func subjects(e *pgassay.Experiment) []subject {
	var out []subject
	if len(e.Arms) < 2 {
		return nil
	}
	for _, f := range e.Factors {
		out = append(out, subject{factor: f.Name, treated: []treated{factorTreated(f)}})
	}
	for arm := range e.Arms {
		if arm != e.Baseline {
			out = append(out, subject{arms: []int{arm, e.Baseline}, treated: differences(&e.Arms[arm], &e.Arms[e.Baseline])})
		}
	}
	return out
}

func factorTreated(f pgassay.Factor) treated {
	switch f.Kind {
	case pgassay.FactorSetting:
		return parameter(f.Name, "")
	case pgassay.FactorStorage:
		i := strings.LastIndex(f.Name, ".")
		return parameter(f.Name[i+1:], f.Name[:max(i, 0)])
	}
	return treated{name: f.Name, is: string(f.Kind)}
}

func parameter(name, table string) treated {
	rule, known := RuleFor(name)
	return treated{name: name, table: table, rule: rule, known: known && (table == "" || rule.Storage)}
}

// differences lists what is not the same in two arms, in the order of the
// first one's list, then of the second one's.
func differences(a, b *pgassay.Arm) []treated {
	var out []treated
	add := func(t treated) {
		if !slices.ContainsFunc(out, func(o treated) bool { return o.name == t.name && o.table == t.table }) {
			out = append(out, t)
		}
	}
	for _, pair := range [][2]*pgassay.Arm{{a, b}, {b, a}} {
		for _, s := range pair[0].Settings {
			if !slices.Contains(pair[1].Settings, s) {
				add(parameter(s.Name, ""))
			}
		}
		for _, s := range pair[0].Tables {
			if !slices.Contains(pair[1].Tables, s) {
				add(parameter(s.Name, s.Table))
			}
		}
		for _, v := range pair[0].Variables {
			if !slices.Contains(pair[1].Variables, v) {
				add(treated{name: "$" + v.Name, is: string(pgassay.FactorVariable)})
			}
		}
	}
	if a.Postgres != b.Postgres || a.PgBin != b.PgBin {
		add(treated{name: "postgres", is: string(pgassay.FactorPostgres)})
	}
	if !sameDataset(a.Dataset, b.Dataset) {
		add(treated{name: "dataset", is: string(pgassay.FactorDataset)})
	}
	if !slices.Equal(a.SQL, b.SQL) {
		add(treated{name: "sql", is: "sql"})
	}
	return out
}

func sameDataset(a, b pgassay.Dataset) bool {
	return a.Builtin == b.Builtin && slices.Equal(a.Parameters, b.Parameters) && a.InitSQL == b.InitSQL &&
		a.Schema == b.Schema && a.Load == b.Load && a.Finish == b.Finish
}

// sameTable says whether two names mean the same table: one may leave out the
// schema.
func sameTable(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}
