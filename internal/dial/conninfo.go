package dial

import (
	"errors"
	"fmt"
	"strings"
)

// parseString reads a connection string of either form. What is neither (no
// "=" and no URI) is a database's name, as in psql.
func parseString(text string) (settings, error) {
	s, err := parseForm(text)
	if err != nil {
		return nil, err
	}
	for name := range s {
		if err := checkKeyword(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func parseForm(text string) (settings, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, errors.New("zero byte in the connection string")
	}
	for _, prefix := range []string{"postgresql://", "postgres://"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			return parseURI(rest)
		}
	}
	if strings.Contains(text, "=") {
		return parseKeyValue(text)
	}
	if text == "" {
		return settings{}, nil
	}
	return settings{"dbname": text}, nil
}

// isConnString says whether psql would take a database's name for a connection
// string.
func isConnString(s string) bool {
	return strings.Contains(s, "=") || strings.HasPrefix(s, "postgresql://") || strings.HasPrefix(s, "postgres://")
}

const space = " \t\n\r\v\f"

// parseKeyValue reads "key = value key='quoted value'". A backslash makes the
// next character an ordinary one, in quotes and outside. The last of equal
// keys wins. No error quotes the text, which may hold a password.
func parseKeyValue(text string) (settings, error) {
	s := settings{}
	for {
		text = strings.TrimLeft(text, space)
		if text == "" {
			return s, nil
		}
		end := strings.IndexAny(text, "="+space)
		if end < 0 {
			return nil, errors.New("a word without \"=\" at the end of the connection string")
		}
		name := text[:end]
		text = strings.TrimLeft(text[end:], space)
		if !strings.HasPrefix(text, "=") {
			return nil, fmt.Errorf("missing \"=\" after word %d of the connection string", len(s)+1)
		}
		if name == "" {
			return nil, errors.New("a \"=\" without a keyword in the connection string")
		}
		value, rest, err := nextValue(strings.TrimLeft(text[1:], space))
		if err != nil {
			return nil, fmt.Errorf("%w after %q in the connection string", err, name)
		}
		s[name], text = value, rest
	}
}

// nextValue takes a value from the start of text.
func nextValue(text string) (value, rest string, err error) {
	quoted := strings.HasPrefix(text, "'")
	i := 0
	if quoted {
		i = 1
	}
	var b strings.Builder
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\'':
			return b.String(), text[i+1:], nil
		case !quoted && strings.IndexByte(space, c) >= 0:
			return b.String(), text[i:], nil
		case c == '\\':
			if i++; i < len(text) {
				b.WriteByte(text[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	if quoted {
		return "", "", errors.New("unterminated quoted string")
	}
	return b.String(), "", nil
}

// quoteValue writes a value for parseKeyValue (and pgconn's).
func quoteValue(v string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(v) + "'"
}
