package experiment

import (
	"fmt"
	"strconv"
	"strings"
)

// formula evaluates a sum of products of numbers and names, such as
// "scale * 100_011 + 1"; a name may have a colon in front, as in a script.
// Datasets say with it how many rows they have, scripts how many they touch.
func formula(text string, value func(name string) (float64, bool)) (float64, error) {
	sum := 0.0
	for _, term := range strings.Split(text, "+") {
		product := 1.0
		for _, factor := range strings.Split(term, "*") {
			factor = strings.TrimSpace(factor)
			v, err := strconv.ParseFloat(strings.ReplaceAll(factor, "_", ""), 64)
			if err != nil {
				var known bool
				if v, known = value(strings.TrimPrefix(factor, ":")); !known {
					return 0, fmt.Errorf("formula %q: %q is neither a number nor a known name", text, factor)
				}
			}
			product *= v
		}
		sum += product
	}
	return sum, nil
}
