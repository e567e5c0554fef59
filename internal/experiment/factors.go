package experiment

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// factor is a factor with its nodes.
type factor struct {
	pgassay.Factor
	at     *node
	levels []*node
	// table and param are set for a storage parameter; param alone for the
	// other kinds: the setting, the variable, the dataset's parameter.
	table, param string
	share        []bool // by level
}

// readFactors reads the map of factors in the file's order.
func (b *builder) readFactors(n *node) {
	for _, p := range n.keys() {
		if p.value.bad || p.value.kind != listKind {
			continue
		}
		f, ok := b.factorKind(p)
		if !ok {
			continue
		}
		for i := range b.factors {
			if b.factors[i].Name == f.Name {
				b.r.errorf(p.at, "remove one of them", "factor %s is given twice, first on line %d", f.Name, b.factors[i].at.line)
			}
		}
		b.readLevels(&f, p.value.items)
		b.factors = append(b.factors, f)
	}
}

// factorKind tells what a factor's key varies.
func (b *builder) factorKind(p *pair) (factor, bool) {
	f := factor{at: p.at, Factor: pgassay.Factor{Name: p.key}}
	if name, ok := strings.CutPrefix(p.key, "$"); ok {
		f.Kind, f.param = pgassay.FactorVariable, name
		if err := variablesType.key.check(name); err != nil {
			b.r.errorf(p.at, "", "%s is not the name of a variable", clip(p.key))
			return f, false
		}
		return f, true
	}
	if p.key == "postgres" {
		f.Kind = pgassay.FactorPostgres
		return f, true
	}
	if name, ok := strings.CutPrefix(p.key, "dataset."); ok {
		f.Kind, f.param = pgassay.FactorDataset, name
		return f, true
	}
	if table, name, near, ok := splitStorage(p.key); ok {
		if near != "" {
			b.r.errorf(p.at, "did you mean "+table+"."+near+"?", "%s is not a storage parameter of tables", clip(name))
			return f, false
		}
		f.Kind, f.table, f.param = pgassay.FactorStorage, table, name
		return f, b.checkStorage(p.at, table, name)
	}
	f.Kind, f.param = pgassay.FactorSetting, strings.ToLower(p.key)
	f.Name = f.param
	if err := settingName.check(p.key); err != nil {
		b.r.errorf(p.at, "a factor is a setting, table.parameter, $variable, postgres or dataset.parameter", "%s is not a factor", clip(p.key))
		return f, false
	}
	return f, true
}

// readLevels reads a factor's levels and reports equal ones.
func (b *builder) readLevels(f *factor, items []*node) {
	seen := map[string]*node{}
	for _, item := range items {
		if item.bad || item.kind != scalarKind {
			continue
		}
		value, share, ok := item.text, false, true
		switch f.Kind {
		case pgassay.FactorSetting, pgassay.FactorStorage:
			value, share, ok = b.value(item, f.Name)
		case pgassay.FactorVariable:
			value = number(value)
		case pgassay.FactorPostgres:
			if err := postgresConstraint.check(value); err != nil {
				b.r.errorf(item, "want "+postgresConstraint.says, "factor postgres: %s %s", clip(value), err)
				ok = false
			}
		case pgassay.FactorDataset:
			// the dataset checks its parameter's value when arms are made
			value = number(value)
		}
		if !ok {
			continue
		}
		if first := seen[canonical(value)]; first != nil {
			b.r.errorf(item, "remove one of them", "factor %s has the level %s twice, first as %s on line %d", f.Name, clip(value), clip(first.raw), first.line)
			continue
		}
		seen[canonical(value)] = item
		f.Levels = append(f.Levels, value)
		f.levels = append(f.levels, item)
		f.share = append(f.share, share)
	}
}

// level finds a level by its value, -1 when there is none.
func (f *factor) level(text string) int {
	if text = canonical(text); text == "" {
		return -1
	}
	for i, l := range f.Levels {
		// what was written also matches what it was resolved to
		if canonical(l) == text || canonical(f.levels[i].raw) == text {
			return i
		}
	}
	return -1
}

// factorNamed finds a factor as a key in exclude or baseline names it.
func (b *builder) factorNamed(at *node) int {
	var names []string
	for i := range b.factors {
		names = append(names, b.factors[i].Name)
		if b.factors[i].Name == at.text || b.factors[i].Kind == pgassay.FactorSetting && b.factors[i].Name == strings.ToLower(at.text) {
			return i
		}
	}
	b.r.errorf(at, didYouMean(at.text, names), "there is no factor %s", clip(at.text))
	return -1
}

// excluded reads design.exclude: for each entry, the levels it matches by
// factor; a factor that is absent or "any" matches every level.
func (b *builder) excluded(n *node) []map[int][]int {
	var out []map[int][]int
	if n == nil || n.kind != listKind {
		return nil
	}
	for _, entry := range n.items {
		rule := map[int][]int{}
		ok := !entry.bad && entry.kind == mapKind
		for _, p := range entry.keys() {
			i := b.factorNamed(p.at)
			if i < 0 {
				ok = false
				continue
			}
			items := p.value.items
			if p.value.kind == scalarKind {
				items = []*node{p.value}
			}
			for _, item := range items {
				if item.text == "any" {
					delete(rule, i)
					break
				}
				l := b.levelOf(i, item)
				ok = ok && l >= 0
				rule[i] = append(rule[i], l)
			}
		}
		if ok {
			out = append(out, rule)
		}
	}
	return out
}

// levelOf finds a level of factor i, reporting one that does not exist.
func (b *builder) levelOf(i int, at *node) int {
	l := b.factors[i].level(at.text)
	if l < 0 {
		b.r.errorf(at, "its levels: "+strings.Join(b.factors[i].Levels, ", "), "factor %s has no level %s", b.factors[i].Name, clip(at.text))
	}
	return l
}

// matches says whether a combination is excluded by one of the rules.
func matches(rules []map[int][]int, levels []int) bool {
	return slices.ContainsFunc(rules, func(rule map[int][]int) bool {
		for i, allowed := range rule {
			if !slices.Contains(allowed, levels[i]) {
				return false
			}
		}
		return true
	})
}
