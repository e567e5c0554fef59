package script

import "strings"

// scanner cuts SQL into statements as psql does: it knows quotes, dollar
// quotes, comments, parentheses and the bodies of SQL functions, and finds the
// :variables that stand outside of them.
type scanner struct {
	src  *source
	at   int
	part partBuilder
	// parens and begins are open parentheses and BEGIN ATOMIC or CASE blocks: a
	// semicolon within ends nothing.
	parens, begins int
	paren          int // offset of the outermost open one
	// words counts the statement's words; head is the first letters of the first
	// four: c(reate) [o(r) r(eplace)] f(unction) or p(rocedure).
	words int
	head  [4]byte
}

// partBuilder collects one statement.
type partBuilder struct {
	pieces []string
	refs   []Ref
	piece  strings.Builder
	source strings.Builder
	start  int // offset of its first byte
}

func (b *partBuilder) add(s string) {
	b.piece.WriteString(s)
	b.source.WriteString(s)
}

// ends of an SQL command.
type ending uint8

const (
	endOfText ending = iota
	endSemicolon
	endBackslash // at the backslash of a command
)

// command reads one SQL command; it has no parts when there is only space.
func (s *scanner) command() (Command, ending, *Error) {
	c := Command{Kind: SQL, offset: -1}
	s.parens, s.begins = 0, 0
	s.reset()
	for s.at < len(s.src.text) {
		switch ch := s.src.text[s.at]; {
		case ch == '\\' && s.follows(1, ";"):
			if err := s.finish(&c); err != nil {
				return c, endOfText, err
			}
			s.at += 2
		case ch == '\\' && s.follows(1, ":"):
			s.part.piece.WriteByte(':')
			s.part.source.WriteString(`\:`)
			s.at += 2
		case ch == '\\':
			return c, endBackslash, s.finish(&c)
		case ch == ';' && s.parens == 0 && s.begins == 0:
			s.at++
			return c, endSemicolon, s.finish(&c)
		default:
			if err := s.step(); err != nil {
				return c, endOfText, err
			}
		}
	}
	return c, endOfText, s.finish(&c)
}

func (s *scanner) follows(ahead int, text string) bool {
	return s.at+ahead <= len(s.src.text) && strings.HasPrefix(s.src.text[s.at+ahead:], text)
}

func (s *scanner) reset() {
	s.part = partBuilder{start: -1}
	s.words, s.head = 0, [4]byte{}
}

// finish ends a statement; an empty one is dropped.
func (s *scanner) finish(c *Command) *Error {
	switch {
	case s.parens > 0:
		return s.src.errorAt(s.paren, "", "the parenthesis that opens here is not closed")
	case s.begins > 0:
		return s.src.errorAt(s.part.start, "", "the function that begins here has no END")
	}
	const space = " \t\r\n\f\v"
	b := &s.part
	if text := strings.Trim(b.source.String(), space); text != "" {
		pieces := append(b.pieces, b.piece.String())
		pieces[0] = strings.TrimLeft(pieces[0], space)
		last := len(pieces) - 1
		pieces[last] = strings.TrimRight(pieces[last], space)
		c.Parts = append(c.Parts, Part{Pieces: pieces, Refs: b.refs, Source: text})
		if c.offset < 0 {
			c.offset = b.start
			c.Line, c.Column = s.src.place(b.start)
		}
	}
	s.reset()
	return nil
}

// take moves n bytes into the statement.
func (s *scanner) take(n int) {
	if s.part.start < 0 && !isBlank(s.src.text[s.at]) && s.src.text[s.at] != '\n' {
		s.part.start = s.at
	}
	s.part.add(s.src.text[s.at : s.at+n])
	s.at += n
}

// step reads one lexical element.
func (s *scanner) step() *Error {
	text := s.src.text
	switch c := text[s.at]; {
	case c == '-' && s.follows(0, "--"):
		end := strings.IndexByte(text[s.at:], '\n')
		if end < 0 {
			end = len(text) - s.at
		}
		s.at += end
	case s.follows(0, "/*"):
		return s.comment()
	case c == '\'':
		return s.quoted('\'', false)
	case c == '"':
		return s.quoted('"', false)
	case c == '$':
		return s.dollar()
	case c == '(':
		if s.parens == 0 {
			s.paren = s.at
		}
		s.parens++
		s.take(1)
	case c == ')':
		s.parens = max(0, s.parens-1)
		s.take(1)
	case c == ':':
		s.colon()
	case isNameStart(c):
		return s.word()
	case isDigit(c):
		s.take(digitsEnd(text, s.at) - s.at)
	default:
		s.take(1)
	}
	return nil
}

// colon reads a cast, an assignment, a variable or a colon.
func (s *scanner) colon() {
	text := s.src.text
	switch {
	case s.follows(1, ":"), s.follows(1, "="):
		s.take(2)
	case s.at+1 < len(text) && isNameStart(text[s.at+1]):
		end := nameEnd(text, s.at+1)
		b := &s.part
		if b.start < 0 {
			b.start = s.at
		}
		b.pieces = append(b.pieces, b.piece.String())
		b.piece.Reset()
		b.refs = append(b.refs, Ref{Name: text[s.at+1 : end], offset: s.at})
		b.source.WriteString(text[s.at:end])
		s.at = end
	default:
		s.take(1)
	}
}

// word reads an identifier or keyword; E before a quote makes backslashes
// escape within it.
func (s *scanner) word() *Error {
	text := s.src.text
	end := s.at
	for end < len(text) && (isNameStart(text[end]) || isDigit(text[end]) || text[end] == '$') {
		end++
	}
	word := strings.ToLower(text[s.at:end])
	escape := word == "e" && end < len(text) && text[end] == '\''
	s.count(word)
	s.take(end - s.at)
	if escape {
		return s.quoted('\'', true)
	}
	return nil
}

// count follows CREATE [OR REPLACE] FUNCTION | PROCEDURE … BEGIN … END.
func (s *scanner) count(word string) {
	if s.words < len(s.head) {
		switch word {
		case "create", "or", "replace", "function", "procedure":
			s.head[s.words] = word[0]
		}
	}
	s.words++
	h := s.head
	kind := h[1]
	if h[1] == 'o' && h[2] == 'r' {
		kind = h[3]
	}
	if h[0] != 'c' || kind != 'f' && kind != 'p' || s.parens > 0 {
		return
	}
	switch word {
	case "begin":
		s.begins++
	case "case":
		if s.begins > 0 {
			s.begins++
		}
	case "end":
		s.begins = max(0, s.begins-1)
	}
}

// quoted reads a string or a quoted identifier; two quotes are one inside it.
func (s *scanner) quoted(quote byte, escapes bool) *Error {
	text := s.src.text
	for i := s.at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && escapes:
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			s.take(i + 1 - s.at)
			return nil
		}
	}
	what := "string"
	if quote == '"' {
		what = "identifier"
	}
	return s.src.errorAt(s.at, "", "the quoted %s that begins here has no end", what)
}

// dollar reads a dollar-quoted string, or just the dollar.
func (s *scanner) dollar() *Error {
	text := s.src.text
	end := s.at + 1
	for end < len(text) && (isNameStart(text[end]) || end > s.at+1 && isDigit(text[end])) {
		end++
	}
	if end >= len(text) || text[end] != '$' {
		s.take(1)
		return nil
	}
	tag := text[s.at : end+1]
	n := strings.Index(text[end+1:], tag)
	if n < 0 {
		return s.src.errorAt(s.at, "", "the string that begins with %s here has no end", tag)
	}
	s.take(2*len(tag) + n)
	return nil
}

// comment reads a /* comment */, which may contain others. It stays in the
// statement, because hints are written that way.
func (s *scanner) comment() *Error {
	text := s.src.text
	depth := 0
	for i := s.at; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				s.take(i + 1 - s.at)
				return nil
			}
		}
	}
	return s.src.errorAt(s.at, "", "the comment that begins here has no end")
}
