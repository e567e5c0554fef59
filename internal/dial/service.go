package dial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgassay/pgassay"
)

// systemServiceDirs are the values of libpq's compiled-in "sysconfdir" that
// distributions use; PGSYSCONFDIR takes their place.
var systemServiceDirs = []string{
	"/etc/postgresql-common",       // Debian, Ubuntu
	"/etc/sysconfig/pgsql",         // PGDG on RPM systems
	"/etc",                         // Fedora, RHEL
	"/etc/postgresql",              // Arch, Alpine
	"/opt/homebrew/etc/postgresql", // macOS on ARM
	"/usr/local/etc/postgresql",    // macOS on Intel, FreeBSD
	"/usr/local/pgsql/etc",         // built by hand
}

// serviceFiles lists where a service is looked for, in order. With explicit,
// the first one must exist.
func serviceFiles(file, home string, env func(string) (string, bool)) (files []string, explicit bool) {
	if file != "" {
		files, explicit = append(files, file), true
	} else if home != "" {
		files = append(files, filepath.Join(home, ".pg_service.conf"))
	}
	dirs := systemServiceDirs
	if dir, ok := env("PGSYSCONFDIR"); ok && dir != "" {
		dirs = []string{dir}
	}
	for _, dir := range dirs {
		files = append(files, filepath.Join(dir, "pg_service.conf"))
	}
	return files, explicit
}

// readService finds a service by its name.
func readService(name string, files []string, explicit bool) (settings, error) {
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) && !(explicit && i == 0) {
				continue
			}
			return nil, pgassay.WithHint(fmt.Errorf("%w: read service file: %w", pgassay.ErrUsage, err),
				"The file is named by PGSERVICEFILE; without it, ~/.pg_service.conf and the system's pg_service.conf are read.")
		}
		s, found, err := parseService(string(text), name)
		if err != nil {
			return nil, fmt.Errorf("%w: service file %s: %w", pgassay.ErrUsage, file, err)
		}
		if found {
			return s, nil
		}
	}
	return nil, pgassay.WithHint(fmt.Errorf("%w: definition of service %q not found", pgassay.ErrUsage, name),
		"Looked for a section ["+name+"] in "+strings.Join(files, ", ")+".")
}

// parseService reads one section of a service file:
//
//	# comment
//	[name]
//	keyword=value
//
// As in libpq, the first section of that name counts, the first of equal
// keywords in it wins, and other sections are not checked.
func parseService(text, name string) (s settings, found bool, err error) {
	in := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "[") {
			if in {
				return s, true, nil
			}
			in = line == "["+name+"]"
			if in {
				s = settings{}
			}
			continue
		}
		if !in {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok:
			return nil, false, fmt.Errorf("line %d is not of the form keyword=value", i+1)
		case key == "service" || key == "servicefile":
			return nil, false, fmt.Errorf("line %d: a service cannot refer to another one", i+1)
		}
		if err := checkKeyword(key); err != nil {
			return nil, false, fmt.Errorf("line %d: %w", i+1, err)
		}
		s.fill(settings{key: value})
	}
	return s, in, nil
}
