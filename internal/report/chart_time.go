package report

import (
	"math"
	"slices"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// timeline is the trial that stands for an arm at the primary load level.
func (v *view) timeline(arm int) *analyze.Timeline {
	for i := range v.Timelines {
		if v.Timelines[i].Arm == arm && v.Timelines[i].Load == v.e.Design.Primary.Load {
			return &v.Timelines[i]
		}
	}
	return nil
}

// seconds rounds a time of a trial's clock to a millisecond.
func seconds(ns int64) float64 { return math.Round(float64(ns)/1e6) / 1e3 }

// throughputTime shows throughput over the seconds of one trial per arm, with
// checkpoints and autovacuum runs; nil when no trial has the series.
func (v *view) throughputTime() *figure {
	c := &chart{Columns: 1, Stacked: true, Height: 84, Time: true}
	var xs, ys extent
	for a := range v.e.Arms {
		t := v.timeline(a)
		if t == nil {
			continue
		}
		p := panel{Title: v.labels[a]}
		if a == v.e.Baseline && len(v.e.Arms) > 1 {
			p.Title += " (baseline)"
		}
		for _, s := range t.Series {
			if s.Name != pgassay.SeriesTPS || len(s.At) == 0 {
				continue
			}
			l := v.styles[a].line(v.labels[a])
			l.Dash = false
			l.Points = points(s, &xs, &ys)
			p.Series = append(p.Series, l)
		}
		if len(p.Series) == 0 {
			continue
		}
		p.Spans = marks(t, xs)
		c.Panels = append(c.Panels, p)
	}
	if len(c.Panels) == 0 {
		return nil
	}
	c.Y, _ = linear("transactions per second", "", 0, ys.hi)
	c.Y.Ticks = thinned(c.Y.Ticks)
	c.X = clock(xs)
	return &figure{File: "throughput-time", Title: "Throughput over time at " + v.load(), Chart: c,
		Caption: "One trial per arm: the one whose throughput is nearest the arm's mean." + c.explainMarks(),
		Alt:     "Chart of transactions per second over the seconds of a trial, one panel per arm, with checkpoints and autovacuum runs marked."}
}

// points is a series as points of a chart; what is not a number is left out.
func points(s pgassay.Series, xs, ys *extent) [][]float64 {
	var out [][]float64
	for i := range min(len(s.At), len(s.Value)) {
		if !finite(s.Value[i]) {
			continue
		}
		x, y := seconds(s.At[i]), clean(s.Value[i])
		out = append(out, []float64{x, y})
		xs.add(x)
		ys.add(y)
	}
	return out
}

// marks are what happened in a trial, cut to what its series cover.
func marks(t *analyze.Timeline, xs extent) []span {
	var out []span
	if xs.lo < 0 {
		out = append(out, span{"warmup", xs.lo, 0})
	}
	for _, e := range t.Events {
		kind := ""
		switch e.Kind {
		case pgassay.EventCheckpoint:
			kind = "checkpoint"
		case pgassay.EventAutovacuum:
			kind = "autovacuum"
		}
		from, to := math.Max(seconds(e.At-e.Duration), xs.lo), math.Min(seconds(e.At), xs.hi)
		if kind == "" || to < from {
			continue
		}
		out = append(out, span{kind, from, to})
	}
	return out
}

// explainMarks says what the colours of the marks mean, those that there are.
func (c *chart) explainMarks() string {
	out := ""
	for _, k := range []struct{ kind, text string }{
		{"warmup", " Grey: warm-up, not counted."}, {"checkpoint", " Amber: a checkpoint at work."},
		{"autovacuum", " Violet at the foot: autovacuum runs that ended within the trial."},
	} {
		if slices.ContainsFunc(c.Panels, func(p panel) bool {
			return slices.ContainsFunc(p.Spans, func(s span) bool { return s.Kind == k.kind })
		}) {
			out += k.text
		}
	}
	return out
}

// thinned keeps the first, the middle and the last tick: a low panel has no
// room for more.
func thinned(t []tick) []tick {
	if len(t)%2 == 1 && len(t) > 3 {
		return []tick{t[0], t[len(t)/2], t[len(t)-1]}
	}
	if len(t) > 3 {
		return []tick{t[0], t[len(t)-1]}
	}
	return t
}

// deadRowsTime shows the dead rows of all tables together over one trial per
// arm; nil when they were not looked at, or there were none.
func (v *view) deadRowsTime() *figure {
	c := &chart{Columns: 3, Height: 230, Time: true}
	var xs, ys extent
	for _, g := range v.panels {
		p := panel{Title: g.title}
		for _, a := range g.arms {
			t := v.timeline(a)
			if t == nil {
				continue
			}
			l := v.styles[a].line(v.labels[a])
			l.Label, l.Step = v.within(g, a), true
			l.Points = points(total(t.Series, pgassay.SeriesDeadRows), &xs, &ys)
			if len(l.Points) > 0 {
				p.Series = append(p.Series, l)
			}
		}
		if len(p.Series) > 0 {
			if xs.lo < 0 {
				p.Spans = []span{{"warmup", xs.lo, 0}}
			}
			c.Panels = append(c.Panels, p)
		}
	}
	if len(c.Panels) == 0 || ys.hi == 0 {
		return nil
	}
	c.Y, _ = linear("dead rows", "", 0, ys.hi)
	c.X = clock(xs)
	return &figure{File: "dead-rows-time", Title: "Dead rows over time at " + v.load(), Chart: c,
		Caption: "All tables of the dataset together, in the same trials as above. PostgreSQL's own count (n_dead_tup), which it reports with a delay: a drop is a vacuum that ended.",
		Alt:     "Chart of dead rows over the seconds of a trial, one line per arm."}
}

// noDeadRows says that dead rows were looked at and that there were none.
func (v *view) noDeadRows() bool {
	seen := false
	for a := range v.e.Arms {
		t := v.timeline(a)
		if t == nil {
			continue
		}
		for _, n := range total(t.Series, pgassay.SeriesDeadRows).Value {
			if seen = true; n != 0 {
				return false
			}
		}
	}
	return seen
}

// total adds up the series of one name over their objects: at each moment the
// last known value of every object.
func total(list []pgassay.Series, name pgassay.SeriesName) pgassay.Series {
	sum := pgassay.Series{Name: name}
	type change struct {
		at    int64
		delta float64
	}
	var changes []change
	for _, s := range list {
		if s.Name != name {
			continue
		}
		last := 0.0
		for i := range min(len(s.At), len(s.Value)) {
			if finite(s.Value[i]) {
				changes = append(changes, change{s.At[i], s.Value[i] - last})
				last = s.Value[i]
			}
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return int(min(max(a.at-b.at, -1), 1)) })
	value := 0.0
	for _, c := range changes {
		value += c.delta
		if n := len(sum.At); n > 0 && sum.At[n-1] == c.at {
			sum.Value[n-1] = value
			continue
		}
		sum.At, sum.Value = append(sum.At, c.at), append(sum.Value, value)
	}
	return sum
}
