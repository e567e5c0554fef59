package experiment

import (
	"strconv"
	"strings"
)

// merge lays over over base and returns a new tree: maps merge, lists and
// scalars replace, null deletes. Keys of base keep their order, new ones
// follow. Neither argument is changed; unchanged parts are shared.
func merge(base, over *node) *node {
	if base == nil || base.kind != mapKind || over.kind != mapKind {
		return over
	}
	out := *base
	out.pairs = nil
	out.bad = base.bad || over.bad
	for _, p := range base.pairs {
		o := over.pair(p.key)
		switch {
		case o == nil:
			out.pairs = append(out.pairs, p)
		case o.value.kind != nullKind:
			out.pairs = append(out.pairs, &pair{key: p.key, at: o.at, value: merge(p.value, o.value)})
		}
	}
	for _, o := range over.pairs {
		if base.pair(o.key) == nil && o.value.kind != nullKind {
			out.pairs = append(out.pairs, o)
		}
	}
	return &out
}

// without returns a map without one of its keys.
func without(n *node, key string) *node {
	out := *n
	out.pairs = nil
	for _, p := range n.pairs {
		if p.key != key {
			out.pairs = append(out.pairs, p)
		}
	}
	return &out
}

// setPath applies one --set: a path of keys joined by dots, "=", and a value
// in YAML. A key that itself has dots is found when it exists, or is written
// in double quotes; a number picks an item of a list.
func setPath(r *reporter, root *node, arg string) *node {
	src := newSource("--set", arg)
	whole := &node{kind: scalarKind, raw: arg, src: src, line: 1, col: 1}
	path, text, ok := strings.Cut(arg, "=")
	if !ok || strings.TrimSpace(path) == "" {
		r.errorf(whole, "write --set dataset.rows=100", "--set without a path and a value")
		return root
	}
	column := len([]rune(path)) + 1
	inner := &reporter{}
	value := parseTree(inner, "--set", []byte(text))
	switch {
	case inner.errors > 0:
		r.errorf(whole, "", "--set %s: %s", path, inner.list[0].Message)
		return root
	case value == nil:
		return root
	}
	relocate(value, src, column)
	return assign(r, root, strings.TrimSpace(path), value, whole)
}

// relocate moves nodes that were parsed from a part of src's line to their
// place in the whole line.
func relocate(n *node, src *source, shift int) {
	n.src = src
	n.col += shift
	for _, p := range n.pairs {
		p.at.src = src
		p.at.col += shift
		relocate(p.value, src, shift)
	}
	for _, item := range n.items {
		relocate(item, src, shift)
	}
}

// assign returns n with value at path.
func assign(r *reporter, n *node, path string, value, at *node) *node {
	if path == "" {
		return value
	}
	if n != nil && n.kind == listKind {
		return assignItem(r, n, path, value, at)
	}
	key, rest := splitPath(n, path)
	var old *node
	if p := n.pair(key); p != nil {
		old = p.value
	}
	place := &node{kind: scalarKind, text: key, raw: at.raw, src: at.src, line: at.line, col: at.col}
	next := assign(r, old, rest, value, at)
	over := &node{kind: mapKind, src: at.src, line: at.line, col: at.col}
	if n == nil || n.kind != mapKind {
		n = &node{kind: mapKind, src: at.src, line: at.line, col: at.col}
	}
	// A value that is set replaces what is there, also a map by a map.
	over.pairs = []*pair{{key: key, at: place, value: next}}
	out := *n
	out.pairs = nil
	replaced := false
	for _, p := range n.pairs {
		if p.key != key {
			out.pairs = append(out.pairs, p)
			continue
		}
		replaced = true
		if next.kind != nullKind {
			out.pairs = append(out.pairs, over.pairs[0])
		}
	}
	if !replaced && next.kind != nullKind {
		out.pairs = append(out.pairs, over.pairs[0])
	}
	return &out
}

func assignItem(r *reporter, n *node, path string, value, at *node) *node {
	key, rest, _ := strings.Cut(path, ".")
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || i >= len(n.items) {
		r.errorf(at, "items count from 0", "--set: the list has no item %s", clip(key))
		return n
	}
	out := *n
	out.items = append([]*node{}, n.items...)
	out.items[i] = assign(r, n.items[i], rest, value, at)
	return &out
}

// splitPath takes the first key off a path: the longest one that n has, else a
// quoted one, else what stands before the first dot.
func splitPath(n *node, path string) (key, rest string) {
	if quoted, ok := strings.CutPrefix(path, `"`); ok {
		if key, rest, ok = strings.Cut(quoted, `"`); ok {
			return key, strings.TrimPrefix(rest, ".")
		}
	}
	for _, p := range n.keys() {
		if (path == p.key || strings.HasPrefix(path, p.key+".")) && len(p.key) > len(key) {
			key = p.key
		}
	}
	if key != "" {
		return key, strings.TrimPrefix(path[len(key):], ".")
	}
	key, rest, _ = strings.Cut(path, ".")
	return key, rest
}
