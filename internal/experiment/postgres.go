package experiment

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The versions of PostgreSQL that pgassay knows.
const (
	oldestMajor = 14
	newestMajor = 19
)

var versionTerm = regexp.MustCompile(`^(>=|<=|>|<|=)?\s*([0-9]{1,3})(?:\.([0-9]{1,3}))?$`)

// postgresConstraint accepts "16", "16.4", ">=14" and lists of them, all of
// which must hold (">=14, <18").
var postgresConstraint = &scalar{
	says: `a version such as 16 or ">=14"`,
	check: func(text string) error {
		terms := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
		if len(terms) == 0 {
			return fmt.Errorf(`is not a version such as 16 or ">=14"`)
		}
		for _, term := range terms {
			m := versionTerm.FindStringSubmatch(strings.TrimSpace(term))
			if m == nil {
				return fmt.Errorf(`is not a version such as 16 or ">=14"`)
			}
			major, err := strconv.Atoi(m[2])
			if err != nil || major > newestMajor+10 || (m[1] == "" || m[1] == "=") && major < oldestMajor {
				return fmt.Errorf("is not a version that pgassay supports (%d to %d)", oldestMajor, newestMajor)
			}
		}
		return nil
	},
	schema: map[string]any{"type": []string{"string", "number"}},
}
