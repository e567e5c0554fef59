package script

import (
	"cmp"
	"strings"
)

const (
	// maxDepth bounds how deep the parser goes, parentheses included; maxHeight
	// bounds the tree that comes of it.
	maxDepth  = 10_000
	maxHeight = 1_000
)

// The levels of the operators, weakest first, as in PostgreSQL's SQL grammar:
// all bit operators share one level.
const (
	levelOr = iota + 1
	levelAnd
	levelNot
	levelIs
	levelCompare
	levelBit
	levelAdd
	levelMul
	levelUnary
)

type binary struct {
	level int
	op    op
	swap  bool // a > b is b < a
}

var binaries = map[string]binary{
	"or": {levelOr, opOr, false}, "and": {levelAnd, opAnd, false},
	"<": {levelCompare, opLT, false}, ">": {levelCompare, opLT, true}, "=": {levelCompare, opEQ, false},
	"<=": {levelCompare, opLE, false}, ">=": {levelCompare, opLE, true}, "<>": {levelCompare, opNE, false},
	"|": {levelBit, opBitOr, false}, "#": {levelBit, opBitXor, false}, "&": {levelBit, opBitAnd, false},
	"<<": {levelBit, opShiftLeft, false}, ">>": {levelBit, opShiftRight, false},
	"+": {levelAdd, opAdd, false}, "-": {levelAdd, opSub, false},
	"*": {levelMul, opMul, false}, "/": {levelMul, opDiv, false}, "%": {levelMul, opMod, false},
}

// parser is a precedence climber over the tokens of one command.
type parser struct {
	src   *source
	toks  []token
	at    int
	depth int
}

// expression parses text[at:end] whole.
func (s *source) expression(at, end int) (*Expr, *Error) {
	toks, err := s.tokens(at, end)
	if err != nil {
		return nil, err
	}
	p := &parser{src: s, toks: toks}
	e, err := p.parse(levelOr)
	if err != nil {
		return nil, err
	}
	if p.peek().kind != tokenEnd {
		return nil, p.unexpected("")
	}
	if e.height() > maxHeight {
		return nil, s.errorAt(e.offset, "", "the expression is more than %d operators high", maxHeight)
	}
	return e, nil
}

func (e *Expr) height() int {
	h := 0
	for _, a := range e.args {
		h = max(h, a.height())
	}
	return h + 1
}

func (p *parser) peek() token { return p.toks[p.at] }

// accept passes an operator or a keyword.
func (p *parser) accept(text string) bool {
	t := p.peek()
	if (t.kind == tokenOperator || t.kind == tokenKeyword) && t.text == text {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text string) *Error {
	if p.accept(text) {
		return nil
	}
	return p.unexpected(text)
}

// unexpected complains about the next token; want is what should be there.
func (p *parser) unexpected(want string) *Error {
	t := p.peek()
	what := "unexpected end of the expression"
	switch t.kind {
	case tokenEnd:
	case tokenVariable:
		what = "unexpected :" + t.text
	case tokenHuge:
		return p.src.errorAt(t.offset, "", "%s is out of range for an integer", t.text)
	default:
		what = "unexpected " + t.text
	}
	if want != "" {
		what += ", want " + want
	}
	return p.src.errorAt(t.offset, p.commentAdvice(t), "%s", what)
}

// commentAdvice is for a token after two minuses.
func (p *parser) commentAdvice(t token) string {
	if strings.HasSuffix(strings.TrimRight(p.src.text[:t.offset], " \t"), "--") {
		return "a comment needs a line of its own"
	}
	return ""
}

// parse reads an expression of operators at or above a level.
func (p *parser) parse(level int) (*Expr, *Error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.src.errorAt(p.peek().offset, "", "the expression is nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	left, err := p.prefix()
	if err != nil {
		return nil, err
	}
	compared := false // a comparison takes no second one at its level
	for {
		t := p.peek()
		if isTest(t) && level <= levelIs {
			if left, err = p.test(left); err != nil {
				return nil, err
			}
			compared = false
			continue
		}
		b, ok := binaries[t.text]
		if !ok || t.kind != tokenOperator && t.kind != tokenKeyword || b.level < level {
			return left, nil
		}
		if b.level == levelCompare && compared {
			return nil, p.unexpected("")
		}
		p.at++
		right, err := p.parse(b.level + 1)
		if err != nil {
			return nil, err
		}
		if b.swap {
			left, right = right, left
		}
		left = &Expr{op: b.op, args: []*Expr{left, right}, offset: t.offset}
		compared = b.level == levelCompare
	}
}

func isTest(t token) bool {
	return t.kind == tokenKeyword && (t.text == "is" || t.text == "isnull" || t.text == "notnull")
}

// test reads IS [NOT] NULL | TRUE | FALSE, ISNULL or NOTNULL.
func (p *parser) test(left *Expr) (*Expr, *Error) {
	t := p.peek()
	p.at++
	not, value := t.text == "notnull", NullValue()
	if t.text == "is" {
		not = p.accept("not")
		switch {
		case p.accept("null"):
		case p.accept("true"):
			value = BoolValue(true)
		case p.accept("false"):
			value = BoolValue(false)
		default:
			return nil, p.unexpected("null, true or false")
		}
	}
	e := &Expr{op: opIs, args: []*Expr{left, constant(value, t.offset)}, offset: t.offset}
	if not {
		e = &Expr{op: opNot, args: []*Expr{e}, offset: t.offset}
	}
	return e, nil
}

func constant(v Value, offset int) *Expr { return &Expr{op: opConstant, value: v, offset: offset} }

// prefix reads an operand with what stands before it.
func (p *parser) prefix() (*Expr, *Error) {
	t := p.peek()
	switch {
	case p.accept("not"):
		e, err := p.parse(levelNot)
		return &Expr{op: opNot, args: []*Expr{e}, offset: t.offset}, err
	case p.accept("+"):
		return p.parse(levelUnary)
	case p.accept("-"):
		if p.peek().kind == tokenHuge {
			p.at++
			return constant(IntValue(-1<<63), t.offset), nil
		}
		// As in pgbench -x is 0 - x.
		e, err := p.parse(levelUnary)
		return &Expr{op: opSub, args: []*Expr{constant(IntValue(0), t.offset), e}, offset: t.offset}, err
	case p.accept("~"):
		// The operand reaches as far as stronger operators do: ~1+2 is ~(1+2).
		e, err := p.parse(levelBit + 1)
		return &Expr{op: opBitXor, args: []*Expr{constant(IntValue(-1), t.offset), e}, offset: t.offset}, err
	}
	return p.operand()
}

func (p *parser) operand() (*Expr, *Error) {
	t := p.peek()
	switch {
	case t.kind == tokenNumber:
		p.at++
		return constant(t.value, t.offset), nil
	case t.kind == tokenVariable:
		p.at++
		return &Expr{op: opVariable, name: t.text, offset: t.offset}, nil
	case t.kind == tokenName:
		return p.call()
	case p.accept("null"):
		return constant(NullValue(), t.offset), nil
	case p.accept("true"):
		return constant(BoolValue(true), t.offset), nil
	case p.accept("false"):
		return constant(BoolValue(false), t.offset), nil
	case p.accept("case"):
		return p.caseOf(t.offset)
	case p.accept("("):
		e, err := p.parse(levelOr)
		if err != nil {
			return nil, err
		}
		return e, p.expect(")")
	default:
		return nil, p.unexpected("")
	}
}

// caseOf reads CASE's arms; the last argument is the ELSE, NULL without one.
func (p *parser) caseOf(offset int) (*Expr, *Error) {
	e := &Expr{op: opCase, offset: offset}
	for {
		if err := p.expect("when"); err != nil {
			return nil, err
		}
		when, err := p.parse(levelOr)
		if err != nil {
			return nil, err
		}
		if err := p.expect("then"); err != nil {
			return nil, err
		}
		then, err := p.parse(levelOr)
		if err != nil {
			return nil, err
		}
		e.args = append(e.args, when, then)
		if t := p.peek(); t.kind != tokenKeyword || t.text != "when" {
			break
		}
	}
	last := constant(NullValue(), offset)
	if p.accept("else") {
		var err *Error
		if last, err = p.parse(levelOr); err != nil {
			return nil, err
		}
	}
	e.args = append(e.args, last)
	return e, p.expect("end")
}

// call reads a function's call.
func (p *parser) call() (*Expr, *Error) {
	t := p.peek()
	p.at++
	f, known := functions[strings.ToLower(t.text)]
	if !p.accept("(") {
		advice := cmp.Or(p.commentAdvice(t), "a variable is written :"+t.text)
		if known {
			advice = "usage: " + f.usage
		}
		return nil, p.src.errorAt(t.offset, advice, "unexpected word %s", t.text)
	}
	if !known {
		return nil, p.src.errorAt(t.offset, didYouMean(t.text, "", functionNames), "unknown function %s", t.text)
	}
	e := &Expr{op: f.op, offset: t.offset}
	for !p.accept(")") {
		if len(e.args) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		a, err := p.parse(levelOr)
		if err != nil {
			return nil, err
		}
		e.args = append(e.args, a)
	}
	if f.seeded && len(e.args) == f.max-1 {
		e.args = append(e.args, &Expr{op: opVariable, name: "default_seed", offset: t.offset})
	}
	if n := len(e.args); n < f.min || n > f.max {
		return nil, p.src.errorAt(t.offset, "usage: "+f.usage, "wrong number of arguments for %s", strings.ToLower(t.text))
	}
	return e, nil
}
