package script

import (
	"strconv"
	"strings"
)

// token is a token of an expression; kind 0 is the end of the command.
type token struct {
	kind   tokenKind
	text   string // operators and keywords in lower case, names as written
	value  Value  // of tokenNumber
	offset int
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenOperator
	tokenKeyword
	tokenName
	tokenVariable
	tokenNumber
	// tokenHuge is 9223372036854775808, which is an integer only after a minus.
	tokenHuge
)

var keywords = map[string]bool{
	"and": true, "or": true, "not": true, "is": true, "isnull": true, "notnull": true, "null": true, "true": true,
	"false": true, "case": true, "when": true, "then": true, "else": true, "end": true,
}

// tokens splits text[at:end], which has no newline but those of continuations.
func (s *source) tokens(at, end int) ([]token, *Error) {
	var out []token
	for {
		at = skipBlanks(s.text, at, end)
		if at >= end {
			return append(out, token{kind: tokenEnd, offset: end}), nil
		}
		t, next, err := s.token(at, end)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		at = next
	}
}

// skipBlanks passes spaces and continuations.
func skipBlanks(text string, at, end int) int {
	for at < end {
		switch n := continuation(text, at); {
		case isBlank(text[at]), text[at] == '\n':
			at++
		case n > 0:
			at += n
		default:
			return at
		}
	}
	return at
}

// continuation is the length of a backslash-newline at an offset, else 0.
func continuation(text string, at int) int {
	for _, c := range []string{"\\\n", "\\\r\n"} {
		if strings.HasPrefix(text[at:], c) {
			return len(c)
		}
	}
	return 0
}

func (s *source) token(at, end int) (token, int, *Error) {
	text := s.text[:end]
	c := text[at]
	switch {
	case isDigit(c), c == '.' && at+1 < end && isDigit(text[at+1]):
		return s.number(at, end)
	case isNameStart(c):
		next := nameEnd(text, at)
		t := token{kind: tokenName, text: text[at:next], offset: at}
		if lower := strings.ToLower(t.text); keywords[lower] {
			t.kind, t.text = tokenKeyword, lower
		}
		return t, next, nil
	case c == ':' && at+1 < end && isNameStart(text[at+1]):
		next := nameEnd(text, at+1)
		return token{kind: tokenVariable, text: text[at+1 : next], offset: at}, next, nil
	}
	for _, o := range []string{"<=", ">=", "<>", "!=", "<<", ">>"} {
		if strings.HasPrefix(text[at:], o) {
			return token{kind: tokenOperator, text: strings.ReplaceAll(o, "!=", "<>"), offset: at}, at + 2, nil
		}
	}
	if strings.IndexByte("+-*/%<>=&|#~(),", c) >= 0 {
		return token{kind: tokenOperator, text: text[at : at+1], offset: at}, at + 1, nil
	}
	advice := ""
	switch c {
	case ':':
		advice = "a variable is written :name; a name starts with a letter or _"
	case ';':
		advice = "a backslash command ends with its line, without a semicolon"
	}
	return token{}, 0, s.errorAt(at, advice, "unexpected character %q", firstRune(text[at:]))
}

// number reads an integer or a double.
func (s *source) number(at, end int) (token, int, *Error) {
	text := s.text[:end]
	next := digitsEnd(text, at)
	double := false
	if next < end && text[next] == '.' {
		double, next = true, digitsEnd(text, next+1)
	}
	if next < end && (text[next] == 'e' || text[next] == 'E') {
		exponent := next + 1
		if exponent < end && (text[exponent] == '+' || text[exponent] == '-') {
			exponent++
		}
		if exponent < end && isDigit(text[exponent]) {
			double, next = true, digitsEnd(text, exponent)
		}
	}
	t := token{kind: tokenNumber, text: text[at:next], offset: at}
	if double {
		d, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			return t, 0, s.errorAt(at, "", "%s is out of range for a double", t.text)
		}
		t.value = DoubleValue(d)
		return t, next, nil
	}
	u, err := strconv.ParseUint(t.text, 10, 64)
	switch {
	case err == nil && u == 1<<63:
		t.kind = tokenHuge
	case err != nil || u > 1<<63:
		return t, 0, s.errorAt(at, "an integer has 64 bits; write "+t.text+".0 for a double", "%s is out of range for an integer", t.text)
	default:
		t.value = IntValue(int64(u))
	}
	return t, next, nil
}

func digitsEnd(text string, at int) int {
	for at < len(text) && isDigit(text[at]) {
		at++
	}
	return at
}

// nameEnd is the end of the name that starts at an offset.
func nameEnd(text string, at int) int {
	for at < len(text) && (isNameStart(text[at]) || isDigit(text[at])) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

// isNameStart holds for letters, _ and every byte of a character outside ASCII.
func isNameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}
