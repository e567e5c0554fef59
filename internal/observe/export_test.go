package observe

import (
	"errors"
	"testing"
	"time"
)

// Await waits until the samplers have failed (or succeeded) n times more; it
// fails after a minute.
func (o *Observer) Await(tb testing.TB, failed bool, n int) {
	tb.Helper()
	count := func() int {
		o.mu.Lock()
		defer o.mu.Unlock()
		if failed {
			return o.failed
		}
		return len(o.samples)
	}
	want := count() + n
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for count() < want {
		select {
		case <-tick.C:
		case <-limit:
			tb.Fatal(errors.New("the samplers did not get on within a minute"))
		}
	}
}

// Cost returns the looks at the statistics within the interval and the
// server's CPU seconds for them; call it after Collect.
func (o *Observer) Cost() (looks int, serverS, allS float64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.within(o.ended), o.machine.session.total(), o.charged
}
