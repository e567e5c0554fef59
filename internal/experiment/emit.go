package experiment

import (
	"fmt"
	"regexp"
	"strings"
)

// emit writes a tree as YAML that parses to the same tree.
func emit(b *strings.Builder, n *node, indent string) {
	switch n.kind {
	case mapKind:
		for _, p := range n.pairs {
			b.WriteString(indent + quote(p.key) + ":")
			emitValue(b, p.value, indent)
		}
	case listKind:
		for _, item := range n.items {
			b.WriteString(indent + "-")
			emitValue(b, item, indent)
		}
	}
}

// emitValue writes what follows a key's colon or an item's dash.
func emitValue(b *strings.Builder, n *node, indent string) {
	switch {
	case n.kind == nullKind:
		b.WriteString(" null\n")
	case n.kind == scalarKind:
		b.WriteString(" " + scalarText(n.text, indent+"  ") + "\n")
	case n.kind == mapKind && len(n.pairs) == 0:
		b.WriteString(" {}\n")
	case n.kind == listKind && allScalars(n):
		words := make([]string, len(n.items))
		for i, item := range n.items {
			words[i] = quote(item.text)
		}
		b.WriteString(" [" + strings.Join(words, ", ") + "]\n")
	default:
		b.WriteString("\n")
		emit(b, n, indent+"  ")
	}
}

func allScalars(n *node) bool {
	for _, item := range n.items {
		if item.kind != scalarKind {
			return false
		}
	}
	return true
}

// plain matches text that needs no quotes wherever it stands.
var plain = regexp.MustCompile(`^[A-Za-z0-9$/_.][A-Za-z0-9$/_.%+-]*(?: [A-Za-z0-9$/_.%+-]+)*$`)

// literal matches lines that a block scalar keeps as they are.
var literal = regexp.MustCompile(`^(?:[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?\n)(?:(?:[\x20-\x7E]*[\x21-\x7E])?\n)*[\x20-\x7E]*[\x21-\x7E]\n$`)

func scalarText(text, indent string) string {
	if literal.MatchString(text) {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for i, line := range lines {
			if line != "" {
				lines[i] = indent + line
			}
		}
		return "|\n" + strings.Join(lines, "\n")
	}
	return quote(text)
}

// quote writes text plain when that is safe, else in double quotes.
func quote(text string) string {
	switch strings.ToLower(text) {
	case "null", "~", ".", "..", "---", "...":
	default:
		if plain.MatchString(text) {
			return text
		}
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7F:
			fmt.Fprintf(&b, `\x%02X`, r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r)
		case r > 0x7E:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
