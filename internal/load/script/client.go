package script

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// variable is a client's variable: its value in expressions, and its text in
// SQL when it was given from outside.
type variable struct {
	value Value
	text  string
	given bool
}

func given(text string) variable { return variable{value: valueOf(text), text: text, given: true} }

// Options make a client. Seed and ID determine its random numbers; all of a
// program's clients have the same seed and different IDs, from 0.
type Options struct {
	Seed uint64
	ID   int
	// Scale is the variable scale, unless the workload sets it.
	Scale int64
	// Debug receives the lines of debug(); nil drops them.
	Debug func(line string)
}

// Client is the state of one client. It is for one goroutine at a time.
type Client struct {
	program *Program
	vars    []variable
	rand    random
	choice  random
	debug   func(string)
	unit    int
	pc      int
	scratch []Value
}

// StepKind says what a client does next.
type StepKind uint8

// The kinds of steps.
const (
	StepSQL   StepKind = iota // send Statement
	StepSleep                 // wait
	StepEnd                   // the script is done
)

// Step is what a client does next.
type Step struct {
	Kind      StepKind
	Statement int // indexes [Program.Statements]
	Wait      time.Duration
}

// NewClient makes a client. Its random functions draw from the PCG generator
// seeded with (Seed, ID); the choice of scripts has a stream of its own, so
// that another weight does not change the keys within a script.
func (p *Program) NewClient(o Options) *Client {
	c := &Client{
		program: p, vars: append([]variable(nil), p.initial...), debug: o.Debug,
		rand:   random{rand.NewPCG(o.Seed, uint64(o.ID))},
		choice: random{rand.NewPCG(o.Seed, 1<<63|uint64(o.ID))},
	}
	defaultSeed, _ := splitmix(o.Seed)
	for name, v := range map[string]int64{
		"client_id": int64(o.ID), "scale": max(o.Scale, 1), "random_seed": int64(o.Seed), "default_seed": int64(defaultSeed),
	} {
		if s := p.slots[name]; c.vars[s].value.kind == Unset {
			c.vars[s].value = IntValue(v)
		}
	}
	return c
}

// Choose picks a script by weight.
func (c *Client) Choose() int {
	if len(c.program.units) == 1 {
		return 0
	}
	n := int(c.choice.uniform(0, int64(c.program.weights)-1))
	for i := range c.program.units {
		if n -= c.program.units[i].weight; n < 0 {
			return i
		}
	}
	return len(c.program.units) - 1
}

// Start begins a script. Variables keep their values from the last one.
func (c *Client) Start(unit int) { c.unit, c.pc = unit, 0 }

// Next runs the script to its next step. It allocates nothing, except for an
// error, which names script and line.
func (c *Client) Next() (Step, error) {
	u := &c.program.units[c.unit]
	for {
		i := &u.code[c.pc]
		c.pc++
		switch i.code {
		case codeSQL:
			return Step{Kind: StepSQL, Statement: i.stmt}, nil
		case codeEnd:
			c.pc--
			return Step{Kind: StepEnd}, nil
		case codeJump:
			c.pc = i.target
			continue
		}
		v, err := c.eval(i.expr)
		if err != nil {
			return Step{}, fmt.Errorf("%s:%d: %w", u.name, i.line, err)
		}
		switch i.code {
		case codeSet:
			c.vars[i.slot] = variable{value: v}
		case codeJumpUnless:
			if !v.truth() {
				c.pc = i.target
			}
		case codeSleep:
			n, err := v.toInt()
			if err != nil {
				return Step{}, fmt.Errorf("%s:%d: sleep: %w", u.name, i.line, err)
			}
			const longest = int64(24 * time.Hour)
			if n > longest/i.unitNS {
				n = longest / i.unitNS
			}
			if n > 0 {
				return Step{Kind: StepSleep, Wait: time.Duration(n * i.unitNS)}, nil
			}
		}
	}
}

// Params returns the number of parameters of a statement's part.
func (c *Client) Params(statement, part int) int {
	return len(c.program.statements[statement].Parts[part].slots)
}

// AppendParam appends a parameter's text to dst and says whether it is NULL
// (then nothing is appended). A variable that was not set yet is NULL, as in
// pgbench.
func (c *Client) AppendParam(dst []byte, statement, part, param int) (out []byte, null bool) {
	v := &c.vars[c.program.statements[statement].Parts[part].slots[param]]
	switch {
	case v.value.kind == Null, v.value.kind == Unset:
		return dst, true
	case v.given:
		return append(dst, v.text...), false
	}
	return v.value.append(dst), false
}
