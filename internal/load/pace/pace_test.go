package pace_test

import (
	"testing"
	"time"

	"github.com/pgassay/pgassay/internal/load/pace"
)

// TestClosed holds the closed model's arrivals against its rule.
func TestClosed(t *testing.T) {
	for _, c := range []struct {
		says    string
		pacer   pace.Closed
		elapsed time.Duration
		want    pace.Arrival
	}{
		{"the first transaction begins at once", pace.Closed{For: time.Second}, 0, pace.Arrival{}},
		{"the next begins when the client is free", pace.Closed{For: time.Second}, 300 * time.Millisecond, pace.Arrival{Start: 300 * time.Millisecond}},
		{"none begins at the end", pace.Closed{For: time.Second}, time.Second, pace.Arrival{Start: time.Second, Last: true}},
		{"without an end it goes on", pace.Closed{}, time.Hour, pace.Arrival{Start: time.Hour}},
	} {
		if got := c.pacer.Next(c.elapsed, 1); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.says, got, c.want)
		}
	}
}
