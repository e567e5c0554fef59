package stats

import "slices"

// Holm returns the p-values after Holm's step-down correction, in the order of
// p (Holm 1979): the k-th smallest of m is multiplied by m-k+1, made monotone
// and capped at 1. Claiming where the result is at most alpha keeps the chance
// of any false claim in the family at alpha, whatever the dependence.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(p))
	worst := 0.0
	for k, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-k)))
		out[i] = worst
	}
	return out
}
