package server

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pgassay/pgassay"
)

// statement is one SQL statement of a script.
type statement struct {
	line int // where it begins, from 1
	text string
	// data are the lines that follow COPY … FROM stdin, without the final \.;
	// nil for every other statement.
	data []byte
}

// blanks are what scan.l takes for white space.
const blanks = " \t\n\r\f\v"

// splitSQL splits a script into statements where psql would (psqlscan.l): at
// semicolons outside quotes, comments, brackets and the BEGIN ATOMIC … END of
// a function. Statements run one by one, so that VACUUM and CREATE DATABASE
// work. Comments between statements are dropped. psql's commands are refused,
// except those that pg_dump writes: the data of COPY, \restrict and
// \unrestrict.
func splitSQL(text string) ([]statement, error) {
	var out []statement
	wrong := func(at int, err error) error {
		return fmt.Errorf("%w: line %d: %w", pgassay.ErrUsage, 1+strings.Count(text[:at], "\n"), err)
	}
	line, counted := 1, 0 // the line of the byte at counted
	for at := 0; ; {
		n, err := between(text[at:])
		at += n
		if err != nil {
			return nil, wrong(at, err)
		}
		if at == len(text) {
			return out, nil
		}
		if text[at] == '\\' {
			command, _, _ := strings.Cut(text[at:], "\n")
			if word := strings.Fields(command)[0]; word != `\restrict` && word != `\unrestrict` {
				return nil, pgassay.WithHint(wrong(at, fmt.Errorf("%s is a command of psql; only SQL is run here", word)), "Take it out, or write it in SQL.")
			}
			at += len(command)
			continue
		}
		s := scanner{text: text[at:]}
		if err := s.statement(); err != nil {
			return nil, wrong(at+s.at, err)
		}
		line += strings.Count(text[counted:at], "\n")
		counted = at
		found := statement{line: line, text: strings.TrimRight(s.text[:s.at], blanks)}
		at += s.at
		if s.copyIn {
			data, length, err := copyData(text[at:])
			if err != nil {
				return nil, wrong(counted, err)
			}
			found.data = data
			at += length
		}
		out = append(out, found)
	}
}

// between measures what may stand between statements: white space, semicolons
// and comments. With an error, n is where the comment begins that is not closed.
func between(s string) (n int, err error) {
	for n < len(s) {
		if s[n] == ';' {
			n++
			continue
		}
		length, err := blankLength(s[n:])
		if length == 0 || err != nil {
			return n, err
		}
		n += length
	}
	return n, nil
}

// copyData cuts the lines after a COPY … FROM stdin, up to the line \. that
// ends them. length is that of all, from the semicolon on.
func copyData(s string) (data []byte, length int, err error) {
	first, _, found := strings.Cut(s, "\n")
	rest := strings.Trim(strings.TrimPrefix(first, ";"), blanks)
	if rest != "" && !strings.HasPrefix(rest, "--") {
		return nil, 0, errors.New("the data of COPY begins on the next line: nothing else may follow on this one")
	}
	begin := len(first) + 1
	for at := begin; found; {
		line, _, more := strings.Cut(s[at:], "\n")
		if strings.TrimRight(line, "\r") == `\.` {
			return []byte(s[begin:at]), at + len(line), nil
		}
		at, found = at+len(line)+1, more
	}
	return nil, 0, errors.New(`the data of COPY lacks its last line, which is \. alone`)
}

// scanner finds the end of the statement that text begins with.
type scanner struct {
	text string
	at   int
	// parens is how many brackets are open, blocks how many BEGIN ATOMIC, with
	// the CASE inside them.
	parens, blocks int
	// words are the first words of the statement and last is the one before at,
	// in lower case.
	words []string
	last  string
	// copyIn says that it is a COPY … FROM stdin.
	copyIn bool
}

// statement moves to the semicolon that ends the statement, or to the end of
// the text. With an error, at is where that begins which is not closed.
func (s *scanner) statement() error {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		if rest[0] == ';' && s.parens == 0 && s.blocks == 0 {
			return nil
		}
		n, err := blankLength(rest)
		if n == 0 && err == nil {
			n, err = quotedLength(rest, s.escapes())
		}
		if err != nil {
			return err
		}
		if n == 0 {
			n = wordLength(rest)
			s.word(strings.ToLower(rest[:n]))
		}
		if n == 0 {
			n = 1
			s.bracket(rest[0])
		}
		s.at += n
	}
	return nil
}

func (s *scanner) bracket(c byte) {
	switch {
	case c == '(':
		s.parens++
	case c == ')' && s.parens > 0:
		s.parens--
	}
}

// word takes note of a word, "" for none.
func (s *scanner) word(w string) {
	if w == "" {
		return
	}
	if len(s.words) < 4 {
		s.words = append(s.words, w)
	}
	switch {
	case s.parens > 0:
	case s.words[0] == "copy" && s.last == "from" && w == "stdin":
		s.copyIn = true
	case !s.routine():
	case w == "begin", w == "case" && s.blocks > 0:
		s.blocks++
	case w == "end" && s.blocks > 0:
		s.blocks--
	}
	s.last = w
}

// routine says that the statement is CREATE [OR REPLACE] FUNCTION or PROCEDURE.
func (s *scanner) routine() bool {
	w := s.words
	if len(w) == 4 && w[1] == "or" && w[2] == "replace" {
		w = []string{w[0], w[3]}
	}
	return len(w) >= 2 && w[0] == "create" && (w[1] == "function" || w[1] == "procedure")
}

// escapes says that a quote which begins here would be that of an E'…'.
func (s *scanner) escapes() bool {
	return s.last == "e" && s.at > 0 && s.text[s.at-1]|0x20 == 'e'
}

// blankLength measures white space or one comment at the beginning; 0 is none.
func blankLength(s string) (int, error) {
	switch {
	case strings.HasPrefix(s, "--"):
		line, _, _ := strings.Cut(s, "\n")
		return len(line), nil
	case strings.HasPrefix(s, "/*"):
		return commentLength(s)
	}
	return len(s) - len(strings.TrimLeft(s, blanks)), nil
}

// commentLength measures a comment; comments nest.
func commentLength(s string) (int, error) {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1, nil
			}
		}
	}
	return 0, errors.New("a comment /* is not closed")
}

// quotedLength measures a quoted text at the beginning; 0 is none. A doubled
// quote stands for itself; escapes says that a backslash protects what follows.
func quotedLength(s string, escapes bool) (int, error) {
	switch s[0] {
	case '$':
		tag := dollarTag(s)
		if tag == "" {
			return 0, nil
		}
		n := strings.Index(s[len(tag):], tag)
		if n < 0 {
			return 0, fmt.Errorf("a quote %s is not closed", tag)
		}
		return n + 2*len(tag), nil
	case '\'', '"':
		for i := 1; i < len(s); i++ {
			switch {
			case escapes && s[0] == '\'' && s[i] == '\\':
				i++
			case s[i] == s[0] && i+1 < len(s) && s[i+1] == s[0]:
				i++
			case s[i] == s[0]:
				return i + 1, nil
			}
		}
		return 0, fmt.Errorf("a quote %c is not closed", s[0])
	}
	return 0, nil
}

// dollarTag returns the tag of a dollar quote, "" when there is none.
func dollarTag(s string) string {
	for i := 1; i < len(s); i++ {
		if s[i] == '$' {
			return s[:i+1]
		}
		if !wordByte(s[i]) || i == 1 && s[i] >= '0' && s[i] <= '9' {
			return ""
		}
	}
	return ""
}

// wordLength measures a name, keyword or number; a $ inside belongs to it.
func wordLength(s string) int {
	n := 0
	for n < len(s) && (wordByte(s[n]) || n > 0 && s[n] == '$') {
		n++
	}
	return n
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
