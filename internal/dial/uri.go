package dial

import (
	"errors"
	"fmt"
	"strings"
)

// parseURI reads what follows "postgresql://", as libpq does:
//
//	[user[:password]@][host][:port][,host[:port]…][/dbname][?key=value[&…]]
//
// Every part may be percent-encoded; an IPv6 address stands in brackets.
// No error quotes the text, which may hold a password.
func parseURI(text string) (settings, error) {
	s := settings{}
	put := func(name, raw string) error {
		v, err := decodePercent(raw)
		if err != nil {
			return fmt.Errorf("%s of the connection URI: %w", name, err)
		}
		if v != "" {
			s[name] = v
		}
		return nil
	}
	if i := strings.IndexAny(text, "@/"); i >= 0 && text[i] == '@' {
		user, password, _ := strings.Cut(text[:i], ":")
		if err := errors.Join(put("user", user), put("password", password)); err != nil {
			return nil, err
		}
		text = text[i+1:]
	}
	hosts, ports, text, err := uriHosts(text)
	if err != nil {
		return nil, err
	}
	path, query, hasQuery := strings.Cut(text, "?")
	if err := errors.Join(put("host", strings.Join(hosts, ",")), put("port", strings.Join(ports, ",")),
		put("dbname", strings.TrimPrefix(path, "/"))); err != nil {
		return nil, err
	}
	if hasQuery && query != "" {
		if err := uriParameters(query, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// uriHosts reads the list of hosts and returns what follows: a path, a query
// or nothing. Both lists have one element per host.
func uriHosts(text string) (hosts, ports []string, rest string, err error) {
	for {
		var host, port string
		if strings.HasPrefix(text, "[") {
			end := strings.IndexByte(text, ']')
			if end < 0 {
				return nil, nil, "", errors.New("no \"]\" after the IPv6 address in the connection URI")
			}
			if end == 1 {
				return nil, nil, "", errors.New("empty IPv6 address in the connection URI")
			}
			host, text = text[1:end], text[end+1:]
			if text != "" && !strings.ContainsRune(":/?,", rune(text[0])) {
				return nil, nil, "", errors.New("unexpected text after the IPv6 address in the connection URI")
			}
		} else {
			host, text = cutAny(text, ":/?,")
		}
		if strings.HasPrefix(text, ":") {
			port, text = cutAny(text[1:], "/?,")
		}
		hosts, ports = append(hosts, host), append(ports, port)
		if !strings.HasPrefix(text, ",") {
			return hosts, trimPorts(ports), text, nil
		}
		text = text[1:]
	}
}

// trimPorts keeps a list without any port empty.
func trimPorts(ports []string) []string {
	if strings.Join(ports, "") == "" {
		return nil
	}
	return ports
}

// cutAny cuts before the first of the characters.
func cutAny(text, chars string) (before, rest string) {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// uriParameters reads "key=value&key=value" into s.
func uriParameters(query string, s settings) error {
	for _, pair := range strings.Split(query, "&") {
		rawKey, rawValue, ok := strings.Cut(pair, "=")
		if !ok || strings.Contains(rawValue, "=") {
			return errors.New("a query parameter of the connection URI is not of the form key=value")
		}
		key, err := decodePercent(rawKey)
		if err != nil {
			return fmt.Errorf("query parameter of the connection URI: %w", err)
		}
		value, err := decodePercent(rawValue)
		if err != nil {
			return fmt.Errorf("%s of the connection URI: %w", key, err)
		}
		if key == "ssl" && value == "true" { // as JDBC writes it; libpq takes it too
			key, value = "sslmode", "require"
		}
		s[key] = value
	}
	return nil
}

// decodePercent decodes one part. Spaces around it are dropped; one inside is
// a mistake of quoting.
func decodePercent(raw string) (string, error) {
	raw = strings.Trim(raw, space)
	if strings.ContainsAny(raw, space) {
		return "", errors.New("space inside; write %20")
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '%' {
			b.WriteByte(raw[i])
			continue
		}
		if i+2 >= len(raw) {
			return "", errors.New("invalid percent-encoding")
		}
		hi, ok1 := hexDigit(raw[i+1])
		lo, ok2 := hexDigit(raw[i+2])
		c := hi<<4 | lo
		if !ok1 || !ok2 || c == 0 {
			return "", errors.New("invalid percent-encoding")
		}
		b.WriteByte(c)
		i += 2
	}
	return b.String(), nil
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
