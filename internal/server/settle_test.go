package server_test

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgassay/pgassay/internal/server"
)

// TestSettle: a trial waits for the write-back that ends by waiting, and for
// nothing else.
func TestSettle(t *testing.T) {
	const mb = 1 << 20
	falls := func(from, perSecond int64) func(time.Duration) (int64, error) {
		return func(d time.Duration) (int64, error) { return max(0, from-int64(d.Seconds()*float64(perSecond))), nil }
	}
	for _, c := range []struct {
		sentence    string
		before      int64
		dirty       func(since time.Duration) (int64, error)
		least, most time.Duration
	}{
		{"a quiet host", 0, falls(10*mb, 0), 0, 0},
		{"no more than before the copy, though it is much", 900 * mb, falls(900*mb, 0), 0, 0},
		{"write-back that ends", 0, falls(564*mb, 250*mb), 2 * time.Second, 2200 * time.Millisecond},
		{"a neighbour that keeps writing is not waited for", 0, falls(900*mb, 0), time.Second, 1200 * time.Millisecond},
		{"write-back that takes too long", 0, func(d time.Duration) (int64, error) { return int64(100_000 * mb * math.Pow(0.8, d.Seconds())), nil }, 10 * time.Second, 10200 * time.Millisecond},
		{"a host that does not tell", 0, func(time.Duration) (int64, error) { return 0, errors.ErrUnsupported }, 0, 0},
	} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			err := server.Settle(t.Context(), dir, c.before, func() (int64, error) { return c.dirty(time.Since(began)) })
			if took := time.Since(began); err != nil || took < c.least || took > c.most {
				t.Errorf("%s: waited %v (%v), want between %v and %v", c.sentence, took, err, c.least, c.most)
			}
		})
	}
}
