package script

import (
	"errors"
	"fmt"
	"math"
)

// eval computes an expression. The result of a function of which an argument
// is NULL is NULL, except for IS, debug, CASE and the logical operators.
func (c *Client) eval(n *node) (Value, error) {
	switch n.op {
	case opConstant:
		return n.value, nil
	case opVariable:
		return c.variable(n.slot)
	case opAnd, opOr:
		return c.logic(n)
	case opCase:
		return c.caseOf(n)
	case opIs:
		a, err := c.eval(n.a)
		return BoolValue(a == n.b.value), err
	case opLeast, opGreatest:
		return c.extreme(n)
	}
	var a, b Value
	var err error
	if n.a != nil {
		if a, err = c.eval(n.a); err != nil {
			return a, err
		}
	}
	if n.b != nil {
		if b, err = c.eval(n.b); err != nil {
			return b, err
		}
	}
	switch n.op {
	case opDebug:
		return a, c.show(a)
	case opPi:
		return DoubleValue(math.Pi), nil
	case opRandomGaussian, opRandomExponential, opRandomZipfian, opPermute:
		third, err := c.eval(n.args[2])
		if err != nil || a.kind == Null || b.kind == Null || third.kind == Null {
			return NullValue(), err
		}
		return c.ternary(n.op, a, b, third)
	}
	if a.kind == Null || b.kind == Null {
		return NullValue(), nil
	}
	if n.b == nil {
		return unary(n.op, a)
	}
	return c.binary(n.op, a, b)
}

func (c *Client) variable(slot int) (Value, error) {
	v := c.vars[slot].value
	switch v.kind {
	case Unset:
		return v, fmt.Errorf("variable :%s is not set yet", c.program.names[slot])
	case Text:
		return v, fmt.Errorf("variable :%s is %q, which is no number, boolean or null", c.program.names[slot], c.vars[slot].text)
	}
	return v, nil
}

// logic is AND and OR: the second operand is evaluated only when it matters,
// and as in pgbench a NULL on the left is the result at once.
func (c *Client) logic(n *node) (Value, error) {
	for i, side := range [2]*node{n.a, n.b} {
		v, err := c.eval(side)
		if err != nil || v.kind == Null {
			return v, err
		}
		b, err := v.toBool()
		if err != nil {
			return v, err
		}
		if i == 1 || b == (n.op == opOr) {
			return BoolValue(b), nil
		}
	}
	return Value{}, nil // the loop returns in its second round
}

func (c *Client) caseOf(n *node) (Value, error) {
	last := len(n.args) - 1
	for i := 0; i < last; i += 2 {
		v, err := c.eval(n.args[i])
		if err != nil {
			return v, err
		}
		if v.truth() {
			return c.eval(n.args[i+1])
		}
	}
	return c.eval(n.args[last])
}

// extreme is least and greatest: double if any argument is one.
func (c *Client) extreme(n *node) (Value, error) {
	base := len(c.scratch)
	defer func() { c.scratch = c.scratch[:base] }()
	null, double := false, false
	for _, arg := range n.args {
		v, err := c.eval(arg)
		if err != nil {
			return v, err
		}
		null = null || v.kind == Null
		double = double || v.kind == Double
		c.scratch = append(c.scratch, v)
	}
	if null {
		return NullValue(), nil
	}
	best := Value{}
	for i, v := range c.scratch[base:] {
		var err error
		if v, err = number(v, double); err != nil {
			return v, err
		}
		less := v.kind == Double && v.double() < best.double() || v.kind == Integer && v.int() < best.int()
		greater := v.kind == Double && v.double() > best.double() || v.kind == Integer && v.int() > best.int()
		if i == 0 || n.op == opLeast && less || n.op == opGreatest && greater {
			best = v
		}
	}
	return best, nil
}

// number converts to double, or to integer.
func number(v Value, double bool) (Value, error) {
	if double {
		d, err := v.toDouble()
		return DoubleValue(d), err
	}
	i, err := v.toInt()
	return IntValue(i), err
}

func (c *Client) show(v Value) error {
	if c.debug != nil {
		text := v.kind.String()
		if v.kind != Null {
			text += " " + v.String()
		}
		c.debug(fmt.Sprintf("debug(script=%d,command=%d): %s", c.unit, c.pc, text))
	}
	return nil
}

func unary(o op, a Value) (Value, error) {
	switch o {
	case opNot:
		b, err := a.toBool()
		return BoolValue(!b), err
	case opInt:
		i, err := a.toInt()
		return IntValue(i), err
	case opAbs:
		if a.kind == Integer {
			if a.int() == math.MinInt64 {
				return a, errors.New("bigint abs out of range")
			}
			return IntValue(max(a.int(), -a.int())), nil
		}
	}
	d, err := a.toDouble()
	switch o {
	case opAbs:
		d = math.Abs(d)
	case opSqrt:
		d = math.Sqrt(d)
	case opLn:
		d = math.Log(d)
	case opExp:
		d = math.Exp(d)
	}
	return DoubleValue(d), err
}

// binary is the functions and operators of two arguments, neither NULL.
func (c *Client) binary(o op, a, b Value) (Value, error) {
	switch o {
	case opPow:
		x, err := a.toDouble()
		if err != nil {
			return a, err
		}
		y, err := b.toDouble()
		return DoubleValue(math.Pow(x, y)), err
	case opAdd, opSub, opMul, opDiv, opEQ, opNE, opLT, opLE:
		if a.kind == Double || b.kind == Double {
			x, err := a.toDouble()
			if err != nil {
				return a, err
			}
			y, err := b.toDouble()
			return doubles(o, x, y), err
		}
	}
	x, err := a.toInt()
	if err != nil {
		return a, err
	}
	y, err := b.toInt()
	if err != nil {
		return b, err
	}
	switch o {
	case opRandom:
		if err := rangeOf(x, y); err != nil {
			return a, err
		}
		return IntValue(c.rand.uniform(x, y)), nil
	case opHashFNV1a:
		return IntValue(hashFNV1a(x, y)), nil
	case opHashMurmur2:
		return IntValue(hashMurmur2(x, y)), nil
	}
	return integers(o, x, y)
}

// rangeOf holds a random function's range against pgbench's limits: it is not
// empty, and high - low + 1 is an integer.
func rangeOf(low, high int64) error {
	if low > high {
		return fmt.Errorf("empty range given to random: %d to %d", low, high)
	}
	if d := high - low; d < 0 || d == math.MaxInt64 {
		return fmt.Errorf("random range is too large: %d to %d", low, high)
	}
	return nil
}

// ternary is the functions of three arguments, none NULL.
func (c *Client) ternary(o op, a, b, third Value) (Value, error) {
	x, err := a.toInt()
	if err != nil {
		return a, err
	}
	y, err := b.toInt()
	if err != nil {
		return b, err
	}
	if o == opPermute {
		seed, err := third.toInt()
		if err != nil {
			return third, err
		}
		if y <= 0 {
			return b, errors.New("permute size parameter must be greater than zero")
		}
		return IntValue(permute(x, y, seed)), nil
	}
	if err := rangeOf(x, y); err != nil {
		return a, err
	}
	parameter, err := third.toDouble()
	if err != nil {
		return third, err
	}
	var k int64
	switch o {
	case opRandomGaussian:
		k, err = c.rand.gaussian(x, y, parameter)
	case opRandomExponential:
		k, err = c.rand.exponential(x, y, parameter)
	default:
		k, err = c.rand.zipfian(x, y, parameter)
	}
	return IntValue(k), err
}
