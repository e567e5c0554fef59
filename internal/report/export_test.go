package report

import (
	"encoding/json"

	"github.com/pgassay/pgassay/internal/analyze"
)

// ChartCount makes the charts of a report as data and encodes them, as the page
// and the painter need them; it returns how many there are.
func ChartCount(r *analyze.Result) (int, error) {
	figures := compose(r).figures()
	for _, f := range figures {
		if _, err := json.Marshal(f.Chart); err != nil {
			return 0, err
		}
	}
	return len(figures), nil
}
