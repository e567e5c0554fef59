package script

import (
	"errors"
	"strings"
)

// Parse reads a script. name is used in errors. The error joins one [*Error]
// for every fault, in the order of the text.
func Parse(name, text string) (*Script, error) {
	src := &source{name: name, text: text}
	out := &Script{Name: name, src: src}
	s := &scanner{src: src}
	var faults []error
	for s.at < len(text) {
		c, end, err := s.command()
		if err != nil {
			faults = append(faults, err)
			break // a quote without an end swallows the rest
		}
		if len(c.Parts) > 0 {
			out.Commands = append(out.Commands, c)
		}
		if end != endBackslash {
			continue
		}
		m, next, err := src.backslash(s.at)
		s.at = next
		if err != nil {
			faults = append(faults, err)
			if m.Kind < If {
				continue // a faulty condition still opens or closes
			}
		}
		out.Commands = append(out.Commands, m)
	}
	for _, err := range out.conditions() {
		faults = append(faults, err)
	}
	if len(faults) == 0 && len(out.Commands) == 0 {
		faults = append(faults, &Error{Script: name, Line: 1, Column: 1, Message: "the script is empty"})
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return out, nil
}

// conditions holds \if, \elif, \else and \endif against each other.
func (s *Script) conditions() []*Error {
	type open struct {
		offset  int
		hasElse bool
	}
	var stack []open
	var faults []*Error
	for i := range s.Commands {
		c := &s.Commands[i]
		fault := func(message string) { faults = append(faults, s.src.errorAt(c.offset, "", "%s", message)) }
		top := len(stack) - 1
		switch c.Kind {
		case If:
			stack = append(stack, open{offset: c.offset})
		case Elif, Else:
			word := `\elif`
			if c.Kind == Else {
				word = `\else`
			}
			switch {
			case top < 0:
				fault(word + ` without \if`)
			case stack[top].hasElse:
				fault(word + ` after \else`)
			default:
				stack[top].hasElse = c.Kind == Else
			}
		case Endif:
			if top < 0 {
				fault(`\endif without \if`)
				continue
			}
			stack = stack[:top]
		}
	}
	for _, o := range stack {
		faults = append(faults, s.src.errorAt(o.offset, `every \if needs an \endif`, `\if without \endif`))
	}
	return faults
}

// commandNames are the backslash commands that act.
var commandNames = []string{"set", "sleep", "if", "elif", "else", "endif"}

// later are pgbench's other commands, with what to do instead.
var later = map[string]string{
	"gset":          "compute the value in SQL, in the statement that needs it",
	"aset":          "compute the value in SQL, in the statement that needs it",
	"startpipeline": `join statements with \; to send them together`,
	"syncpipeline":  `join statements with \; to send them together`,
	"endpipeline":   `join statements with \; to send them together`,
	"shell":         "",
	"setshell":      `use \set`,
	"setrandom":     `write \set name random(low, high)`,
}

// backslash reads the command at an offset and returns where its line ends.
func (s *source) backslash(at int) (Command, int, *Error) {
	end := s.lineEnd(at)
	nameAt := at + 1
	nameStop := nameEnd(s.text[:end], nameAt)
	name := strings.ToLower(s.text[nameAt:nameStop])
	c := Command{offset: at}
	c.Line, c.Column = s.place(at)
	var err *Error
	switch name {
	case "set":
		c.Kind = Set
		err = s.set(&c, nameStop, end)
	case "sleep":
		c.Kind = Sleep
		err = s.sleep(&c, nameStop, end)
	case "if", "elif":
		c.Kind = If
		if name == "elif" {
			c.Kind = Elif
		}
		c.Expr, err = s.argument(`\`+name, nameStop, end)
	case "else", "endif":
		c.Kind = Else
		if name == "endif" {
			c.Kind = Endif
		}
		if rest := skipBlanks(s.text, nameStop, end); rest < end {
			err = s.errorAt(rest, "", `\%s takes no argument`, name)
		}
	default:
		advice, known := later[name]
		if known {
			return c, end, s.errorAt(at, advice, `\%s does not act yet`, name)
		}
		return c, end, s.errorAt(at, didYouMean(name, `\`, commandNames), `unknown command \%s`, name)
	}
	return c, end, err
}

// lineEnd is the end of the line at an offset, over continuations.
func (s *source) lineEnd(at int) int {
	for at < len(s.text) && s.text[at] != '\n' {
		if n := continuation(s.text, at); n > 0 {
			at += n
			continue
		}
		at++
	}
	return at
}

// argument parses the expression that a command needs.
func (s *source) argument(command string, at, end int) (*Expr, *Error) {
	if skipBlanks(s.text, at, end) >= end {
		return nil, s.errorAt(end, "", "%s needs an expression", command)
	}
	return s.expression(at, end)
}

// set reads \set name expression.
func (s *source) set(c *Command, at, end int) *Error {
	at = skipBlanks(s.text, at, end)
	stop := at
	for stop < end && !isBlank(s.text[stop]) && s.text[stop] != '\n' && continuation(s.text, stop) == 0 {
		stop++
	}
	c.Name = s.text[at:stop]
	switch {
	case c.Name == "":
		return s.errorAt(at, `write \set name expression`, `\set needs a variable`)
	case !isNameStart(c.Name[0]) || nameEnd(c.Name, 0) != len(c.Name):
		advice := "a name has letters, digits and _, and does not start with a digit"
		if strings.HasPrefix(c.Name, ":") {
			advice = "the variable that is set is written without the colon"
		}
		return s.errorAt(at, advice, "%s is not a variable's name", c.Name)
	}
	var err *Error
	c.Expr, err = s.argument(`\set`, stop, end)
	return err
}

// sleep reads \sleep number [us | ms | s].
func (s *source) sleep(c *Command, at, end int) *Error {
	const advice = `write \sleep number [us | ms | s], or a :variable for the number`
	toks, err := s.tokens(at, end)
	if err != nil {
		return err
	}
	switch t := toks[0]; {
	case t.kind == tokenVariable:
		c.Expr = &Expr{op: opVariable, name: t.text, offset: t.offset}
	case t.kind == tokenNumber && t.value.kind == Integer:
		c.Expr = constant(t.value, t.offset)
	case t.kind == tokenEnd:
		return s.errorAt(t.offset, advice, `\sleep needs a time`)
	default:
		return s.errorAt(t.offset, advice, `\sleep needs an integer or a variable`)
	}
	c.Unit = "s"
	rest := toks[1:]
	if rest[0].kind == tokenName {
		c.Unit = strings.ToLower(rest[0].text)
		if c.Unit != "us" && c.Unit != "ms" && c.Unit != "s" {
			return s.errorAt(rest[0].offset, advice, "unknown unit of time %s", rest[0].text)
		}
		rest = rest[1:]
	}
	if rest[0].kind != tokenEnd {
		return s.errorAt(rest[0].offset, advice, `too many arguments for \sleep`)
	}
	return nil
}
