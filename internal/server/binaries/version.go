package binaries

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// OldestMajor is the oldest version that pgassay works with.
const OldestMajor = 14

// askTimeout limits one call of a build's program.
const askTimeout = 30 * time.Second

// version is what the builds are ordered by: major and minor. A development
// or beta version has minor 0.
type version struct{ major, minor int }

func (v version) num() int { return v.major*10000 + v.minor }

var versionLine = regexp.MustCompile(`\(PostgreSQL\) ((\d+)(?:\.(\d+)|(?:devel|alpha\d+|beta\d+|rc\d+))?)`)

// parseVersion reads the output of "postgres --version", such as
// "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
func parseVersion(out string) (text string, v version, err error) {
	m := versionLine.FindStringSubmatch(out)
	if m == nil {
		return "", version{}, fmt.Errorf("%q is not the version of a PostgreSQL server", strings.TrimSpace(out))
	}
	if v.major, err = strconv.Atoi(m[2]); err != nil {
		return "", version{}, fmt.Errorf("version %q: %w", m[1], err)
	}
	if m[3] != "" {
		if v.minor, err = strconv.Atoi(m[3]); err != nil {
			return "", version{}, fmt.Errorf("version %q: %w", m[1], err)
		}
	}
	return m[1], v, nil
}

// run calls a program and returns its output. What it wrote to its standard
// error becomes part of the error.
func run(ctx context.Context, timeout time.Duration, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Second // a child of its own may keep the pipes open
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("run %s: %w%s", program, err, excerpt(stderr.String()))
	}
	return string(out), nil
}

// excerpt is the end of a program's complaint, on one line.
func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	if len(text) > 300 {
		text = "…" + text[len(text)-300:]
	}
	return ": " + text
}
