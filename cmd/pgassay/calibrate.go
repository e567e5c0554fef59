package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/experiment/plan"
	"github.com/pgassay/pgassay/internal/lab"
)

// calibrateFor is how long the rate of a load level is measured, after the
// workload's warm-up.
const calibrateFor = 10 * time.Second

// calibrate chooses the length of a measurement by cycles: it measures the
// baseline's rate at every load level, computes the length, fixes it in the
// experiment and in the plan to announce. Any other experiment is left as it is.
func (r *running) calibrate(ctx context.Context, p *prepared) error {
	if !r.exp.Workload.Measure.ToChoose() {
		return nil
	}
	facts, err := r.measureFacts(ctx, p.bench.facts())
	if err != nil {
		return err
	}
	sizing, err := plan.Size(r.exp, facts)
	if err != nil {
		return err
	}
	because := sizingLine(r.exp, facts, sizing)
	p.file.Choose(sizing.Measure, because)
	p.plan = sizing.Estimation // announced with the reason, see chooseLines
	r.chosen = because
	return nil
}

// measureFacts adds to what is known of this host the rate at every load level,
// the tables, and what a trial takes around its measurement.
func (r *running) measureFacts(ctx context.Context, facts plan.Facts) (_ plan.Facts, err error) {
	ctx, cancel := r.untilFinish(ctx)
	defer cancel()
	scratch, err := os.MkdirTemp("", "pgassay-calibrate-")
	if err != nil {
		return facts, fmt.Errorf("calibrate: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	target, _, err := r.bench.open(ctx, r.exp, &runDir{path: scratch}, false)
	if err != nil {
		return facts, err
	}
	local := &lab.Local{Experiment: r.exp, Target: target, Loader: loader{}, Sink: r.screen.progress, Now: time.Now}
	for i := range r.exp.Loads {
		load := &r.exp.Loads[i]
		r.say(fmt.Sprintf("calibrating at %s, %s", load.Name, duration(r.exp.Workload.Warmup+calibrateFor)))
		c, err := local.Calibrate(ctx, &r.exp.Arms[r.exp.Baseline], load, calibrateFor)
		if err != nil {
			return facts, fmt.Errorf("calibrate at %s: %w", load.Name, err)
		}
		facts.TPS = append(facts.TPS, c.TPS)
		facts.Relations = c.Relations
		facts.RestoreS, facts.StartS, facts.StopS = c.Phases.RestoreS+c.Phases.SettleS, c.Phases.StartS, c.Phases.StopS
	}
	return facts, nil
}

// untilFinish is a context that the first ^C ends too: before the first trial
// there is nothing to finish.
func (r *running) untilFinish(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-r.in.finish:
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// sizingLine says in one line how the length was chosen.
func sizingLine(e *pgassay.Experiment, f plan.Facts, s plan.Sizing) string {
	var rates []string
	for i, l := range e.Loads {
		rate := thousands(round2(f.TPS[i]))
		if i == 0 {
			rate += " transactions/s"
		}
		rates = append(rates, rate+" at "+l.Name)
	}
	m := e.Workload.Measure
	text := fmt.Sprintf("measured %s: each trial measures %s", strings.Join(rates, ", "), duration(s.Measure))
	slowest := fmt.Sprintf("%q at %s", e.Arms[s.Arm].Name, e.Loads[s.Load].Name)
	switch {
	case s.Capped && s.Shortest > 0:
		return text + fmt.Sprintf(", the most allowed; %s needs %s for %d %ss", slowest, duration(s.Shortest), m.Cycles, m.Of)
	case s.Capped:
		return text + fmt.Sprintf(", the most allowed; %s never ends %d %ss", slowest, m.Cycles, m.Of)
	}
	return text + fmt.Sprintf(" so that every arm ends %d %ss; the slowest (%s) needs %s, the rest is reserve", m.Cycles, m.Of, slowest, duration(s.Shortest))
}

// round2 rounds a rate to two digits: it was measured for seconds only.
func round2(v float64) float64 {
	unit := 1.0
	for v/unit >= 100 {
		unit *= 10
	}
	return float64(int64(v/unit+0.5)) * unit
}

// assumedRates are those for which `check` computes the length of a measurement
// by cycles, where nothing is measured.
var assumedRates = []float64{1_000, 5_000, 20_000}

// chooseLines says how long a measurement by cycles would be at assumed rates.
func chooseLines(e *pgassay.Experiment, facts plan.Facts) []string {
	m := e.Workload.Measure
	if m.Because != "" {
		return []string{m.Because}
	}
	if !m.ToChoose() {
		return nil
	}
	var would []string
	for _, rate := range assumedRates {
		facts.TPS = nil
		for range e.Loads {
			facts.TPS = append(facts.TPS, rate)
		}
		s, err := plan.Size(e, facts)
		if err != nil {
			return []string{err.Error()}
		}
		text := fmt.Sprintf("%s at %s transactions/s", duration(s.Measure), thousands(rate))
		if s.Capped {
			text += " (not enough)"
		}
		would = append(would, text)
	}
	return []string{fmt.Sprintf("each trial measures until %d %ss end in every arm, at most %s; the run measures the rate first, then chooses: %s",
		m.Cycles, m.Of, duration(m.Max), strings.Join(would, ", "))}
}
