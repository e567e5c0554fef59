package dial

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// socketDirs are the directories in which servers put their sockets unless
// told otherwise.
var socketDirs = []string{
	"/var/run/postgresql", // Debian, RPM systems
	"/run/postgresql",     // the same without the link
	"/private/tmp",        // macOS
	"/tmp",                // PostgreSQL's own default
}

// endpoints reads the lists of hosts, addresses and ports. As in libpq one port
// serves all hosts, and an empty element is the default.
func (s settings) endpoints() ([]endpoint, error) {
	hosts, addrs, ports := split(s["host"]), split(s["hostaddr"]), split(s["port"])
	n := max(len(hosts), len(addrs), 1)
	if len(hosts) > 0 && len(addrs) > 0 && len(hosts) != len(addrs) {
		return nil, fmt.Errorf("%d host names do not match %d hostaddr values", len(hosts), len(addrs))
	}
	if len(ports) > 1 && len(ports) != n {
		return nil, fmt.Errorf("%d port numbers do not match %d hosts", len(ports), n)
	}
	ends := make([]endpoint, n)
	for i := range ends {
		e := endpoint{host: at(hosts, i), addr: at(addrs, i), port: at(ports, min(i, len(ports)-1))}
		if e.port == "" {
			e.port = "5432"
		}
		port, err := strconv.ParseUint(strings.TrimSpace(e.port), 10, 16)
		if err != nil || port == 0 {
			// Not quoted: in a mistyped URI a part of the password can end up here.
			return nil, errors.New("invalid port number: it must be from 1 to 65535")
		}
		e.port = strconv.FormatUint(port, 10)
		if e.host == "" {
			e.host = e.addr
		}
		if e.host == "" {
			e.host = defaultHost(e.port)
		}
		ends[i] = e
	}
	return ends, nil
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func at(list []string, i int) string {
	if i < 0 || i >= len(list) {
		return ""
	}
	return strings.TrimSpace(list[i])
}

// defaultHost is where libpq would look: a directory that was fixed when it
// was built. We take the one in which a server's socket is, else the first
// that exists, else localhost.
func defaultHost(port string) string {
	first := ""
	for _, dir := range socketDirs {
		if _, err := os.Stat(filepath.Join(dir, ".s.PGSQL."+port)); err == nil {
			return dir
		}
		if first == "" {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				first = dir
			}
		}
	}
	if first == "" {
		return "localhost"
	}
	return first
}
