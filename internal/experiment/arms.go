package experiment

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// maxArms bounds the combinations that are expanded; plans far smaller are
// already more than anybody can wait for.
const maxArms = 10_000

// namedArm is an arm of the file after "extends" was followed.
type namedArm struct {
	at   *node // its key
	body *node
}

// readArms follows "extends" and checks what does not depend on factors.
func (b *builder) readArms(n *node) []namedArm {
	var out []namedArm
	for _, p := range n.keys() {
		if p.value.bad {
			continue
		}
		body, ok := b.extend(n, p, nil)
		if !ok {
			continue
		}
		if v := body.get("postgres"); v != nil && body.get("pg_bin") != nil {
			b.r.errorf(v, "give one of them", "arm %s has both postgres and pg_bin", clip(p.key))
		}
		out = append(out, namedArm{p.at, body})
	}
	return out
}

// extend returns an arm's body laid over the one it extends.
func (b *builder) extend(all *node, p *pair, chain []string) (*node, bool) {
	parent, ok := p.value.scalar("extends")
	if !ok {
		return p.value, !p.value.bad
	}
	at := p.value.get("extends")
	chain = append(chain, p.key)
	if slices.Contains(chain, parent) {
		b.r.errorf(at, "", "arms extend each other in a circle: %s", clip(strings.Join(append(chain, parent), " → ")))
		return nil, false
	}
	base := all.pair(parent)
	if base == nil {
		var names []string
		for _, o := range all.keys() {
			if o.key != p.key {
				names = append(names, o.key)
			}
		}
		b.r.errorf(at, didYouMean(parent, names), "there is no arm %s to extend", clip(parent))
		return nil, false
	}
	inherited, ok := b.extend(all, base, chain)
	if !ok {
		return nil, false
	}
	return merge(without(inherited, "extends"), without(p.value, "extends")), true
}

// addNamedArms adds the named arms after the combinations; a file without
// either has the one arm "baseline".
func (b *builder) addNamedArms(named []namedArm) {
	e := b.f.Experiment
	for _, n := range named {
		b.addNamed(n)
	}
	if len(b.factors) == 0 && len(named) == 0 {
		e.Arms = append(e.Arms, pgassay.Arm{Name: "baseline", Settings: slices.Clone(e.Server.Settings), Dataset: e.Dataset})
	}
}

// combine adds the factors' combinations that are not excluded, in the file's
// order, the last factor fastest.
func (b *builder) combine() {
	if len(b.factors) == 0 {
		return
	}
	total := 1
	for _, f := range b.factors {
		if total *= max(1, len(f.Levels)); total > maxArms {
			b.r.errorf(f.at, "take fewer levels, or factors one at a time", "the factors have more than %s combinations", grouped(maxArms))
			return
		}
	}
	exclude := b.tree.get("design").get("exclude")
	before := b.r.errors
	rules := b.excluded(exclude)
	levels := make([]int, len(b.factors))
	for done := false; !done; {
		if !matches(rules, levels) {
			b.addCombination(slices.Clone(levels))
		}
		done = true
		for i := len(levels) - 1; i >= 0 && done; i-- {
			levels[i]++
			if done = levels[i] == len(b.factors[i].Levels); done {
				levels[i] = 0
			}
		}
	}
	if len(b.f.Experiment.Arms) == 0 && b.r.errors == before {
		b.r.errorf(exclude, "", "every combination of the factors is excluded")
	}
}

func (b *builder) addCombination(levels []int) {
	e := b.f.Experiment
	a := pgassay.Arm{Levels: levels, Settings: slices.Clone(e.Server.Settings)}
	chosen := b.chosen
	chosen.params = slices.Clone(chosen.params)
	var names []string
	for i, f := range b.factors {
		value, at := f.Levels[levels[i]], f.levels[levels[i]]
		names = append(names, f.Name+"="+value)
		u := use{key: f.at, at: at, name: f.param, value: value, table: f.table, share: f.share[levels[i]], arm: len(e.Arms)}
		switch f.Kind {
		case pgassay.FactorSetting:
			a.Settings = put(a.Settings, f.param, value)
			b.f.uses = append(b.f.uses, u)
		case pgassay.FactorStorage:
			a.Tables = putStorage(a.Tables, pgassay.StorageSetting{Table: f.table, Name: f.param, Value: value})
			b.f.uses = append(b.f.uses, u)
		case pgassay.FactorVariable:
			a.Variables = putVariable(a.Variables, f.param, value)
		case pgassay.FactorPostgres:
			a.Postgres = value
		case pgassay.FactorDataset:
			chosen.params = setParam(chosen.params, &pair{key: f.param, at: f.at, value: at})
		}
	}
	a.Name = strings.Join(names, ", ")
	b.setDataset(&a, chosen)
	e.Arms = append(e.Arms, a)
}

func (b *builder) addNamed(n namedArm) {
	e := b.f.Experiment
	index := len(e.Arms)
	a := pgassay.Arm{Name: n.at.text}
	if slices.ContainsFunc(e.Arms, func(o pgassay.Arm) bool { return o.Name == a.Name }) {
		b.r.errorf(n.at, "give the arm another name", "there are two arms named %s", clip(a.Name))
	}
	a.Postgres, _ = n.body.scalar("postgres")
	a.PgBin, _ = n.body.scalar("pg_bin")
	a.Settings = b.settings(n.body.get("settings"), index, e.Server.Settings)
	a.Variables = b.variables(n.body.get("variables"), nil)
	for _, table := range n.body.get("tables").keys() {
		for _, p := range table.value.keys() {
			b.storage(&a, index, table, p)
		}
	}
	if sql := n.body.get("sql"); sql != nil {
		for _, item := range sql.items {
			a.SQL = append(a.SQL, item.text)
		}
	}
	chosen := b.chosen
	if d := n.body.get("dataset"); d != nil {
		chosen = choose(d, b.chosen)
	}
	b.setDataset(&a, chosen)
	e.Arms = append(e.Arms, a)
}

// storage adds one storage parameter of a named arm.
func (b *builder) storage(a *pgassay.Arm, index int, table, p *pair) {
	name, tableName := p.key, table.key
	if short, ok := strings.CutPrefix(name, "toast."); ok {
		name, tableName = short, tableName+".toast"
	}
	if !b.checkStorage(p.at, tableName, name) {
		return
	}
	value, share, ok := b.value(p.value, name)
	if !ok {
		return
	}
	a.Tables = putStorage(a.Tables, pgassay.StorageSetting{Table: tableName, Name: name, Value: value})
	b.f.uses = append(b.f.uses, use{key: p.at, at: p.value, table: tableName, name: name, value: value, share: share, arm: index})
}

// setDataset gives an arm its dataset, and its parameters as variables where
// they differ from what the scripts have, unless the arm sets them itself.
func (b *builder) setDataset(a *pgassay.Arm, c choice) {
	a.Dataset = b.dataset(c)
	for _, p := range a.Dataset.Parameters {
		if slices.Contains(b.f.Experiment.Dataset.Parameters, p) {
			continue
		}
		if !slices.ContainsFunc(a.Variables, func(v pgassay.Variable) bool { return v.Name == p.Name }) {
			a.Variables = putVariable(a.Variables, p.Name, p.Value)
		}
	}
}

// checkServerTwice reports a setting that is both in server.settings and a
// factor when no named arm is there for which the server's value would count.
func (b *builder) checkServerTwice(named int) {
	for _, p := range b.tree.get("server").get("settings").keys() {
		for _, f := range b.factors {
			if named == 0 && f.Kind == pgassay.FactorSetting && f.param == strings.ToLower(p.key) {
				b.r.errorf(p.at, "remove one of them", "%s is given twice: it is also a factor (line %d), so this value would never be used", p.key, f.at.line)
			}
		}
	}
}

// checkSame reports a named arm that does the same as another arm.
func (b *builder) checkSame(named []namedArm) {
	first := map[string]string{}
	arms := b.f.Experiment.Arms
	for i := range arms {
		key := identity(&arms[i])
		other, twice := first[key]
		if !twice {
			first[key] = arms[i].Name
			continue
		}
		at := b.tree
		if j := i - (len(arms) - len(named)); j >= 0 {
			at = named[j].at
		}
		b.r.errorf(at, "one arm may leave everything as it is, as the baseline; each other one has to differ", "arm %s is the same as arm %s", clip(arms[i].Name), clip(other))
	}
}

// identity is a text that is equal for arms that do the same.
func identity(a *pgassay.Arm) string {
	var words []string
	for _, s := range a.Settings {
		words = append(words, "setting "+s.Name+"="+canonical(s.Value))
	}
	for _, s := range a.Tables {
		words = append(words, "table "+s.Table+"."+s.Name+"="+canonical(s.Value))
	}
	for _, v := range a.Variables {
		words = append(words, "variable "+v.Name+"="+canonical(v.Value))
	}
	slices.Sort(words)
	rest, err := json.Marshal([]any{words, a.Postgres, a.PgBin, a.Dataset, a.SQL})
	if err != nil {
		panic(fmt.Sprintf("encode arm: %v", err)) // strings always encode
	}
	return string(rest)
}

// treat fills in each arm's Treatment: the settings that are not the same in
// all arms.
func treat(arms []pgassay.Arm) {
	values := map[string]map[string]int{}
	for _, a := range arms {
		for _, s := range a.Settings {
			if values[s.Name] == nil {
				values[s.Name] = map[string]int{}
			}
			values[s.Name][canonical(s.Value)]++
		}
	}
	for i := range arms {
		arms[i].Treatment = nil
		for _, s := range arms[i].Settings {
			if values[s.Name][canonical(s.Value)] != len(arms) {
				arms[i].Treatment = append(arms[i].Treatment, s)
			}
		}
	}
}
