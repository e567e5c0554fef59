package binaries

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

// Constraint says which versions fit. The zero value takes every version that
// pgassay works with.
type Constraint struct {
	text  string
	terms []term
}

// term is one comparison.
type term struct {
	op       string // "=", "<", "<=", ">", ">="
	v        version
	hasMinor bool
}

var termText = regexp.MustCompile(`^(>=|<=|==|=|>|<|)\s*(\d+)(?:\.(\d+))?(?:[\s,]+|$)`)

// ParseConstraint reads comparisons that must all hold, with spaces or commas
// between them: "16", "16.2", ">=14", "<17", ">=14 <18". A version without a
// minor stands for all of its minors: ">16" starts with 17.0, "<=16" ends with
// the last 16. The error wraps [pgassay.ErrUsage].
func ParseConstraint(text string) (Constraint, error) {
	c := Constraint{text: strings.TrimSpace(text)}
	for rest := c.text; rest != ""; {
		m := termText.FindStringSubmatch(rest)
		if m == nil {
			return Constraint{}, pgassay.WithHint(fmt.Errorf("%w: version constraint %q: cannot read %q", pgassay.ErrUsage, text, rest),
				`Write for example 16, 16.2, ">=14" or ">=14 <18".`)
		}
		rest = rest[len(m[0]):]
		t := term{op: m[1], hasMinor: m[3] != ""}
		if t.op == "" || t.op == "==" {
			t.op = "="
		}
		var err error
		if t.v.major, err = strconv.Atoi(m[2]); err == nil && t.hasMinor {
			t.v.minor, err = strconv.Atoi(m[3])
		}
		if err != nil || t.v.major > 1000 || t.v.minor > 9999 {
			return Constraint{}, fmt.Errorf("%w: version constraint %q: no PostgreSQL has version %s", pgassay.ErrUsage, text, strings.TrimSpace(m[0]))
		}
		if t.op == "=" && t.v.major < OldestMajor {
			return Constraint{}, fmt.Errorf("%w: version constraint %q: pgassay works with PostgreSQL %d and later", pgassay.ErrUsage, text, OldestMajor)
		}
		c.terms = append(c.terms, t)
	}
	return c, nil
}

// String is the text that was parsed, "any version" for none.
func (c Constraint) String() string {
	if c.text == "" {
		return "any version"
	}
	return c.text
}

// Fits says whether a server_version_num, such as 150018, fits.
func (c Constraint) Fits(versionNum int) bool {
	v := version{versionNum / 10000, versionNum % 10000}
	if v.major < OldestMajor {
		return false
	}
	for _, t := range c.terms {
		if !t.fits(v) {
			return false
		}
	}
	return true
}

func (t term) fits(v version) bool {
	d := v.major - t.v.major
	if d == 0 && t.hasMinor {
		d = v.minor - t.v.minor
	}
	switch t.op {
	case "<":
		return d < 0
	case "<=":
		return d <= 0
	case ">":
		return d > 0
	case ">=":
		return d >= 0
	}
	return d == 0
}
