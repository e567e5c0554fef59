package script

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is a fault in a script's text. Column counts characters from 1.
type Error struct {
	Script  string
	Line    int
	Column  int
	Source  string // the line
	Message string
	Advice  string // "" for none
}

// Error shows the place, the line with a caret under the fault, and advice.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s", e.Script, e.Line, e.Column, e.Message)
	if e.Source != "" {
		// Tabs stay tabs before the caret, so that it stands under the fault.
		pad := []rune(e.Source)
		pad = pad[:min(len(pad), max(e.Column-1, 0))]
		for i, r := range pad {
			if r != '\t' {
				pad[i] = ' '
			}
		}
		fmt.Fprintf(&b, "\n    %s\n    %s^", e.Source, string(pad))
	}
	if e.Advice != "" {
		fmt.Fprintf(&b, "\n    %s", e.Advice)
	}
	return b.String()
}

// source is a script's text with the arithmetic of places in it.
type source struct {
	name string
	text string
}

// place converts an offset to line and column, both from 1.
func (s *source) place(offset int) (line, column int) {
	offset = min(max(offset, 0), len(s.text))
	start := strings.LastIndexByte(s.text[:offset], '\n') + 1
	return strings.Count(s.text[:offset], "\n") + 1, utf8.RuneCountInString(s.text[start:offset]) + 1
}

// errorAt makes an error for an offset.
func (s *source) errorAt(offset int, advice, format string, args ...any) *Error {
	offset = min(max(offset, 0), len(s.text))
	line, column := s.place(offset)
	start := strings.LastIndexByte(s.text[:offset], '\n') + 1
	end := strings.IndexByte(s.text[offset:], '\n')
	if end < 0 {
		end = len(s.text) - offset
	}
	return &Error{
		Script: s.name, Line: line, Column: column, Source: strings.TrimRight(s.text[start:offset+end], "\r"),
		Message: fmt.Sprintf(format, args...), Advice: advice,
	}
}

// near is the candidate with the smallest edit distance to word, "" when none
// is near enough to be a slip of the finger.
func near(word string, candidates []string) string {
	best, limit := "", max(1, len(word)/3)
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), c); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// distance is the number of letters to insert, delete, change or swap with the
// next (Damerau's edit distance, restricted).
func distance(a, b string) int {
	prev2, prev := []int(nil), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(prev[j]+cost, prev[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], prev2[j-1]+1)
			}
		}
		prev2, prev = prev, row
	}
	return prev[len(b)]
}

// didYouMean words a suggestion, "" when there is none.
func didYouMean(word, prefix string, candidates []string) string {
	if c := near(word, candidates); c != "" {
		return "did you mean " + prefix + c + "?"
	}
	return ""
}
