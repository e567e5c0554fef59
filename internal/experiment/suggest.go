package experiment

import (
	"slices"
	"strings"
)

// nearest returns the candidate with the smallest edit distance to word, or ""
// when none is near enough to be what was meant: at most a third of the
// characters, two of a short word, one of two or three letters. Ties go to the
// first.
func nearest(word string, candidates []string) string {
	limit := max(2, len(word)/3)
	if len(word) <= 3 {
		limit = len(word) / 2
	}
	best, found := limit+1, ""
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < best {
			best, found = d, c
		}
	}
	return found
}

// didYouMean is a hint that names the nearest candidate, else lists them all
// when they are few.
func didYouMean(word string, candidates []string) string {
	if n := nearest(word, candidates); n != "" {
		return "did you mean " + n + "?"
	}
	if len(candidates) == 0 || len(candidates) > 20 {
		return ""
	}
	sorted := slices.Clone(candidates)
	return "possible here: " + strings.Join(sorted, ", ")
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours count one each.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 100 || len(y) > 100 {
		return len(x) + len(y)
	}
	before, last, now := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		now[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(y)]
}
