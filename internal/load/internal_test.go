package load

import (
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// TestQuota: however many clients take at once, the chunks add up to the quota,
// and what is given back is taken again.
func TestQuota(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 100_000).Draw(t, "transactions")
		clients := rapid.IntRange(1, 16).Draw(t, "clients")
		q := newQuota(n, clients)
		var sum atomic.Int64
		var wg sync.WaitGroup
		for i := range clients {
			wg.Go(func() {
				for first := true; ; first = false {
					k := q.take()
					if k == 0 {
						return
					}
					if k < 0 || k > quotaChunk {
						panic("chunk out of range")
					}
					if i == 0 && first { // this client is lost
						q.giveBack(k)
						return
					}
					sum.Add(k)
				}
			})
		}
		wg.Wait()
		for k := q.take(); k > 0; k = q.take() {
			sum.Add(k)
		}
		if sum.Load() != n {
			t.Errorf("%d clients took %d of %d", clients, sum.Load(), n)
		}
	})
}

// TestNextSecond: steps are at full seconds on the trial's clock, never closer
// than half a second.
func TestNextSecond(t *testing.T) {
	const ms = int64(1e6)
	for _, c := range []struct {
		says     string
		at, want int64
	}{
		{"the start of the measurement is no step of its own", 0, 1000 * ms},
		{"a step that came a little late", 1003 * ms, 2000 * ms},
		{"one that is too near is skipped", 1600 * ms, 3000 * ms},
		{"the warm-up counts down", -2800 * ms, -2000 * ms},
		{"and reaches zero", -1000 * ms, 0},
	} {
		if got := nextSecond(c.at); got != c.want {
			t.Errorf("%s: after %d ms got %d ms, want %d ms", c.says, c.at/ms, got/ms, c.want/ms)
		}
	}
}

// TestRunQueueP99: the nearest rank, and -1 without a step.
func TestRunQueueP99(t *testing.T) {
	q := runQueue{}
	if got := q.p99(); got != -1 {
		t.Errorf("without a step: got %d, want -1", got)
	}
	for i := range int64(200) {
		q.means = append(q.means, 200-i)
	}
	if got := q.p99(); got != 198 {
		t.Errorf("of 1 … 200: got %d, want 198", got)
	}
}
