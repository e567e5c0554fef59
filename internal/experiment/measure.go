package experiment

import (
	"fmt"
	"slices"
	"time"

	"github.com/pgassay/pgassay"
)

// fewestCycles is the least that a trial has to hold: fewer vacuums than this
// and the checks call what a vacuum setting does unexercised.
const fewestCycles = 3

// defaultMaxMeasure bounds the length of a measurement by cycles.
const defaultMaxMeasure = 20 * time.Minute

// cycleOf accepts what a measurement can hold cycles of.
var cycleOf = &scalar{says: pgassay.CycleVacuum, check: func(text string) error {
	switch text {
	case pgassay.CycleVacuum:
		return nil
	case "checkpoint":
		return pgassay.WithHint(fmt.Errorf("does not act yet"), "only cycles of vacuum can be asked for; give a duration that holds the checkpoints")
	}
	return fmt.Errorf("is not something with cycles")
}, schema: map[string]any{"const": pgassay.CycleVacuum}}

var measureType = &typ{
	scalar:  duration(time.Second),
	exactly: []string{"transactions", "cycles"},
	fields: []field{
		{key: "transactions", doc: "Measure until this many transactions were made over all clients.", typ: &typ{scalar: integer(1, 1e12)}},
		{key: "cycles", doc: "Measure until every arm has ended this many cycles. `run` measures the rate first and chooses the length.", typ: &typ{scalar: integer(fewestCycles, 1000)}},
		{key: "of", doc: "What the cycles are of. Default: vacuum.", typ: &typ{scalar: cycleOf}},
		{key: "max", doc: "The longest measurement that cycles may lead to. Default: 20min.", typ: &typ{scalar: duration(time.Second)}},
		{key: "chosen", doc: "The length that a calibration chose for the cycles; written by pgassay. It is not measured again.", typ: &typ{scalar: duration(time.Second)}},
		{key: "because", doc: "How it was chosen; written by pgassay.", typ: &typ{scalar: anyText("a sentence")}},
	},
	says: "a duration such as 60s, {transactions: N}, or {cycles: 3, of: vacuum, max: 20min}",
}

// measure reads how long a trial is measured.
func (b *builder) measure(n *node) {
	m := &b.f.Experiment.Workload.Measure
	if n.kind == scalarKind {
		m.Duration, _ = parseDuration(n.text) // walk has checked it
		return
	}
	m.Transactions, _ = n.integer("transactions")
	cycles, ok := n.integer("cycles")
	if !ok {
		for _, p := range n.keys() {
			if slices.Contains([]string{"of", "max", "chosen", "because"}, p.key) && n.get("transactions") != nil {
				b.r.errorf(p.at, "leave it out, or give cycles instead of transactions", "workload.measure.%s goes with cycles", p.key)
			}
		}
		return
	}
	m.Cycles, m.Of, m.Max = int(cycles), pgassay.CycleVacuum, defaultMaxMeasure
	if text, ok := n.scalar("max"); ok {
		m.Max, _ = parseDuration(text)
	}
	if text, ok := n.scalar("chosen"); ok {
		if m.Duration, _ = parseDuration(text); m.Duration > m.Max {
			b.r.errorf(n.get("chosen"), "leave chosen out to have it chosen again", "workload.measure.chosen is longer than max, %s", formatDuration(m.Max))
		}
	}
	m.Because, _ = n.scalar("because")
}

// Choose fixes the length of a measurement by cycles, in the experiment and in
// its resolved form. because is one line that says how it was chosen.
func (f *File) Choose(length time.Duration, because string) {
	m := &f.Experiment.Workload.Measure
	m.Duration, m.Because = length, because
	n := f.tree.get("workload").get("measure")
	n.set("chosen", formatDuration(length))
	n.set("because", because)
}
