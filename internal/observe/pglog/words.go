package pglog

import (
	"strconv"
	"strings"
)

// words matches the start of text against a pattern and returns the numbers in
// it: '#' stands for a number (digits, perhaps with a sign or a decimal point),
// '*' for anything up to the character after it, and every other character for
// itself. It is a small fmt.Sscanf that tolerates words which later versions
// append. Numbers are written only when the whole pattern fits; nil skips one.
func words(text, pattern string, numbers ...*float64) bool {
	var found [8]float64
	n := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '#':
			v, rest, ok := cutNumber(text)
			if !ok {
				return false
			}
			found[n], text = v, rest
			n++
		case '*':
			at := strings.IndexByte(text, pattern[i+1])
			if at < 0 {
				return false
			}
			text = text[at:]
		default:
			if text == "" || text[0] != pattern[i] {
				return false
			}
			text = text[1:]
		}
	}
	for i, p := range numbers {
		if p != nil {
			*p = found[i]
		}
	}
	return true
}

// cutNumber cuts a number off the start of text.
func cutNumber(text string) (v float64, rest string, ok bool) {
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.' || end == 0 && text[end] == '-') {
		end++
	}
	v, err := strconv.ParseFloat(text[:end], 64)
	return v, text[end:], err == nil
}

// find is words for the first place in text where the pattern's first word
// stands.
func find(text, pattern string, numbers ...*float64) bool {
	first := pattern
	if i := strings.IndexAny(pattern, "#*"); i >= 0 {
		first = pattern[:i]
	}
	i := strings.Index(text, first)
	return i >= 0 && words(text[i:], pattern, numbers...)
}
