package script

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/pgassay/pgassay"
)

// automatic are the variables that every client has.
var automatic = []string{"client_id", "default_seed", "random_seed", "scale"}

// Unit is a script of a workload: Weight is its share relative to the others,
// Variables belong to this script alone.
type Unit struct {
	Script    *Script
	Weight    int
	Variables []pgassay.Variable
}

// Program is a workload ready to run. It is not changed after [Compile] and
// may be shared by all clients.
type Program struct {
	units []unit
	// statements are the SQL commands of all scripts; a [Step] points at one.
	statements []Statement
	names      []string
	initial    []variable
	slots      map[string]int // those that scripts share
	weights    int
}

type unit struct {
	name   string
	weight int
	code   []instruction
}

// Statement is one SQL command of a script.
type Statement struct {
	// ID indexes [Program.Statements].
	ID int
	// Script and Line say where it stands.
	Script string
	Line   int
	// Parts are sent together.
	Parts []StatementPart
}

// StatementPart is one SQL statement with the places of its parameters.
type StatementPart struct {
	// SQL has $1, $2, … for the variables, in their order.
	SQL string
	// Pieces are the text around the variables, for the simple protocol: one
	// more than there are variables.
	Pieces []string
	slots  []int
}

type instruction struct {
	code   code
	slot   int
	target int // of jumps
	stmt   int
	unitNS int64 // nanoseconds in one unit of codeSleep
	expr   *node
	line   int
}

type code uint8

const (
	codeSet code = iota
	codeJumpUnless
	codeJump
	codeSleep
	codeSQL
	codeEnd
)

// node is an expression with its variables resolved.
type node struct {
	op    op
	value Value
	slot  int
	a, b  *node   // the first two arguments
	args  []*node // all of them
}

// Compile joins the scripts. shared are the variables of the whole workload:
// every script sees them, and they win over a script's own. A variable that
// one script sets can be read by the others, as in pgbench. The error joins an
// [*Error] for every use of a variable that nothing defines.
func Compile(units []Unit, shared []pgassay.Variable) (*Program, error) {
	p := &Program{slots: map[string]int{}}
	for _, name := range automatic {
		p.shared(name)
	}
	for _, v := range shared {
		p.initial[p.shared(v.Name)] = given(v.Value)
	}
	for _, u := range units {
		_, set := u.Script.Variables()
		for _, name := range set {
			p.shared(name)
		}
	}
	var faults []error
	for _, u := range units {
		if u.Weight < 1 {
			faults = append(faults, fmt.Errorf("script %s: weight is %d, want 1 or more", u.Script.Name, u.Weight))
		}
		c := compiler{program: p, script: u.Script, own: map[string]int{}}
		for _, v := range u.Variables {
			if !slices.ContainsFunc(shared, func(s pgassay.Variable) bool { return s.Name == v.Name }) {
				c.own[v.Name] = p.slot(v.Name, given(v.Value))
			}
		}
		p.units = append(p.units, unit{name: u.Script.Name, weight: u.Weight, code: c.compile()})
		p.weights += u.Weight
		faults = append(faults, c.faults...)
	}
	if len(units) == 0 {
		faults = append(faults, errors.New("the workload has no script"))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return p, nil
}

// Statements returns the SQL commands of all scripts in their order. They
// belong to the program.
func (p *Program) Statements() []Statement { return p.statements }

// Scripts returns the number of scripts.
func (p *Program) Scripts() int { return len(p.units) }

// ScriptName returns the name of one, by its index.
func (p *Program) ScriptName(unit int) string { return p.units[unit].name }

func (p *Program) slot(name string, v variable) int {
	p.names = append(p.names, name)
	p.initial = append(p.initial, v)
	return len(p.names) - 1
}

// shared is the slot of a variable that scripts share; it is made if need be.
func (p *Program) shared(name string) int {
	if s, ok := p.slots[name]; ok {
		return s
	}
	s := p.slot(name, variable{})
	p.slots[name] = s
	return s
}

// compiler compiles one script.
type compiler struct {
	program *Program
	script  *Script
	own     map[string]int
	faults  []error
	code    []instruction
}

// branch is an \if that is open: the jump to its next arm, and the jumps to
// its end. The jump is -1 after \else.
type branch struct {
	next int
	ends []int
}

func (c *compiler) compile() []instruction {
	var open []branch
	for i := range c.script.Commands {
		cmd := &c.script.Commands[i]
		top := len(open) - 1
		switch cmd.Kind {
		case SQL:
			c.emit(instruction{code: codeSQL, stmt: c.statement(cmd), line: cmd.Line})
		case Set:
			c.emit(instruction{code: codeSet, expr: c.node(cmd.Expr), slot: c.target(cmd.Name), line: cmd.Line})
		case Sleep:
			ns := map[string]int64{"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}[cmd.Unit]
			c.emit(instruction{code: codeSleep, expr: c.node(cmd.Expr), unitNS: ns, line: cmd.Line})
		case If:
			open = append(open, branch{next: c.emit(instruction{code: codeJumpUnless, expr: c.node(cmd.Expr), line: cmd.Line})})
		case Elif:
			c.closeArm(&open[top])
			open[top].next = c.emit(instruction{code: codeJumpUnless, expr: c.node(cmd.Expr), line: cmd.Line})
		case Else:
			c.closeArm(&open[top])
			open[top].next = -1
		case Endif:
			if open[top].next >= 0 {
				open[top].ends = append(open[top].ends, open[top].next)
			}
			for _, at := range open[top].ends {
				c.code[at].target = len(c.code)
			}
			open = open[:top]
		}
	}
	c.emit(instruction{code: codeEnd})
	return c.code
}

func (c *compiler) emit(i instruction) int {
	c.code = append(c.code, i)
	return len(c.code) - 1
}

// closeArm ends an arm: it jumps to the \endif, and the condition before it
// jumps here.
func (c *compiler) closeArm(b *branch) {
	b.ends = append(b.ends, c.emit(instruction{code: codeJump}))
	c.code[b.next].target = len(c.code)
}

// target is the slot that \set writes: the script's own variable before the
// shared one.
func (c *compiler) target(name string) int {
	if s, ok := c.own[name]; ok {
		return s
	}
	return c.program.shared(name)
}

// reference is the slot of a variable that is read.
func (c *compiler) reference(name string, offset int) int {
	if s, ok := c.own[name]; ok {
		return s
	}
	if s, ok := c.program.slots[name]; ok {
		return s
	}
	var names []string
	for n := range c.program.slots {
		names = append(names, n)
	}
	for n := range c.own {
		names = append(names, n)
	}
	slices.Sort(names)
	advice := cmp.Or(didYouMean(name, ":", names), `set it with \set, or give it as a variable of the workload; write \: for a colon that starts no variable`)
	c.faults = append(c.faults, c.script.src.errorAt(offset, advice, "undefined variable :%s", name))
	return 0
}

func (c *compiler) node(e *Expr) *node {
	n := &node{op: e.op, value: e.value}
	if e.op == opVariable {
		n.slot = c.reference(e.name, e.offset)
	}
	for _, a := range e.args {
		n.args = append(n.args, c.node(a))
	}
	if len(n.args) > 0 {
		n.a = n.args[0]
	}
	if len(n.args) > 1 {
		n.b = n.args[1]
	}
	return n
}

// statement adds an SQL command to the program.
func (c *compiler) statement(cmd *Command) int {
	s := Statement{ID: len(c.program.statements), Script: c.script.Name, Line: cmd.Line}
	for _, p := range cmd.Parts {
		part := StatementPart{Pieces: p.Pieces, SQL: p.Pieces[0]}
		for i, r := range p.Refs {
			part.slots = append(part.slots, c.reference(r.Name, r.offset))
			part.SQL += fmt.Sprintf("$%d%s", i+1, p.Pieces[i+1])
		}
		s.Parts = append(s.Parts, part)
	}
	c.program.statements = append(c.program.statements, s)
	return s.ID
}
