package experiment

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/pgassay/pgassay"
)

// datasetFile is a built-in dataset: datasets/NAME.yaml.
type datasetFile struct {
	parameters []datasetParameter
	// rows is a formula over the parameters.
	rows                 string
	schema, load, finish string
}

// datasetParameter is a whole number that the SQL gets as ${name} and scripts
// as :name.
type datasetParameter struct {
	name      string
	def       string
	low, high int64
}

// datasetFileType is the field table of a built-in dataset's file.
var datasetFileType = &typ{says: "a map", fields: []field{
	{key: "parameters", required: true, doc: "Whole numbers that ${name} in the SQL stands for.", typ: &typ{
		key: pattern("a parameter's name", `[a-z][a-z0-9_]*`), empty: true, others: &typ{says: "a map", fields: []field{
			{key: "description", required: true, doc: "What it is.", typ: &typ{scalar: anyText("a sentence")}},
			{key: "default", required: true, doc: "Its value when the experiment gives none.", typ: &typ{scalar: integer(0, 1e15)}},
			{key: "min", required: true, doc: "The least value.", typ: &typ{scalar: integer(0, 1e15)}},
			{key: "max", required: true, doc: "The greatest value.", typ: &typ{scalar: integer(0, 1e15)}},
		}}}},
	{key: "rows", required: true, doc: "The number of rows to start with: a formula over the parameters.", typ: &typ{scalar: anyText("a formula")}},
	{key: "schema", required: true, doc: "SQL that creates empty tables.", typ: &typ{scalar: anyText("SQL")}},
	{key: "load", required: true, doc: "SQL that fills them.", typ: &typ{scalar: anyText("SQL")}},
	{key: "finish", doc: "SQL that adds indexes and constraints.", typ: &typ{scalar: anyText("SQL")}},
}}

// readDataset reads a built-in dataset, nil after reporting why not.
func (b *builder) readDataset(at *node, name string) *datasetFile {
	if d, ok := b.datasets[name]; ok {
		return d
	}
	b.datasets[name] = nil
	file := "datasets/" + name + ".yaml"
	text, ok := b.readBuiltin(at, "dataset", file, name)
	if !ok {
		return nil
	}
	before := b.r.errors
	tree := parseTree(b.r, file, text)
	if tree == nil {
		return nil
	}
	(&walker{r: b.r}).walk(tree, datasetFileType, "")
	if b.r.errors > before {
		return nil
	}
	d := &datasetFile{}
	d.rows, _ = tree.scalar("rows")
	d.schema, _ = tree.scalar("schema")
	d.load, _ = tree.scalar("load")
	d.finish, _ = tree.scalar("finish")
	for _, p := range tree.get("parameters").keys() {
		one := datasetParameter{name: p.key}
		one.def, _ = p.value.scalar("default")
		one.def = strings.ReplaceAll(one.def, "_", "")
		one.low, _ = p.value.integer("min")
		one.high, _ = p.value.integer("max")
		d.parameters = append(d.parameters, one)
	}
	b.datasets[name] = d
	return d
}

// readBuiltin reads an embedded file; what it is called helps the message.
func (b *builder) readBuiltin(at *node, what, file, name string) ([]byte, bool) {
	if b.o.Builtin != nil {
		if text, err := fs.ReadFile(b.o.Builtin, file); err == nil {
			return text, true
		}
	}
	var names []string
	if b.o.Builtin != nil {
		entries, _ := fs.ReadDir(b.o.Builtin, path.Dir(file)) // without it, there is no suggestion
		for _, e := range entries {
			if base, ok := strings.CutSuffix(e.Name(), path.Ext(file)); ok {
				names = append(names, base)
			}
		}
	}
	b.r.errorf(at, didYouMean(name, names), "there is no built-in %s %s", what, clip(name))
	return nil, false
}

// readFile reads a file that the experiment names and keeps its content.
func (b *builder) readFile(at *node, name string) (string, bool) {
	if b.o.Files == nil {
		b.r.errorf(at, "", "%s: no files can be read here", clip(name))
		return "", false
	}
	if !fs.ValidPath(name) || name == "." {
		b.r.errorf(at, "name it relative to the experiment file, in its directory or below, as in scripts/update.sql", "%s is not a file beside the experiment file", clip(name))
		return "", false
	}
	text, err := fs.ReadFile(b.o.Files, name)
	if err != nil {
		b.r.errorf(at, "it is looked for relative to the experiment file", "cannot read %s: %s", clip(name), reason(err))
		return "", false
	}
	if b.f.Attached == nil {
		b.f.Attached = map[string][]byte{}
	}
	b.f.Attached[name] = text
	return string(text), true
}

// reason is the cause of a file error without operation and path.
func reason(err error) string {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// integer returns a key's whole number.
func (n *node) integer(key string) (int64, bool) {
	text, ok := n.scalar(key)
	if !ok {
		return 0, false
	}
	v, err := parseInteger(text)
	return v, err == nil
}

// choice is a dataset as written, possibly from more than one place.
type choice struct {
	builtin, init     string
	builtinAt, initAt *node
	params            []*pair
}

// choose lays a dataset's map over what is inherited: parameters add up,
// another dataset starts afresh.
func choose(n *node, base choice) choice {
	if name, ok := n.scalar("builtin"); ok && name != base.builtin {
		base = choice{builtin: name, builtinAt: n.get("builtin")}
	}
	if name, ok := n.scalar("init"); ok && name != base.init {
		base = choice{init: name, initAt: n.get("init")}
	}
	out := base
	out.params = append([]*pair{}, base.params...)
	for _, p := range n.keys() {
		if p.key != "builtin" && p.key != "init" && p.value.kind == scalarKind && !p.value.bad {
			out.params = setParam(out.params, p)
		}
	}
	return out
}

func setParam(list []*pair, p *pair) []*pair {
	for i := range list {
		if list[i].key == p.key {
			list[i] = p
			return list
		}
	}
	return append(list, p)
}

// dataset resolves a choice; problems are reported at its nodes. Arms mostly
// share theirs, so each is made once.
func (b *builder) dataset(c choice) pgassay.Dataset {
	key := fmt.Sprintf("%q %q", c.builtin, c.init)
	for _, p := range c.params {
		key += fmt.Sprintf(" %q=%q", p.key, p.value.text)
	}
	made, ok := b.made[key]
	if !ok {
		made = b.makeDataset(c)
		b.made[key] = made
	}
	return made
}

func (b *builder) makeDataset(c choice) pgassay.Dataset {
	if c.builtin == "" {
		for _, p := range c.params {
			b.r.errorf(p.at, "give scripts such a value under workload.variables", "a dataset from a file has no parameter %s", clip(p.key))
		}
		out := pgassay.Dataset{Init: c.init, Rows: -1}
		if c.initAt != nil {
			out.InitSQL, _ = b.readFile(c.initAt, c.init)
		}
		return out
	}
	out := pgassay.Dataset{Builtin: c.builtin, Rows: -1}
	d := b.readDataset(c.builtinAt, c.builtin)
	if d == nil {
		return out
	}
	out.Parameters = b.parameters(d, c)
	replace := make([]string, 0, 2*len(out.Parameters))
	for _, p := range out.Parameters {
		replace = append(replace, "${"+p.Name+"}", p.Value)
	}
	put := strings.NewReplacer(replace...)
	out.Schema, out.Load, out.Finish = put.Replace(d.schema), put.Replace(d.load), put.Replace(d.finish)
	rows, err := formula(d.rows, func(name string) (float64, bool) { return lookup(out.Parameters, name) })
	if err != nil {
		b.r.errorf(c.builtinAt, "", "dataset %s: %s", c.builtin, err)
		return out
	}
	out.Rows = int64(rows)
	return out
}

// parameters returns every parameter of d: as given, else its default.
func (b *builder) parameters(d *datasetFile, c choice) []pgassay.Variable {
	var out []pgassay.Variable
	var names []string
	for _, p := range d.parameters {
		names = append(names, p.name)
		out = append(out, pgassay.Variable{Name: p.name, Value: p.def})
	}
	for _, given := range c.params {
		known := false
		for _, p := range d.parameters {
			if p.name != given.key {
				continue
			}
			known = true
			v, err := parseInteger(given.value.text)
			if err != nil || v < p.low || v > p.high {
				b.r.errorf(given.value, fmt.Sprintf("want a whole number from %s to %s", grouped(p.low), grouped(p.high)),
					"dataset %s: %s cannot be %s", c.builtin, p.name, clip(given.value.text))
				continue
			}
			out = putVariable(out, p.name, fmt.Sprint(v))
		}
		if !known {
			b.r.errorf(given.at, didYouMean(given.key, names), "dataset %s has no parameter %s", c.builtin, clip(given.key))
		}
	}
	return out
}
