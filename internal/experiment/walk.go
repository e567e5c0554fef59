package experiment

import (
	"strings"

	"github.com/pgassay/pgassay"
)

// walker holds a tree against the field table.
type walker struct {
	r *reporter
	// partial walks the base file and profiles before they are merged: keys may
	// be missing, null deletes, and defaults are not filled in.
	partial bool
}

// walk checks n, marks nodes that do not fit as bad, and (unless partial)
// fills in defaults. path names n in messages.
func (w *walker) walk(n *node, t *typ, path string) {
	if n.bad {
		return
	}
	switch {
	case n.kind == nullKind && w.partial:
	case n.kind == nullKind && t.null:
		n.kind = mapKind
		w.walkMap(n, t, path)
	case n.kind == scalarKind && t.scalar != nil:
		w.walkScalar(n, t.scalar, path)
	case n.kind == listKind && t.list != nil:
		if len(n.items) == 0 && !t.empty {
			w.bad(n, "", "%s is empty", path)
		}
		for _, item := range n.items {
			w.walk(item, t.list, path)
		}
	case n.kind == mapKind && t.isMap():
		w.walkMap(n, t, path)
	case n.kind == nullKind:
		w.bad(n, "want "+t.want(), "%s has no value", path)
	default:
		w.bad(n, "want "+t.want(), "%s is %s", path, n.kind)
	}
}

func (w *walker) bad(n *node, hint, format string, args ...any) {
	n.bad = true
	w.r.errorf(n, hint, format, args...)
}

func (w *walker) walkScalar(n *node, s *scalar, path string) {
	if err := s.check(n.text); err != nil {
		hint := pgassay.Hint(err)
		if hint == "" {
			hint = "want " + s.says
		}
		shown := n.text
		if strings.TrimSpace(shown) == "" || strings.ContainsAny(shown, "\n") {
			shown = "the text"
		}
		w.bad(n, hint, "%s: %s %s", path, clip(shown), err)
	}
}

func (w *walker) walkMap(n *node, t *typ, path string) {
	for _, p := range n.pairs {
		f, known := t.field(p.key)
		switch {
		case known:
			w.walk(p.value, f.typ, within(path, p.key))
		case t.others == nil:
			p.value.bad = true
			w.r.errorf(p.at, didYouMean(p.key, t.names()), "unknown key %s%s", clip(p.key), inside(path))
		default:
			if err := t.key.check(p.key); err != nil {
				p.value.bad = true
				w.r.errorf(p.at, "want "+t.key.says, "key %s%s %s", clip(p.key), inside(path), err)
				continue
			}
			w.walk(p.value, t.others, within(path, p.key))
		}
	}
	if t.others != nil && len(t.fields) == 0 && len(n.pairs) == 0 && !t.empty && !w.partial {
		w.bad(n, "want "+t.want(), "%s is empty", path)
	}
	if w.partial {
		return
	}
	w.walkExactly(n, t, path)
	for _, f := range t.fields {
		if n.pair(f.key) != nil {
			continue
		}
		if f.required {
			n.bad = true
			w.r.errorf(n, "want "+f.typ.want(), "%s is missing%s", f.key, inside(path))
		}
		if f.def != "" {
			w.fill(n, f, path)
		}
	}
}

// fill adds a field with its default at the map's own place.
func (w *walker) fill(n *node, f field, path string) {
	value := &node{kind: scalarKind, text: f.def, src: n.src, line: n.line, col: n.col}
	if f.def == "{}" {
		value.kind, value.text = mapKind, ""
	}
	at := &node{kind: scalarKind, text: f.key, src: n.src, line: n.line, col: n.col}
	n.pairs = append(n.pairs, &pair{key: f.key, at: at, value: value})
	w.walk(value, f.typ, within(path, f.key))
}

// walkExactly checks that one of t.exactly is there, and only one.
func (w *walker) walkExactly(n *node, t *typ, path string) {
	if len(t.exactly) == 0 {
		return
	}
	var given []*pair
	for _, key := range t.exactly {
		if p := n.pair(key); p != nil && p.value.kind != nullKind {
			given = append(given, p)
		}
	}
	switch {
	case len(given) == 0:
		w.bad(n, "give one of "+strings.Join(t.exactly, ", "), "%s has none of %s", path, strings.Join(t.exactly, ", "))
	case len(given) > 1:
		n.bad = true
		w.r.errorf(given[1].at, "give one of them", "%s has both %s and %s", path, given[0].key, given[1].key)
	}
}

func within(path, key string) string {
	if path == "" {
		return clip(key)
	}
	return path + "." + clip(key)
}

func inside(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

// clip keeps a message on one line and short.
func clip(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}
