package script

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// doubles is the arithmetic of doubles; dividing by zero gives an infinity.
func doubles(o op, x, y float64) Value {
	switch o {
	case opAdd:
		return DoubleValue(x + y)
	case opSub:
		return DoubleValue(x - y)
	case opMul:
		return DoubleValue(x * y)
	case opDiv:
		return DoubleValue(x / y)
	case opEQ:
		return BoolValue(x == y)
	case opNE:
		return BoolValue(x != y)
	case opLT:
		return BoolValue(x < y)
	default:
		return BoolValue(x <= y)
	}
}

// integers is the arithmetic of 64-bit integers; what does not fit is an
// error. Shift counts are taken modulo 64, as the processors do that pgbench
// runs on.
func integers(o op, x, y int64) (Value, error) {
	switch o {
	case opAdd:
		s := x + y
		if (s > x) != (y > 0) && y != 0 {
			return Value{}, fmt.Errorf("bigint add out of range: %d + %d", x, y)
		}
		return IntValue(s), nil
	case opSub:
		d := x - y
		if (d < x) != (y > 0) && y != 0 {
			return Value{}, fmt.Errorf("bigint sub out of range: %d - %d", x, y)
		}
		return IntValue(d), nil
	case opMul:
		return multiply(x, y)
	case opDiv, opMod:
		return divide(o, x, y)
	case opEQ:
		return BoolValue(x == y), nil
	case opNE:
		return BoolValue(x != y), nil
	case opLT:
		return BoolValue(x < y), nil
	case opLE:
		return BoolValue(x <= y), nil
	case opBitAnd:
		return IntValue(x & y), nil
	case opBitOr:
		return IntValue(x | y), nil
	case opBitXor:
		return IntValue(x ^ y), nil
	case opShiftLeft:
		return IntValue(x << (uint64(y) & 63)), nil
	default:
		return IntValue(x >> (uint64(y) & 63)), nil
	}
}

func multiply(x, y int64) (Value, error) {
	negative := (x < 0) != (y < 0)
	high, low := bits.Mul64(magnitude(x), magnitude(y))
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	if high != 0 || low > limit {
		return Value{}, fmt.Errorf("bigint mul out of range: %d * %d", x, y)
	}
	if negative {
		return IntValue(-int64(low)), nil
	}
	return IntValue(int64(low)), nil
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// divide truncates towards zero; a remainder has the sign of x.
func divide(o op, x, y int64) (Value, error) {
	switch {
	case y == 0:
		return Value{}, errors.New("division by zero")
	case o == opMod && y == -1:
		return IntValue(0), nil
	case o == opMod:
		return IntValue(x % y), nil
	case y == -1 && x == math.MinInt64:
		return Value{}, fmt.Errorf("bigint div out of range: %d / %d", x, y)
	}
	return IntValue(x / y), nil
}
