package experiment

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

type kind int

const (
	nullKind kind = iota
	scalarKind
	listKind
	mapKind
)

func (k kind) String() string {
	return [...]string{"empty", "a value", "a list", "a map"}[k]
}

// node is a value of the file with its place.
type node struct {
	kind kind
	// text is a scalar's value; the builder replaces it by what it resolves to.
	// raw is what the excerpt's caret underlines.
	text, raw string
	src       *source
	line, col int
	pairs     []*pair // of a map, in the file's order, keys unique
	items     []*node // of a list
	// bad says that a problem was reported for the node itself, so that nothing
	// built on it needs to be reported as well.
	bad bool
	// share says that text was a share of memory before it was resolved.
	share bool
}

// pair is a key of a map; at is a scalar node at the key's place.
type pair struct {
	key   string
	at    *node
	value *node
}

// get returns the value of a key, nil when it is absent, null or bad.
func (n *node) get(key string) *node {
	if p := n.pair(key); p != nil && !p.value.bad && p.value.kind != nullKind {
		return p.value
	}
	return nil
}

// pair returns the pair of a key, nil when it is absent. n may be nil.
func (n *node) pair(key string) *pair {
	if n == nil || n.kind != mapKind {
		return nil
	}
	for _, p := range n.pairs {
		if p.key == key {
			return p
		}
	}
	return nil
}

// keys returns a map's pairs, none for nil or another kind.
func (n *node) keys() []*pair {
	if n == nil || n.kind != mapKind {
		return nil
	}
	return n.pairs
}

// set gives a map's key a scalar value, at the map's own place when it is new.
func (n *node) set(key, text string) {
	value := &node{kind: scalarKind, text: text, src: n.src, line: n.line, col: n.col}
	if p := n.pair(key); p != nil {
		p.value = value
		return
	}
	at := &node{kind: scalarKind, text: key, src: n.src, line: n.line, col: n.col}
	n.pairs = append(n.pairs, &pair{key: key, at: at, value: value})
}

// scalar returns the text of a key's scalar value.
func (n *node) scalar(key string) (string, bool) {
	v := n.get(key)
	if v == nil || v.kind != scalarKind {
		return "", false
	}
	return v.text, true
}

// maxText and maxDepth keep the recursive YAML parser within bounds.
const (
	maxText  = 1 << 20
	maxDepth = 64
)

// parseTree turns YAML text into a tree and reports what it cannot accept. It
// returns nil after a syntax error or for an empty file.
func parseTree(r *reporter, name string, text []byte) *node {
	clean := strings.ReplaceAll(strings.TrimPrefix(string(text), "\uFEFF"), "\r\n", "\n")
	src := newSource(name, clean)
	if at, why := unreadable(src, clean); at != nil {
		r.errorf(at, "", "%s", why)
		return nil
	}
	file, err := parseYAML(clean)
	if err != nil {
		reportSyntax(r, src, err)
		return nil
	}
	docs := file.Docs[:0:0]
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType && d.Body.Type() != ast.DirectiveType {
			docs = append(docs, d)
		}
	}
	if len(docs) == 0 {
		r.errorf(&node{src: src}, "start from one that works: pgassay init", "the file is empty")
		return nil
	}
	if len(docs) > 1 {
		at := &node{src: src}
		at.place(docs[1].Body.GetToken())
		r.errorf(at, "one file holds one experiment; use profiles for variants of it", "a second YAML document starts here")
		return nil
	}
	c := converter{r: r, src: src}
	return c.convert(docs[0].Body, &node{src: src, line: 1, col: 1}, 0)
}

// unreadable finds what no experiment file holds: bytes that are not UTF-8,
// control characters, and a size or nesting that only an attack would have.
func unreadable(src *source, text string) (*node, string) {
	if len(text) > maxText {
		return &node{src: src}, fmt.Sprintf("the file has %d bytes; at most %d are read", len(text), maxText)
	}
	open := 0
	for i, line := range src.lines {
		dashes := 0
		for j, r := range line {
			at := &node{src: src, line: i + 1, col: utf8.RuneCountInString(line[:j]) + 1}
			switch {
			case r == utf8.RuneError && !strings.HasPrefix(line[j:], "\uFFFD"):
				return at, "the file is not UTF-8"
			case r < ' ' && r != '\t', r >= 0x7F && r < 0xA0, r == 0xFEFF, r == 0x2028, r == 0x2029:
				return at, fmt.Sprintf("control character %U", r)
			case r == '[' || r == '{':
				open++
			case (r == ']' || r == '}') && open > 0:
				open--
			case (r == '-' || r == '?' || r == ':') && strings.HasPrefix(line[j+1:], " "):
				dashes++
			}
			if open > maxDepth || dashes > 4*maxDepth {
				return at, "nested too deeply"
			}
		}
	}
	return nil, ""
}

// parseYAML calls the parser and turns a panic of it into an error: it is
// hand-written, and the file is somebody's.
func parseYAML(text string) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("parse YAML: %v", p)
		}
	}()
	// Repeated keys are reported by the converter, with both places.
	return parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
}

// reportSyntax reports a parser's error. Tabs are the usual reason and deserve
// their own words.
func reportSyntax(r *reporter, src *source, err error) {
	for i, line := range src.lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if j := strings.IndexByte(indent, '\t'); j >= 0 && strings.TrimSpace(line) != "" {
			at := &node{src: src, line: i + 1, col: j + 1}
			r.errorf(at, "YAML wants spaces", "a tab in the indentation")
			return
		}
	}
	at, message := &node{src: src}, err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		message = y.GetMessage()
		at.place(y.GetToken())
	}
	r.errorf(at, "", "not valid YAML: %s", strings.SplitN(message, "\n", 2)[0])
}

// place sets a node's place from a token, kept within the text.
func (n *node) place(t *token.Token) {
	if t == nil || t.Position == nil {
		return
	}
	n.line = max(1, min(t.Position.Line, len(n.src.lines)))
	n.col = max(1, min(t.Position.Column, utf8.RuneCountInString(n.src.lines[n.line-1])+1))
}

// converter turns the parser's tree into ours.
type converter struct {
	r   *reporter
	src *source
}

// convert returns n's tree; parent gives the place of a value that has none.
func (c *converter) convert(n ast.Node, parent *node, depth int) *node {
	out := &node{src: c.src, line: parent.line, col: parent.col}
	if n == nil {
		return out
	}
	out.place(n.GetToken())
	if depth > maxDepth {
		out.bad = true
		c.r.errorf(out, "", "nested too deeply")
		return out
	}
	switch v := n.(type) {
	case *ast.NullNode:
	case *ast.StringNode:
		out.kind, out.text, out.raw = scalarKind, v.Value, v.Value
	case *ast.LiteralNode:
		out.kind, out.text, out.raw = scalarKind, v.Value.Value, "|"
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.kind, out.text, out.raw = scalarKind, n.GetToken().Value, n.GetToken().Value
	case *ast.SequenceNode:
		out.kind = listKind
		for _, item := range v.Values {
			out.items = append(out.items, c.convert(item, out, depth+1))
		}
	case *ast.MappingNode:
		out.kind = mapKind
		c.pairs(out, v.Values, depth)
	case *ast.MappingValueNode:
		out.kind = mapKind
		c.pairs(out, []*ast.MappingValueNode{v}, depth)
	default:
		out.bad = true
		c.r.errorf(out, "write the value out; arms share values with extends, variants with profiles",
			"a YAML %s is not supported", feature(n))
	}
	return out
}

// feature names a part of YAML that is not supported.
func feature(n ast.Node) string {
	switch n.Type() {
	case ast.AnchorType:
		return "anchor (&)"
	case ast.AliasType:
		return "alias (*)"
	case ast.TagType:
		return "tag (!)"
	}
	return strings.ToLower(n.Type().String())
}

// pairs fills a map and reports repeated keys.
func (c *converter) pairs(out *node, values []*ast.MappingValueNode, depth int) {
	for _, v := range values {
		at := &node{kind: scalarKind, src: c.src, line: out.line, col: out.col}
		at.place(v.Key.GetToken())
		if len(out.pairs) == 0 { // a block map's token is its colon
			out.line, out.col = at.line, at.col
		}
		switch v.Key.(type) {
		case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		default:
			c.r.errorf(at, "arms share values with extends, variants with profiles", "only plain keys are supported")
			continue
		}
		at.text = v.Key.GetToken().Value
		at.raw = at.text
		if first := out.pair(at.text); first != nil {
			c.r.errorf(at, "remove one of them", "%s is given twice, first on line %d", at.text, first.at.line)
			continue
		}
		out.pairs = append(out.pairs, &pair{key: at.text, at: at, value: c.convert(v.Value, at, depth+1)})
	}
}
