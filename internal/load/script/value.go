package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is the type of a value.
type Kind uint8

// The kinds of values. Text is a variable's value that is none of the others;
// it can be put into SQL but not into an expression.
const (
	Unset Kind = iota
	Null
	Boolean
	Integer
	Double
	Text
)

// String names the kind as pgbench does.
func (k Kind) String() string {
	return [...]string{"none", "null", "boolean", "int", "double", "text"}[k]
}

// Value is a value of an expression. The zero value is Unset.
type Value struct {
	kind Kind
	bits uint64
}

// NullValue makes the value NULL.
func NullValue() Value { return Value{kind: Null} }

// IntValue makes an integer.
func IntValue(v int64) Value { return Value{kind: Integer, bits: uint64(v)} }

// DoubleValue makes a double.
func DoubleValue(v float64) Value { return Value{kind: Double, bits: math.Float64bits(v)} }

// BoolValue makes a boolean.
func BoolValue(v bool) Value {
	if v {
		return Value{kind: Boolean, bits: 1}
	}
	return Value{kind: Boolean}
}

// Kind is the value's type.
func (v Value) Kind() Kind { return v.kind }

func (v Value) int() int64      { return int64(v.bits) }
func (v Value) double() float64 { return math.Float64frombits(v.bits) }
func (v Value) bool() bool      { return v.bits != 0 }

// truth is the value as a condition: numbers other than zero are true, NULL is
// false.
func (v Value) truth() bool {
	if v.kind == Double {
		return v.double() != 0
	}
	return v.bits != 0
}

// append writes the value as pgbench puts it into SQL: doubles with 15 digits
// as C's %g.
func (v Value) append(dst []byte) []byte {
	switch v.kind {
	case Boolean:
		return strconv.AppendBool(dst, v.bool())
	case Integer:
		return strconv.AppendInt(dst, v.int(), 10)
	case Double:
		switch d := v.double(); {
		case math.IsNaN(d):
			return append(dst, "NaN"...)
		case math.IsInf(d, 1):
			return append(dst, "Infinity"...)
		case math.IsInf(d, -1):
			return append(dst, "-Infinity"...)
		default:
			return strconv.AppendFloat(dst, d, 'g', 15, 64)
		}
	default:
		return append(dst, "NULL"...)
	}
}

// String is the value as it goes into SQL.
func (v Value) String() string { return string(v.append(nil)) }

// toInt converts for an operator that needs an integer; doubles are rounded
// half to even.
func (v Value) toInt() (int64, error) {
	switch v.kind {
	case Integer:
		return v.int(), nil
	case Double:
		d := math.RoundToEven(v.double())
		// 2^63 itself is a double, and the first one that does not fit.
		if math.IsNaN(d) || d < -(1<<63) || d >= 1<<63 {
			return 0, fmt.Errorf("double to int overflow for %v", v.double())
		}
		return int64(d), nil
	default:
		return 0, fmt.Errorf("cannot coerce %v to int", v.kind)
	}
}

func (v Value) toDouble() (float64, error) {
	switch v.kind {
	case Integer:
		return float64(v.int()), nil
	case Double:
		return v.double(), nil
	default:
		return 0, fmt.Errorf("cannot coerce %v to double", v.kind)
	}
}

func (v Value) toBool() (bool, error) {
	if v.kind != Boolean {
		return false, fmt.Errorf("cannot coerce %v to boolean", v.kind)
	}
	return v.bool(), nil
}

// valueOf reads a variable that was given from outside, by pgbench's rules:
// null, true and false with their prefixes and yes, no, on, off; integers,
// doubles; anything else is Text.
func valueOf(text string) Value {
	s := strings.ToLower(text)
	switch {
	case s == "":
		return Value{kind: Text}
	case s == "null":
		return NullValue()
	case s == "on", strings.HasPrefix("true", s), strings.HasPrefix("yes", s):
		return BoolValue(true)
	case s == "of", s == "off", strings.HasPrefix("false", s), strings.HasPrefix("no", s):
		return BoolValue(false)
	}
	if i, err := strconv.ParseInt(strings.Trim(s, " \t\n\r\f\v"), 10, 64); err == nil {
		return IntValue(i)
	}
	if d, err := strconv.ParseFloat(s, 64); err == nil && !strings.ContainsAny(s, "_pn") && strings.Trim(s, "+-0123456789") != "" {
		return DoubleValue(d)
	}
	return Value{kind: Text}
}
