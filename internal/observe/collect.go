package observe

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pgassay/pgassay"
)

// Collect stops the samplers, reads the server's log to its end and returns
// what was seen. Call it after the server has stopped, so that the log is
// complete. It fails only when ctx is cancelled; a server that was lost is
// named in Missing.
func (o *Observer) Collect(ctx context.Context) (Seen, error) {
	select {
	case <-o.rest:
		o.done.Wait() // the last look is short, and the samplers end by themselves
	default:
	}
	o.Close()
	if err := ctx.Err(); err != nil {
		return Seen{}, fmt.Errorf("collect observations: %w", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	lacks := missing{list: slices.Clone(o.missing.list)}
	entries := o.log.read(&lacks)
	end := o.ended
	switch {
	case !o.begun:
		lacks.add("use of CPU: the measurement interval did not begin")
	case end.IsZero():
		lacks.add("use of CPU: the measurement interval did not end; it is known up to the last look")
		end = o.machine.to.at
	}
	if o.failed > 0 {
		lacks.add(fmt.Sprintf("looks at the statistics: %d of %d failed", o.failed, o.failed+o.within(end)))
	}
	seen := Seen{Series: o.series(), Host: o.machine.state()}
	for _, e := range entries {
		if ev, ok := e.Event(o.zero, o.config.Database); ok {
			seen.Events = append(seen.Events, ev)
		}
	}
	seen.Use = o.machine.use(loggedCPU(entries, o.zero, end), o.ours, o.charged)
	seen.Missing = lacks.list
	return seen, nil
}

// within counts the looks at the statistics in the measurement interval.
func (o *Observer) within(end time.Time) int {
	n := 0
	for _, s := range o.samples {
		if !s.at.Before(o.zero) && !s.at.After(end) {
			n++
		}
	}
	return n
}

// series puts the samples on the trial's clock.
func (o *Observer) series() []pgassay.Series {
	all := o.machine.series(o.zero)
	one := func(name pgassay.SeriesName, object string, value func(sample) *float64) {
		s := pgassay.Series{Name: name, Object: object}
		for _, m := range o.samples {
			if v := value(m); v != nil {
				s.At, s.Value = append(s.At, m.at.Sub(o.zero).Nanoseconds()), append(s.Value, *v)
			}
		}
		if len(s.At) > 0 {
			all = append(all, s)
		}
	}
	base := walAt(o.samples, o.zero)
	one(pgassay.SeriesWALBytes, "", func(m sample) *float64 {
		if m.wal == nil {
			return nil
		}
		v := *m.wal - base
		return &v
	})
	one(pgassay.SeriesAutovacuums, "", func(m sample) *float64 { return m.workers })
	for i, object := range o.tables {
		element := func(list []*float64) *float64 {
			if i >= len(list) {
				return nil
			}
			return list[i]
		}
		one(pgassay.SeriesDeadRows, object, func(m sample) *float64 { return element(m.dead) })
		one(pgassay.SeriesLiveRows, object, func(m sample) *float64 { return element(m.live) })
		one(pgassay.SeriesTableBytes, object, func(m sample) *float64 { return element(m.size) })
	}
	return all
}

// walAt is the WAL position at a moment: on the line between the looks around
// it, else that of the nearest look.
func walAt(samples []sample, at time.Time) float64 {
	var before, after *sample
	for i := range samples {
		m := &samples[i]
		switch {
		case m.wal == nil:
		case !m.at.After(at):
			before = m
		case after == nil:
			after = m
		}
	}
	switch {
	case before == nil && after == nil:
		return 0
	case before == nil:
		return *after.wal
	case after == nil:
		return *before.wal
	}
	share := at.Sub(before.at).Seconds() / after.at.Sub(before.at).Seconds()
	return *before.wal + share*(*after.wal-*before.wal)
}
