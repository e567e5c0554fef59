package experiment

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shape writes a tree without places, to compare two.
func (n *node) shape() string {
	var b strings.Builder
	b.WriteString(n.kind.String() + " " + quote(n.text))
	for _, p := range n.pairs {
		b.WriteString(" {" + quote(p.key) + ": " + p.value.shape() + "}")
	}
	for _, item := range n.items {
		b.WriteString(" [" + item.shape() + "]")
	}
	return b.String()
}

// TestEmit: what is written parses to the same tree, whatever the text.
func TestEmit(t *testing.T) {
	src := newSource("x", "")
	text := rapid.OneOf(
		rapid.StringOf(rapid.RuneFrom([]rune("ab1 :#-?[]{},&*!|>'\"%@`~=\\/.$\n_é世𝄞"))),
		rapid.SampledFrom([]string{"", "null", "~", "true", "0x1F", "1e3", "- a", "a: b", "SELECT 1;\nSELECT 2;\n", "a\n\nb\n", " a\n", "a \n", "\\set id random(1, :rows)\nSELECT :id;\n", "---", "...", "<<", "=", "2025-01-01", "a\tb"}),
	)
	scalar := rapid.Custom(func(t *rapid.T) *node {
		return &node{kind: scalarKind, text: text.Draw(t, "text"), src: src}
	})
	var tree func(depth int) *rapid.Generator[*node]
	tree = func(depth int) *rapid.Generator[*node] {
		if depth == 0 {
			return scalar
		}
		return rapid.Custom(func(t *rapid.T) *node {
			n := &node{kind: rapid.SampledFrom([]kind{nullKind, listKind, mapKind, mapKind}).Draw(t, "kind"), src: src}
			for range rapid.IntRange(0, 3).Draw(t, "entries") {
				value := rapid.OneOf(scalar, tree(depth-1)).Draw(t, "value")
				switch key := text.Draw(t, "key"); n.kind {
				case listKind:
					n.items = append(n.items, value)
				case mapKind:
					if n.pair(key) == nil {
						n.pairs = append(n.pairs, &pair{key: key, at: value, value: value})
					}
				}
			}
			return n
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		n := tree(3).Filter(func(n *node) bool { return n.kind == mapKind && len(n.pairs) > 0 }).Draw(t, "tree")
		var b strings.Builder
		emit(&b, n, "")
		r := &reporter{}
		got := parseTree(r, "x", []byte(b.String()))
		if r.errors > 0 || got == nil {
			t.Fatalf("%s\n%v", b.String(), r.err())
		}
		if got.shape() != n.shape() {
			t.Fatalf("%s\ngot  %s\nwant %s", b.String(), got.shape(), n.shape())
		}
	})
}
