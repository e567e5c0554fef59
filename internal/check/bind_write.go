package check

import (
	"fmt"
	"math"
)

// The functions of this file are those of the settings outside autovacuum.

func checkpointSeen(c contrast, t treated) finding {
	if !c.any(func(f *facts) bool { return f.logged }) {
		return unclear("checkpoints were not seen")
	}
	arm, n := c.best(func(f *facts) float64 { return float64(max(f.checkpoints, f.requested)) })
	if n == 0 {
		return bad(fmt.Sprintf("%s could not act: no checkpoint fell into the measurement in any arm", t))
	}
	return good(fmt.Sprintf("%s had %s checkpoints a trial", c.armName(arm), count(n)))
}

func requestedSeen(c contrast, t treated) finding {
	if !c.any(func(f *facts) bool { return f.logged }) {
		return unclear("checkpoints were not seen")
	}
	arm, n := c.best(func(f *facts) float64 { return float64(f.requested) })
	if n == 0 {
		return bad(fmt.Sprintf("%s could not act: the WAL written started no checkpoint in any arm", t))
	}
	return good(fmt.Sprintf("WAL started %s checkpoints a trial in %s", count(n), c.armName(arm)))
}

// counted looks at a counter that has to grow in some arm.
func (c contrast) counted(t treated, counter, what string) finding {
	known := c.any(func(f *facts) bool { _, ok := f.counters[counter]; return ok })
	if !known {
		return unclear(fmt.Sprintf("the counter %s was not seen", counter))
	}
	arm, n := c.best(func(f *facts) float64 { return f.counters[counter] })
	if n <= 0 {
		return bad(fmt.Sprintf("%s could not act: no %s in any arm", t, what))
	}
	return good(fmt.Sprintf("%s had %s %s a trial", c.armName(arm), count(n), what))
}

func imagesWritten(c contrast, t treated) finding {
	return c.counted(t, "wal_fpi", "full page images")
}
func walWritten(c contrast, t treated) finding { return c.counted(t, "wal_bytes", "bytes of WAL") }
func spilled(c contrast, t treated) finding {
	return c.counted(t, "temp_bytes", "bytes of temporary files")
}

// is says whether a setting has a value in some trial; known is false when no
// trial has the setting.
func (c contrast) is(name string, test func(value string) bool) (some, known bool) {
	some = c.any(func(f *facts) bool { s, ok := f.settings[name]; return ok && test(s.Setting) })
	known = c.any(func(f *facts) bool { _, ok := f.settings[name]; return ok })
	return some, known
}

func isOn(v string) bool { on, ok := Bool(v); return ok && on }

// needs is the finding for a setting that acts only beside another one.
func (c contrast) needs(t treated, name, why string, test func(string) bool, then func() finding) finding {
	some, known := c.is(name, test)
	switch {
	case !known:
		return unclear(fmt.Sprintf("%s was not seen", name))
	case !some:
		return bad(fmt.Sprintf("%s could not act: %s in every arm", t, why))
	}
	return then()
}

func walFlushed(c contrast, t treated) finding {
	return c.needs(t, "fsync", "fsync is off", isOn, func() finding { return walWritten(c, t) })
}

func asynchronous(c contrast, t treated) finding {
	off := func(v string) bool { on, ok := Bool(v); return ok && !on }
	return c.needs(t, "synchronous_commit", "synchronous_commit is not off", off, func() finding { return walWritten(c, t) })
}

func delayUsed(c contrast, t treated) finding {
	return walAfter(c, t, "commit_delay", "commit_delay is 0", func(v string) bool { return v != "0" })
}

func walAfter(c contrast, t treated, name, why string, test func(string) bool) finding {
	return c.needs(t, name, why, test, func() finding { return walFlushed(c, t) })
}

func siblingsReached(c contrast, t treated) finding {
	clients, siblings := 0, math.Inf(1)
	for _, cell := range c.cells {
		for _, f := range cell {
			clients = max(clients, c.e.Loads[f.rec.Order.Load].Clients)
			if n, ok := inForce(f.settings)("commit_siblings"); ok {
				siblings = math.Min(siblings, n)
			}
		}
	}
	if float64(clients) < siblings+1 && !math.IsInf(siblings, 1) {
		return bad(fmt.Sprintf("%s could not act: %d clients never are %s others (commit_siblings) and one more", t, clients, count(siblings)))
	}
	return walFlushed(c, t)
}

func largerThanBuffers(c contrast, t treated) finding {
	if !c.sawTables() {
		return unclear("the tables' sizes were not seen")
	}
	data, buffers := 0.0, math.Inf(1)
	for _, cell := range c.cells {
		for _, f := range cell {
			sum := 0.0
			for _, v := range f.tables.views {
				sum += v.bytes
			}
			data = math.Max(data, sum)
			if n, ok := inForce(f.settings)(t.name); ok {
				buffers = math.Min(buffers, n*8192)
			}
		}
	}
	if math.IsInf(buffers, 1) {
		return unclear("shared_buffers was not seen")
	}
	text := fmt.Sprintf("%s MB of tables and indexes, %s MB of buffers in the smaller arm", count(data/1e6), count(buffers/1e6))
	if data <= buffers {
		return bad(fmt.Sprintf("%s could not act: everything fits into every arm's buffers (%s)", t, text))
	}
	return good(text)
}
