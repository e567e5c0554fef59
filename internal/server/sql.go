package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgassay/pgassay"
)

// statement is one SQL statement of a script.
type statement struct {
	line int // where it begins, from 1
	text string
	// data are the lines that follow COPY … FROM stdin, without the final \.
	data []byte
}

var copyFromStdin = regexp.MustCompile(`(?is)^\s*copy\s.*\sfrom\s+stdin\b`)

// splitSQL splits a script into statements: at semicolons outside quotes,
// dollar quotes and comments (scan.l of PostgreSQL). Statements run one by one,
// so that VACUUM and CREATE DATABASE work. psql's commands are refused, except
// those that pg_dump writes: the data of COPY, \restrict and \unrestrict.
func splitSQL(text string) ([]statement, error) {
	var out []statement
	line := 1
	for len(text) > 0 {
		blank := len(text) - len(strings.TrimLeft(text, " \t\r\n;"))
		line += strings.Count(text[:blank], "\n")
		text = text[blank:]
		if text == "" {
			break
		}
		if text[0] == '\\' {
			command, rest, _ := strings.Cut(text, "\n")
			if !strings.HasPrefix(command, `\restrict`) && !strings.HasPrefix(command, `\unrestrict`) {
				return nil, pgassay.WithHint(fmt.Errorf("%w: line %d: %s is a command of psql; only SQL is run here", pgassay.ErrUsage, line, strings.Fields(command)[0]),
					"Take it out, or write it in SQL.")
			}
			line, text = line+1, rest
			continue
		}
		end, empty, err := statementEnd(text)
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", pgassay.ErrUsage, line, err)
		}
		s := statement{line: line, text: strings.TrimSpace(text[:end])}
		line += strings.Count(text[:end], "\n")
		text = strings.TrimPrefix(text[end:], ";")
		if empty {
			continue // comments only
		}
		if copyFromStdin.MatchString(s.text) {
			_, rest, _ := strings.Cut(text, "\n")
			data, after, found := cutData(rest)
			if !found {
				return nil, fmt.Errorf(`%w: line %d: the data of COPY does not end with a line \.`, pgassay.ErrUsage, s.line)
			}
			line += strings.Count(text, "\n") - strings.Count(after, "\n")
			s.data, text = []byte(data), after
		}
		out = append(out, s)
	}
	return out, nil
}

// cutData cuts at the line \. that ends the data of COPY.
func cutData(text string) (data, after string, found bool) {
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		next := at + len(line) + 1
		if strings.TrimRight(line, "\r") == `\.` {
			return text[:at], text[min(next, len(text)):], true
		}
		at = next
	}
	return "", "", false
}

// statementEnd finds the semicolon that ends the first statement, or the end
// of the text. empty says that there was nothing but comments.
func statementEnd(s string) (end int, empty bool, err error) {
	empty = true
	for i := 0; i < len(s); {
		rest := s[i:]
		switch c := s[i]; {
		case c == ';':
			return i, empty, nil
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				return len(s), empty, nil
			}
			i += n
			continue
		case strings.HasPrefix(rest, "/*"):
			n := commentLength(rest)
			if n < 0 {
				return 0, false, errors.New("a comment /* is not closed")
			}
			i += n
			continue
		case c == '\'' || c == '"':
			escapes := c == '\'' && i > 0 && (s[i-1] == 'E' || s[i-1] == 'e') && (i < 2 || !word(s[i-2]))
			n := quotedLength(rest, c, escapes)
			if n < 0 {
				return 0, false, fmt.Errorf("a quote %c is not closed", c)
			}
			i += n
			empty = false
			continue
		case c == '$' && (i == 0 || !word(s[i-1])):
			if tag := dollarTag(rest); tag != "" {
				n := strings.Index(rest[len(tag):], tag)
				if n < 0 {
					return 0, false, fmt.Errorf("a quote %s is not closed", tag)
				}
				i += n + 2*len(tag)
				empty = false
				continue
			}
			empty = false
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			empty = false
		}
		i++
	}
	return len(s), empty, nil
}

func word(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// commentLength measures a comment; comments nest. -1: it is not closed.
func commentLength(s string) int {
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
				return i + 1
			}
		}
	}
	return -1
}

// quotedLength measures a quoted text; a doubled quote stands for itself. -1:
// it is not closed.
func quotedLength(s string, quote byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return -1
}

// dollarTag returns the tag of a dollar quote, "" when there is none.
func dollarTag(s string) string {
	for i := 1; i < len(s); i++ {
		if s[i] == '$' {
			return s[:i+1]
		}
		if !word(s[i]) || i == 1 && s[i] >= '0' && s[i] <= '9' {
			return ""
		}
	}
	return ""
}

// script runs the statements of a script one by one. what names it in errors.
func script(ctx context.Context, conn *pgx.Conn, what, text string) error {
	statements, err := splitSQL(text)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for _, s := range statements {
		if s.data != nil {
			_, err = conn.PgConn().CopyFrom(ctx, bytes.NewReader(s.data), s.text)
		} else {
			err = conn.PgConn().Exec(ctx, s.text).Close()
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", what, s.errorLine(err), explainSQL(err))
		}
	}
	return nil
}

// errorLine is the line that the server's error position points to.
func (s statement) errorLine(err error) int {
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Position <= 0 {
		return s.line
	}
	before := []rune(s.text)
	return s.line + strings.Count(string(before[:min(int(e.Position)-1, len(before))]), "\n")
}

// explainSQL adds the server's detail and turns its hint into ours. A full
// disk is told apart (SQLSTATE 53100).
func explainSQL(err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err
	}
	if e.Detail != "" {
		err = fmt.Errorf("%w: %s", err, e.Detail)
	}
	switch {
	case e.Code == "53100":
		return pgassay.WithHint(fmt.Errorf("%w: %w", errNoSpace, err), diskFullHint)
	case e.Hint != "":
		return pgassay.WithHint(err, e.Hint)
	}
	return err
}
