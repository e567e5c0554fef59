package plan

import (
	"fmt"
	"math"
	"time"

	"github.com/pgassay/pgassay"
)

// Sizing is the length that Size has chosen.
type Sizing struct {
	// Measure is the length of every trial's measurement.
	Measure time.Duration
	// Arm and Load are the cell that needs the longest measurement, and Shortest
	// is what it needs without any reserve; 0 when no length will do.
	Arm, Load int
	Shortest  time.Duration
	// Capped says that Measure.Max is shorter than that: the estimate's cells
	// say which ones are refused or censored.
	Capped bool
	// Estimation is the estimate of the experiment with that length.
	Estimation Estimation
}

// What a trial may meet beside the prediction, as measured on a shared host: two
// thirds of the rate that a short calibration showed on a fresh table (0.6 to
// 0.8), and a checkpoint under way, which has just written a tenth of the pages
// that vacuum and ANALYZE then dirty again, at the highest price (0.07 to 0.1 of
// a vacuum's, 0.3 of an ANALYZE's). The chosen length is to do for both at once.
const (
	slowRate   = 2.0 / 3
	cleanShare = 0.1
	sizingStep = 10 * time.Second
)

// Size chooses the length of a measurement by cycles of vacuum: the shortest
// multiple of ten seconds in which every cell whose load makes the rows of its
// trigger crosses it, and ends vacuums, as often as asked for, with a reserve as
// far as Measure.Max allows. It needs the rate of every load level.
// The error wraps pgassay.ErrUsage when nothing can be computed.
func Size(e *pgassay.Experiment, f Facts) (Sizing, error) {
	f = f.withDefaults()
	limit := e.Workload.Measure.Max
	for load := range e.Loads {
		if f.tps(load) <= 0 {
			return Sizing{}, fmt.Errorf("%w: the rate at %s is not known", pgassay.ErrUsage, e.Loads[load].Name)
		}
	}
	models, note := models(e, f)
	if note != "" {
		return Sizing{}, fmt.Errorf("%w: workload.measure: the length cannot be chosen by cycles: %s", pgassay.ErrUsage, note)
	}
	out := Sizing{Measure: sizingStep}
	var longest, reserved float64 // seconds: as predicted, and with the reserve
	for _, m := range models {
		if !m.params.Enabled || m.perTransaction() == 0 {
			continue // no length makes it vacuum
		}
		s := m.shortest(m.rows)
		if s > longest {
			longest, out.Arm, out.Load = s, m.arm, m.at
		}
		m.tps, m.clean = m.tps*slowRate, cleanShare
		if slow := m.shortest(m.rows); !math.IsInf(slow, 1) {
			s = max(s, slow)
		}
		reserved = max(reserved, s)
	}
	switch {
	case longest > limit.Seconds():
		out.Measure, out.Capped = limit, true
	default:
		steps := math.Ceil(math.Min(reserved, limit.Seconds()) / sizingStep.Seconds())
		out.Measure = min(time.Duration(max(steps, 1))*sizingStep, limit)
	}
	if !math.IsInf(longest, 1) {
		out.Shortest = seconds(longest)
	}
	sized := *e
	sized.Workload.Measure.Duration = out.Measure
	out.Estimation = Estimate(&sized, f)
	if longest == 0 && len(out.Estimation.Refusals()) == 0 {
		return out, fmt.Errorf("%w: workload.measure: no arm makes a vacuum, so there are no cycles to measure", pgassay.ErrUsage)
	}
	return out, nil
}
