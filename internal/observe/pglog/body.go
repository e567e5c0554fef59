package pglog

import "strings"

// cutWord cuts an optional word off the start.
func cutWord(s, word string) (rest string, had bool) { return strings.CutPrefix(s, word) }

// cutHead cuts a message at the mark that ends a table's name. The name can
// hold anything, the mark too, so the last mark that a plausible body follows
// wins: one whose first line is digits and whose second begins like a body.
func cutHead(s, mark string) (name, rest string, ok bool) {
	for from := 0; ; {
		i := strings.Index(s[from:], mark)
		if i < 0 {
			return name, rest, ok
		}
		at := from + i
		after := s[at+len(mark):]
		_, second, more := strings.Cut(after, "\n")
		if !ok || more && strings.HasPrefix(second, "pages: ") {
			name, rest, ok = s[:at], after, true
		}
		from = at + len(mark)
	}
}

// bodyLines splits the body of a vacuum or an analyze into its lines. The name
// of an index may hold line breaks: its line ends where its page counts do.
func bodyLines(body string) []string {
	raw := strings.Split(body, "\n")
	lines := raw[:0]
	for i := 0; i < len(raw); i++ {
		l := raw[i]
		if strings.HasPrefix(l, `index "`) && !strings.HasSuffix(l, " reusable") {
			for j := i + 1; j < len(raw); j++ {
				if strings.HasSuffix(raw[j], " reusable") && strings.Contains(raw[j], `": pages: `) {
					l, i = strings.Join(raw[i:j+1], "\n"), j
					break
				}
			}
		}
		if l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}
