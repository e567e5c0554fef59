package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// builder turns a checked tree into an experiment. Parts that were found bad
// are passed over: their problem is reported already.
type builder struct {
	r        *reporter
	o        Options
	f        *File
	tree     *node
	datasets map[string]*datasetFile
	made     map[string]pgassay.Dataset
	chosen   choice
	headers  []header // one per script
	factors  []factor
}

func (b *builder) build(name string) *File {
	e := &pgassay.Experiment{Profile: b.o.Profile}
	b.f = &File{Name: name, Experiment: e, tree: b.tree}
	e.Name, _ = b.tree.scalar("name")
	e.Question, _ = b.tree.scalar("question")
	b.server(b.tree.get("server"))
	if n := b.tree.get("dataset"); n != nil {
		b.chosen = choose(n, choice{})
		e.Dataset = b.dataset(b.chosen)
	}
	b.workload(b.tree.get("workload"))
	before := b.r.errors
	b.readFactors(b.tree.get("factors"))
	for _, f := range b.factors {
		e.Factors = append(e.Factors, f.Factor)
	}
	arms := b.readArms(b.tree.get("arms"))
	complete := b.r.errors == before
	if complete {
		b.combine()
	}
	b.addNamedArms(arms)
	if complete = complete && b.r.errors == before; complete { // else what follows would only echo it
		b.checkServerTwice(len(arms))
		if b.r.errors == 0 { // a part that was dropped may be what sets arms apart
			b.checkSame(arms)
		}
		treat(e.Arms)
		b.shapes()
		b.warnInsertScale()
	}
	b.design(b.tree.get("design"), complete)
	return b.f
}

func (b *builder) server(n *node) {
	s := &b.f.Experiment.Server
	s.Postgres, _ = n.scalar("postgres")
	if limits := n.get("limits"); limits != nil {
		if text, ok := limits.scalar("memory"); ok {
			s.MemoryLimitBytes, _ = parseSize(text) // walk has checked it
		}
	}
	s.Settings = b.settings(n.get("settings"), -1, nil)
}

// settings reads a map of settings over base, noting where each is written.
func (b *builder) settings(n *node, arm int, base []pgassay.Setting) []pgassay.Setting {
	out := slices.Clone(base)
	seen := map[string]*pair{}
	for _, p := range n.keys() {
		name := strings.ToLower(p.key)
		if first := seen[name]; first != nil {
			b.r.errorf(p.at, "remove one of them", "%s is given twice, first on line %d as %s", p.key, first.at.line, first.key)
			continue
		}
		seen[name] = p
		value, share, ok := b.value(p.value, name)
		if !ok {
			continue
		}
		out = put(out, name, value)
		b.f.uses = append(b.f.uses, use{key: p.at, at: p.value, name: name, value: value, share: share, arm: arm})
	}
	return out
}

// variables reads a map of variables over base.
func (b *builder) variables(n *node, base []pgassay.Variable) []pgassay.Variable {
	out := slices.Clone(base)
	for _, p := range n.keys() {
		if p.value.kind == scalarKind && !p.value.bad {
			out = putVariable(out, p.key, number(p.value.text))
		}
	}
	return out
}

// number drops the underscores of a number and leaves other text alone.
func number(text string) string {
	if q, ok, err := parseQuantity(text); ok && err == nil && q.unit.name == "" {
		return strings.ReplaceAll(text, "_", "")
	}
	return text
}

func (b *builder) workload(n *node) {
	w := &b.f.Experiment.Workload
	shared := b.variables(n.get("variables"), nil)
	if scripts := n.get("scripts"); scripts != nil {
		for _, item := range scripts.items {
			if !item.bad && item.kind == mapKind {
				b.script(item, shared)
			}
		}
	}
	if text, ok := n.scalar("warmup"); ok {
		w.Warmup, _ = parseDuration(text) // walk has checked it
	}
	if measure := n.get("measure"); measure != nil && !measure.bad {
		b.measure(measure)
	}
	b.loads(n.get("clients"))
}

// script reads one entry of workload.scripts.
func (b *builder) script(n *node, shared []pgassay.Variable) {
	s := pgassay.Script{Weight: 1}
	var ok bool
	if name, given := n.scalar("builtin"); given {
		var text []byte
		text, ok = b.readBuiltin(n.get("builtin"), "script", "scripts/"+name+".sql", name)
		s.Name, s.Text = name, string(text)
	} else if name, given := n.scalar("file"); given {
		s.Text, ok = b.readFile(n.get("file"), name)
		s.Name = name
	} else if text, given := n.scalar("sql"); given {
		s.Name, s.Text, ok = fmt.Sprintf("sql-%d", len(b.headers)+1), text, true
	}
	if !ok {
		return
	}
	h, err := parseHeader(s.Text)
	if err != nil {
		b.r.errorf(n, "", "script %s: %s", clip(s.Name), err)
		return
	}
	e := b.f.Experiment
	if at := n.get("builtin"); at != nil && h.dataset != "" && e.Dataset.Builtin != "" && h.dataset != e.Dataset.Builtin {
		b.r.errorf(at, "use dataset: {builtin: "+h.dataset+"}, or another script", "script %s works on dataset %s, not on %s", s.Name, h.dataset, e.Dataset.Builtin)
	}
	if w, ok := n.integer("weight"); ok {
		s.Weight = int(w)
	}
	s.Name = b.uniqueName(s.Name)
	// Everything that applies outside arms, growing precedence.
	s.Variables = slices.Clone(h.variables)
	for _, list := range [][]pgassay.Variable{e.Dataset.Parameters, shared} {
		for _, v := range list {
			s.Variables = putVariable(s.Variables, v.Name, v.Value)
		}
	}
	s.Variables = b.variables(n.get("variables"), s.Variables)
	e.Workload.Scripts = append(e.Workload.Scripts, s)
	b.headers = append(b.headers, h)
}

// uniqueName adds " (2)" to a script's name that is there already.
func (b *builder) uniqueName(name string) string {
	taken := func(s string) bool {
		return slices.ContainsFunc(b.f.Experiment.Workload.Scripts, func(o pgassay.Script) bool { return o.Name == s })
	}
	out := name
	for i := 2; taken(out); i++ {
		out = fmt.Sprintf("%s (%d)", name, i)
	}
	return out
}

// loads reads the numbers of clients, ascending in the result.
func (b *builder) loads(n *node) {
	if n == nil {
		return
	}
	b.f.clients = n
	items := n.items
	if n.kind == scalarKind {
		items = []*node{n}
	}
	seen := map[int64]bool{}
	for _, item := range items {
		v, err := parseInteger(item.text)
		if err != nil || item.bad {
			continue
		}
		if seen[v] {
			b.r.errorf(item, "remove one of them", "workload.clients has %d twice", v)
			continue
		}
		seen[v] = true
		b.f.Experiment.Loads = append(b.f.Experiment.Loads, pgassay.Load{Name: count(int(v), "client"), Clients: int(v)})
	}
	slices.SortFunc(b.f.Experiment.Loads, func(x, y pgassay.Load) int { return x.Clients - y.Clients })
}

// shapes fills in what each script does to the tables. A shape that depends on
// a variable which arms set differently is not known.
func (b *builder) shapes() {
	e := b.f.Experiment
	for i := range e.Workload.Scripts {
		s, h := &e.Workload.Scripts[i], b.headers[i]
		varies := slices.ContainsFunc(e.Arms, func(a pgassay.Arm) bool {
			return slices.ContainsFunc(a.Variables, func(v pgassay.Variable) bool { return h.uses(v.Name) })
		})
		if varies {
			continue
		}
		shape, err := h.shape(func(name string) (float64, bool) { return lookup(s.Variables, name) })
		if err != nil {
			at := b.tree.get("workload").get("scripts")
			b.r.errorf(at, "", "script %s: %s", clip(s.Name), err)
			continue
		}
		s.Shape = shape
	}
}
