package report

import (
	"encoding/json"
	"fmt"

	"github.com/pgassay/pgassay/internal/analyze"
)

// SchemaVersion is that of results.json. It grows when a field changes its
// meaning or goes away; new fields do not change it.
const SchemaVersion = 1

// JSON is the whole result. Limits of intervals that are not known are null;
// times are nanoseconds and sizes bytes unless a name says otherwise.
func JSON(r *analyze.Result) ([]byte, error) {
	b, err := json.MarshalIndent(struct {
		SchemaVersion int `json:"schema_version"`
		*analyze.Result
	}{SchemaVersion, r}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode results: %w", err)
	}
	return append(b, '\n'), nil
}
