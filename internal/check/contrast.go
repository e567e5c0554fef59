package check

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/stats"
)

// facts is one valid trial, worked out.
type facts struct {
	rec      *pgassay.TrialRecord
	settings map[string]pgassay.SettingState
	tables   tableViews
	runs     []MaintenanceRun // that ended within the measurement
	censored int              // vacuums at work at its end
	// checkpoints ended and requested began within the measurement.
	checkpoints, requested int
	// logged says that checkpoints could have been seen.
	logged   bool
	counters map[string]float64 // what was added to each between the snapshots
}

func newFacts(rec *pgassay.TrialRecord) *facts {
	f := &facts{rec: rec, settings: settingsByName(rec.Settings), tables: newTableViews(rec), counters: map[string]float64{}}
	for name, after := range rec.After.Counters {
		if before, ok := rec.Before.Counters[name]; ok {
			f.counters[name] = after - before
		}
	}
	within := func(e pgassay.Event) bool { return e.At >= 0 && e.At <= rec.MeasuredNS }
	for _, m := range Attribute(rec) {
		e := m.Event
		if within(e) {
			f.runs = append(f.runs, m)
		} else if e.At > rec.MeasuredNS && e.At-e.Duration < rec.MeasuredNS {
			f.censored++
		}
	}
	f.censored = max(f.censored, workersAtEnd(rec))
	for _, e := range rec.Events {
		switch {
		case !within(e):
		case e.Kind == pgassay.EventCheckpoint:
			f.checkpoints++
		case e.Kind == pgassay.EventCheckpointStart && !strings.Contains(e.Text, "time"):
			f.requested++
		}
	}
	n, counted := f.counters["checkpoints_requested"]
	f.requested = max(f.requested, int(n))
	f.logged = counted || f.checkpoints > 0
	return f
}

// workersAtEnd is the number of autovacuum workers when the measurement ended.
func workersAtEnd(rec *pgassay.TrialRecord) int {
	n := 0
	for _, s := range rec.Series {
		if s.Name != pgassay.SeriesAutovacuums {
			continue
		}
		for i, at := range s.At {
			if at <= rec.MeasuredNS {
				n = int(s.Value[i])
			}
		}
	}
	return n
}

// treated is one thing that differs within a contrast.
type treated struct {
	name  string // the parameter
	table string // for a storage parameter
	rule  Rule
	known bool // the rule is one of the table's
	// is says what it is when it is no parameter: "variable", "postgres", ….
	is string
}

func (t treated) String() string {
	if t.table != "" {
		return t.table + "." + t.name
	}
	return t.name
}

// subject is what a check of the run speaks of: a factor over all arms, or an
// arm against the baseline.
type subject struct {
	factor  string
	arms    []int
	treated []treated
}

// contrast is a subject at some load levels.
type contrast struct {
	subject
	e     *pgassay.Experiment
	cells map[int][]*facts // by arm
}

// finding is what looking at one thing gave.
type finding struct {
	status pgassay.CheckStatus
	text   string
	// severity replaces the check's own when not empty.
	severity pgassay.Severity
	// margin orders findings from the worst to the best.
	margin  float64
	numbers []pgassay.Number
}

func good(text string) finding    { return finding{status: pgassay.CheckPassed, text: text} }
func bad(text string) finding     { return finding{status: pgassay.CheckFailed, text: text} }
func unclear(text string) finding { return finding{status: pgassay.CheckNotEvaluated, text: text} }

// run is the evidence of a run, worked out once.
type run struct {
	RunEvidence
	cells    map[[2]int][]*facts // by arm and load
	subjects []subject
}

func newRun(e RunEvidence) *run {
	r := &run{RunEvidence: e, cells: map[[2]int][]*facts{}}
	for _, rec := range e.Trials {
		if rec.Outcome == pgassay.OutcomeValid {
			k := [2]int{rec.Order.Arm, rec.Order.Load}
			r.cells[k] = append(r.cells[k], newFacts(rec))
		}
	}
	r.subjects = subjects(e.Experiment)
	return r
}

// eachContrast applies a check to every subject: at each load level, and once
// for all levels where they agree.
func (r *run) eachContrast(i Info, look func(contrast) finding) []pgassay.CheckResult {
	if len(r.subjects) == 0 {
		return []pgassay.CheckResult{i.unknown(i.result(), "there is one arm only, so nothing is compared")}
	}
	var out []pgassay.CheckResult
	for _, s := range r.subjects {
		out = append(out, r.eachLoad(i, s, look)...)
	}
	return out
}

func (r *run) eachLoad(i Info, s subject, look func(contrast) finding) []pgassay.CheckResult {
	var found []finding
	for load := range r.Experiment.Loads {
		c := contrast{subject: s, e: r.Experiment, cells: map[int][]*facts{}}
		for _, arm := range s.members(r.Experiment) {
			if cell := r.cells[[2]int{arm, load}]; len(cell) > 0 {
				c.cells[arm] = cell
			}
		}
		if len(c.cells) < 2 {
			found = append(found, unclear("fewer than two arms have a valid trial"))
			continue
		}
		found = append(found, look(c))
	}
	agree := !slices.ContainsFunc(found, func(f finding) bool { return f.status != found[0].status || f.severity != found[0].severity })
	if agree && len(found) > 0 {
		worst := 0
		for l := range found {
			if found[l].margin < found[worst].margin {
				worst = l
			}
		}
		f := found[worst]
		if len(found) > 1 && f.status != pgassay.CheckNotEvaluated {
			f.text += fmt.Sprintf(" (at %s; the same holds at all %d load levels)", r.Experiment.Loads[worst].Name, len(found))
		}
		return []pgassay.CheckResult{s.finish(i, f, -1)}
	}
	var out []pgassay.CheckResult
	for l, f := range found {
		f.text = "at " + r.Experiment.Loads[l].Name + ": " + f.text
		out = append(out, s.finish(i, f, l))
	}
	return out
}

// members are the arms of a subject.
func (s subject) members(e *pgassay.Experiment) []int {
	if s.arms != nil {
		return s.arms
	}
	all := make([]int, len(e.Arms))
	for i := range all {
		all[i] = i
	}
	return all
}

func (s subject) finish(i Info, f finding, load int) pgassay.CheckResult {
	c := i.result()
	c.Factor, c.Arms, c.Load = s.factor, slices.Clone(s.arms), load
	if f.severity != "" {
		c.Severity = f.severity
	}
	switch f.status {
	case pgassay.CheckFailed:
		return i.failed(c, f.text, f.numbers...)
	case pgassay.CheckPassed:
		return i.passed(c, f.text, f.numbers...)
	}
	return i.unknown(c, f.text)
}

// median is the median over a cell's trials.
func median(cell []*facts, of func(*facts) float64) float64 {
	v := make([]float64, len(cell))
	for i, f := range cell {
		v[i] = of(f)
	}
	return stats.Median(v)
}

// members lists the arms that have trials, ascending.
func (c contrast) members() []int { return slices.Sorted(maps.Keys(c.cells)) }

// best returns the arm with the highest median and the median.
func (c contrast) best(of func(*facts) float64) (arm int, value float64) {
	arm, value = -1, math.Inf(-1)
	for _, a := range c.members() {
		if m := median(c.cells[a], of); m > value {
			arm, value = a, m
		}
	}
	return arm, value
}

// any says whether some trial has the property.
func (c contrast) any(has func(*facts) bool) bool {
	for _, cell := range c.cells {
		if slices.ContainsFunc(cell, has) {
			return true
		}
	}
	return false
}

// armName names an arm for a sentence.
func (c contrast) armName(arm int) string { return strconv.Quote(c.e.Arms[arm].Name) }

// count writes a number of things with thousands separated.
func count(v float64) string {
	return strings.TrimSuffix(humanize.CommafWithDigits(math.Round(v*10)/10, 1), ".0")
}

func percent(share float64) string { return fmt.Sprintf("%.2g %%", 100*share) }
