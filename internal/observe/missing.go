package observe

import (
	"slices"
	"strings"
)

// missing collects what could not be seen. A sentence is kept once, and no more
// than a handful about the same thing.
type missing struct{ list []string }

// sameMax is how many sentences about one thing are kept: a server that is away
// for a minute has many ways to say so.
const sameMax = 3

func (m *missing) add(sentences ...string) {
	for _, s := range sentences {
		what, _, _ := strings.Cut(s, ":")
		same := 0
		for _, old := range m.list {
			if strings.HasPrefix(old, what+":") {
				same++
			}
		}
		if same < sameMax && !slices.Contains(m.list, s) {
			m.list = append(m.list, s)
		}
	}
}

// unmatched names the wanted tables that were not found.
func unmatched(wanted, found []string) []string {
	var out []string
	for _, w := range wanted {
		if !slices.ContainsFunc(found, func(f string) bool { return f == w || strings.HasSuffix(f, "."+w) }) {
			out = append(out, "table "+w+": not found, or more than 20 tables are wanted")
		}
	}
	return out
}
