package script

import "slices"

// Script is a parsed script. It is not changed after [Parse].
type Script struct {
	Name     string
	Commands []Command
	src      *source
}

// CommandKind says what a command does.
type CommandKind uint8

// The kinds of commands.
const (
	SQL CommandKind = iota
	Set
	Sleep
	If
	Elif
	Else
	Endif
)

// Command is one SQL command or one backslash command.
type Command struct {
	Kind CommandKind
	// Line and Column are where it begins, from 1.
	Line, Column int
	// Parts are an SQL command's statements: more than one when they are joined
	// by \; (they then go to the server together).
	Parts []Part
	// Name is the variable of \set.
	Name string
	// Expr is the expression of \set, \if and \elif, and the amount of \sleep (a
	// constant or a variable); Unit is the unit of \sleep: "us", "ms" or "s".
	Expr   *Expr
	Unit   string
	offset int
}

// Part is one SQL statement: Pieces[0] Refs[0] Pieces[1] Refs[1] … Pieces[n].
type Part struct {
	Pieces []string
	Refs   []Ref
	// Source is the statement as written, without -- comments and the spaces
	// around it.
	Source string
}

// Ref is a use of a variable.
type Ref struct {
	Name   string
	offset int
}

// Expr is a node of an expression.
type Expr struct {
	op     op
	value  Value  // of opConstant
	name   string // of opVariable
	args   []*Expr
	offset int
}

// walk calls visit for every node of e.
func (e *Expr) walk(visit func(*Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, a := range e.args {
		a.walk(visit)
	}
}

// Variables returns the names that the script reads and those that it sets,
// each sorted and once.
func (s *Script) Variables() (used, set []string) {
	for i := range s.Commands {
		c := &s.Commands[i]
		c.Expr.walk(func(e *Expr) {
			if e.op == opVariable {
				used = append(used, e.name)
			}
		})
		for _, p := range c.Parts {
			for _, r := range p.Refs {
				used = append(used, r.Name)
			}
		}
		if c.Kind == Set {
			set = append(set, c.Name)
		}
	}
	slices.Sort(used)
	slices.Sort(set)
	return slices.Compact(used), slices.Compact(set)
}
