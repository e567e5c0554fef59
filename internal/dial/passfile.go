package dial

import (
	"fmt"
	"os"
	"strings"
)

// endpoint is one server of a list of hosts.
type endpoint struct{ host, addr, port string }

// passKey is what a line of a password file is compared with.
type passKey struct{ host, port, database, user string }

// passwordFromFile looks the password up as libpq does. A file that others may
// read is not used; the warning says so.
func passwordFromFile(path string, ends []endpoint, database, user string) (password, warning string) {
	info, err := os.Stat(path)
	if err != nil {
		return "", "" // no file is the usual case
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Sprintf("password file %s is not a plain file and was ignored", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Sprintf("password file %s can be read by others and was ignored: chmod 0600 it", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Sprintf("password file was ignored: %v", err)
	}
	for _, e := range ends {
		for _, host := range e.passHosts() {
			if p, ok := findPassword(string(text), passKey{host, e.port, database, user}); ok {
				return p, ""
			}
		}
	}
	return "", ""
}

// passHosts are the names of a host in password files: a socket's directory
// goes by "localhost" when it is the default one. Which one that is was fixed
// when libpq was built, so the directory's own name is tried first.
func (e endpoint) passHosts() []string {
	if isSocket(e.host) {
		return []string{e.host, "localhost"}
	}
	return []string{e.host}
}

// findPassword returns the password of the first line that fits:
//
//	host:port:database:user:password
//
// "*" fits everything; a backslash takes the meaning from ":" and "\".
func findPassword(text string, key passKey) (string, bool) {
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fits := true
		for _, want := range []string{key.host, key.port, key.database, key.user} {
			field, literal, rest, ok := nextField(line)
			fits = fits && ok && (literal == "*" || field == want)
			line = rest
		}
		if fits {
			password, _, _, _ := nextField(line)
			return password, true
		}
	}
	return "", false
}

// nextField takes one field of a password file's line: unescaped, as written,
// and what follows the colon. ok is false when there was no colon.
func nextField(line string) (field, literal, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ':':
			return b.String(), line[:i], line[i+1:], true
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), line, "", false
}
