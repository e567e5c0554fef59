package script

import (
	"strconv"
	"strings"
)

// String writes the script in its plain form, one command a line: parsing it
// again gives the same program.
func (s *Script) String() string {
	var b strings.Builder
	for i := range s.Commands {
		c := &s.Commands[i]
		switch c.Kind {
		case SQL:
			for j, p := range c.Parts {
				if j > 0 {
					b.WriteString(" \\;\n")
				}
				b.WriteString(p.Source)
			}
			b.WriteByte(';')
		case Set:
			b.WriteString(`\set ` + c.Name + " " + c.Expr.String())
		case Sleep:
			b.WriteString(`\sleep ` + c.Expr.String() + " " + c.Unit)
		case If:
			b.WriteString(`\if ` + c.Expr.String())
		case Elif:
			b.WriteString(`\elif ` + c.Expr.String())
		case Else:
			b.WriteString(`\else`)
		case Endif:
			b.WriteString(`\endif`)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// String writes the expression with the parentheses it needs.
func (e *Expr) String() string {
	var b strings.Builder
	e.print(&b, levelOr)
	return b.String()
}

// level is how strongly the node's outermost operator binds.
func (e *Expr) level() int {
	switch e.op {
	case opNot:
		return levelNot
	case opIs:
		return levelIs
	case opSub:
		if e.isMinus() {
			return levelUnary
		}
	case opConstant:
		return levelUnary
	case opMod:
		return levelUnary // written as a function
	}
	if b, ok := binaries[printed[e.op]]; ok {
		return b.level
	}
	return levelUnary
}

// isMinus: a minus is parsed as 0 - x, and a ~ as -1 # x. No other expression
// has the constant -1.
func (e *Expr) isMinus() bool { return e.op == opSub && e.args[0].isInt(0) }
func (e *Expr) isTilde() bool { return e.op == opBitXor && e.args[0].isInt(-1) }
func (e *Expr) isInt(v int64) bool {
	return e.op == opConstant && e.value == IntValue(v)
}

// print writes the node for a place that takes operators from level up.
func (e *Expr) print(b *strings.Builder, level int) {
	own := e.level()
	if own < level {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	switch {
	case e.op == opConstant:
		b.WriteString(e.value.literal())
	case e.op == opVariable:
		b.WriteString(":" + e.name)
	case e.op == opNot:
		b.WriteString("not ")
		e.args[0].print(b, levelNot)
	case e.op == opIs:
		e.args[0].print(b, levelIs)
		b.WriteString(" is " + strings.ToLower(e.args[1].value.String()))
	case e.op == opCase:
		e.printCase(b)
	case e.isMinus():
		b.WriteString("- ")
		e.args[1].print(b, levelUnary)
	case e.isTilde():
		b.WriteByte('~')
		e.args[1].print(b, levelBit+1)
	case own == levelUnary:
		b.WriteString(printed[e.op] + "(")
		for i, a := range e.args {
			if i > 0 {
				b.WriteString(", ")
			}
			a.print(b, levelOr)
		}
		b.WriteByte(')')
	default:
		left := own
		if own == levelCompare {
			left++ // a comparison takes no second one
		}
		e.args[0].print(b, left)
		b.WriteString(" " + printed[e.op] + " ")
		e.args[1].print(b, own+1)
	}
}

func (e *Expr) printCase(b *strings.Builder) {
	b.WriteString("case")
	last := len(e.args) - 1
	for i := 0; i < last; i += 2 {
		b.WriteString(" when ")
		e.args[i].print(b, levelOr)
		b.WriteString(" then ")
		e.args[i+1].print(b, levelOr)
	}
	b.WriteString(" else ")
	e.args[last].print(b, levelOr)
	b.WriteString(" end")
}

// literal writes a constant so that it is read as the same one: a double with
// all its digits and a point or an exponent.
func (v Value) literal() string {
	if v.kind != Double {
		return v.String()
	}
	s := strconv.FormatFloat(v.double(), 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
