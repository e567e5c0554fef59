package script

import "slices"

// op is what an expression's node computes.
type op uint8

const (
	opConstant op = iota
	opVariable
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opEQ
	opNE
	opLT
	opLE
	opBitAnd
	opBitOr
	opBitXor
	opShiftLeft
	opShiftRight
	opAnd
	opOr
	opNot
	opIs
	opCase
	opAbs
	opDebug
	opDouble
	opInt
	opSqrt
	opLn
	opExp
	opPow
	opPi
	opLeast
	opGreatest
	opRandom
	opRandomExponential
	opRandomGaussian
	opRandomZipfian
	opHashFNV1a
	opHashMurmur2
	opPermute
)

// function is a function of the language: it takes min to max arguments. A
// seeded one takes default_seed as its last argument when that is left out.
type function struct {
	op       op
	min, max int
	seeded   bool
	usage    string
}

// maxArguments is pgbench's limit for least and greatest.
const maxArguments = 16

var functions = map[string]function{
	"abs":                {op: opAbs, min: 1, max: 1, usage: "abs(number)"},
	"debug":              {op: opDebug, min: 1, max: 1, usage: "debug(any)"},
	"double":             {op: opDouble, min: 1, max: 1, usage: "double(number)"},
	"exp":                {op: opExp, min: 1, max: 1, usage: "exp(number)"},
	"greatest":           {op: opGreatest, min: 1, max: maxArguments, usage: "greatest(number, …)"},
	"hash":               {op: opHashMurmur2, min: 2, max: 2, seeded: true, usage: "hash(value [, seed])"},
	"hash_fnv1a":         {op: opHashFNV1a, min: 2, max: 2, seeded: true, usage: "hash_fnv1a(value [, seed])"},
	"hash_murmur2":       {op: opHashMurmur2, min: 2, max: 2, seeded: true, usage: "hash_murmur2(value [, seed])"},
	"int":                {op: opInt, min: 1, max: 1, usage: "int(number)"},
	"least":              {op: opLeast, min: 1, max: maxArguments, usage: "least(number, …)"},
	"ln":                 {op: opLn, min: 1, max: 1, usage: "ln(number)"},
	"mod":                {op: opMod, min: 2, max: 2, usage: "mod(integer, integer)"},
	"permute":            {op: opPermute, min: 3, max: 3, seeded: true, usage: "permute(i, size [, seed])"},
	"pi":                 {op: opPi, usage: "pi()"},
	"pow":                {op: opPow, min: 2, max: 2, usage: "pow(x, y)"},
	"power":              {op: opPow, min: 2, max: 2, usage: "power(x, y)"},
	"random":             {op: opRandom, min: 2, max: 2, usage: "random(low, high)"},
	"random_exponential": {op: opRandomExponential, min: 3, max: 3, usage: "random_exponential(low, high, parameter)"},
	"random_gaussian":    {op: opRandomGaussian, min: 3, max: 3, usage: "random_gaussian(low, high, parameter)"},
	"random_zipfian":     {op: opRandomZipfian, min: 3, max: 3, usage: "random_zipfian(low, high, parameter)"},
	"sqrt":               {op: opSqrt, min: 1, max: 1, usage: "sqrt(number)"},
}

// functionNames lists the functions' names, sorted.
var functionNames = func() []string {
	var names []string
	for n := range functions {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}()

// printed is how a node is written: an operator between its arguments, or a
// function's name.
var printed = map[op]string{
	opAdd: "+", opSub: "-", opMul: "*", opDiv: "/", opEQ: "=", opNE: "<>", opLT: "<", opLE: "<=",
	opBitAnd: "&", opBitOr: "|", opBitXor: "#", opShiftLeft: "<<", opShiftRight: ">>", opAnd: "and", opOr: "or",
	opMod: "mod", opAbs: "abs", opDebug: "debug", opDouble: "double", opInt: "int", opSqrt: "sqrt", opLn: "ln", opExp: "exp",
	opPow: "pow", opPi: "pi", opLeast: "least", opGreatest: "greatest", opRandom: "random",
	opRandomExponential: "random_exponential", opRandomGaussian: "random_gaussian", opRandomZipfian: "random_zipfian",
	opHashFNV1a: "hash_fnv1a", opHashMurmur2: "hash_murmur2", opPermute: "permute",
}
