package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

// design reads the design. complete says that the arms are all there, so that
// the baseline can be looked for.
func (b *builder) design(n *node, complete bool) {
	d := &b.f.Experiment.Design
	d.Kind, _ = n.scalar("kind")
	if v, ok := n.get("stop").integer("fixed"); ok {
		d.Stop.FixedBlocks = int(v)
	}
	share := func(key string) float64 {
		text, ok := n.scalar(key)
		if !ok {
			return 0
		}
		f, _ := parseFraction(text) // walk has checked it
		return f
	}
	d.Detect, d.Delta, d.Alpha = share("detect"), share("delta"), share("alpha")
	if n.get("delta") == nil {
		d.Delta = d.Detect / 2
	}
	if v, ok := n.integer("seed"); ok {
		d.Seed = uint64(v)
	}
	reset, _ := n.scalar("reset")
	d.Reset = pgassay.Reset(reset)
	if text, ok := n.scalar("budget"); ok {
		d.Budget, _ = parseDuration(text)
	}
	b.primary(n.get("primary"))
	if complete {
		b.baseline(n.get("baseline"))
	}
}

// primary resolves the comparison that decides.
func (b *builder) primary(n *node) {
	p := &b.f.Experiment.Design.Primary
	metric, _ := n.scalar("metric")
	p.Metric = pgassay.MetricName(metric)
	loads := b.f.Experiment.Loads
	p.Load = max(0, len(loads)-1)
	level, ok := n.integer("level")
	if !ok || len(loads) == 0 {
		return
	}
	p.Load = slices.IndexFunc(loads, func(l pgassay.Load) bool { return int64(l.Clients) == level })
	if p.Load < 0 {
		var names []string
		for _, l := range loads {
			names = append(names, strconv.Itoa(l.Clients))
		}
		b.r.errorf(n.get("level"), "workload.clients has "+strings.Join(names, ", "), "design.primary.level: %d is not a load level", level)
	}
}

// baseline finds the arm that the others are compared with.
func (b *builder) baseline(n *node) {
	e := b.f.Experiment
	switch {
	case n == nil:
		first := slices.IndexFunc(e.Arms, func(a pgassay.Arm) bool { return !slices.ContainsFunc(a.Levels, func(l int) bool { return l != 0 }) })
		e.Baseline = max(0, first)
	case n.kind == scalarKind:
		e.Baseline = slices.IndexFunc(e.Arms, func(a pgassay.Arm) bool { return a.Name == n.text })
		if e.Baseline < 0 {
			var names []string
			for _, a := range e.Arms {
				names = append(names, a.Name)
			}
			b.r.errorf(n, didYouMean(n.text, names), "design.baseline: there is no arm %s", clip(n.text))
		}
	default:
		b.baselineLevels(n)
	}
}

// baselineLevels finds the baseline by levels; a factor that is not named has
// its first level.
func (b *builder) baselineLevels(n *node) {
	e := b.f.Experiment
	levels, ok := make([]int, len(b.factors)), true
	for _, p := range n.pairs {
		i := b.factorNamed(p.at)
		if i < 0 || p.value.kind != scalarKind {
			ok = false
			continue
		}
		if levels[i] = b.levelOf(i, p.value); levels[i] < 0 {
			ok = false
		}
	}
	if !ok {
		return
	}
	e.Baseline = slices.IndexFunc(e.Arms, func(a pgassay.Arm) bool { return len(a.Levels) > 0 && slices.Equal(a.Levels, levels) })
	if e.Baseline < 0 {
		b.r.errorf(n, "take a combination that is not excluded", "design.baseline matches no arm")
	}
}

// defaultInsertThreshold is autovacuum_vacuum_insert_threshold's default in
// every version since 13.
const defaultInsertThreshold = 1000

// warnInsertScale warns of insert scale 0 beside the default threshold: the
// table is then vacuumed after every 1,001 inserts, however large it is.
func (b *builder) warnInsertScale() {
	const scale, threshold = "autovacuum_vacuum_insert_scale_factor", "autovacuum_vacuum_insert_threshold"
	for _, u := range b.f.uses {
		if u.name != scale || canonical(u.value) != "0" {
			continue
		}
		for i, a := range b.f.Experiment.Arms {
			if u.arm >= 0 && u.arm != i || b.overridden(u, a) {
				continue
			}
			value := strconv.Itoa(defaultInsertThreshold)
			for _, s := range a.Settings {
				if s.Name == threshold {
					value = s.Value
				}
			}
			for _, s := range a.Tables {
				if u.table != "" && s.Table == u.table && s.Name == threshold {
					value = s.Value
				}
			}
			if canonical(value) == strconv.Itoa(defaultInsertThreshold) {
				b.r.warnf(u.at, "set "+threshold+" as well", "%s 0 with the threshold %d: a vacuum after every 1,001 inserts, whatever the table's size", scale, defaultInsertThreshold)
			}
		}
	}
}

// overridden says whether an arm has another value than the use's.
func (b *builder) overridden(u use, a pgassay.Arm) bool {
	if u.table != "" {
		return false
	}
	return slices.ContainsFunc(a.Settings, func(s pgassay.Setting) bool { return s.Name == u.name && s.Value != u.value })
}

// String names the use in messages.
func (u use) String() string {
	if u.table != "" {
		return fmt.Sprintf("%s.%s", u.table, u.name)
	}
	return u.name
}
