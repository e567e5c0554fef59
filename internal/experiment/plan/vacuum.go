package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/autovacuum"
	"github.com/pgassay/pgassay/internal/check"
)

// CellVerdict says whether a cell can show what a vacuum setting does.
type CellVerdict string

// The verdicts of a cell.
const (
	CellOK       CellVerdict = "ok"       // its vacuums run and end often enough
	CellCensored CellVerdict = "censored" // its trigger is crossed, but too few vacuums end
	CellRefuse   CellVerdict = "refuse"   // it does not make the rows that its trigger needs
	CellUnknown  CellVerdict = "unknown"  // that depends on the rate, which is not known
	CellInert    CellVerdict = "inert"    // the treated trigger's rows are never made, but another treated setting acts
)

// CellEstimate is one arm at one load level: whether its trials exercise
// autovacuum.
type CellEstimate struct {
	Arm, Load int
	// Table is the one looked at: where the load makes most of the rows.
	Table   string
	Trigger check.Trigger
	// Threshold is the trigger at the start in rows; Needed is three times what
	// exceeds it, Made what a trial makes (0 when the rate is unknown).
	Threshold, Needed, Made float64
	// TPSNeeded is the rate at which a trial makes what is needed (infinite when
	// the scripts make no such rows).
	TPSNeeded float64
	// VacuumS is how long the longest vacuum of a trial is expected to take and
	// VacuumMaxS how long it takes at most, just after a checkpoint. Runs is the
	// expected number of vacuums that end within the measurement.
	VacuumS, VacuumMaxS float64
	Runs                int
	Verdict             CellVerdict
	// Sentence explains any verdict but ok. NearestRows and NearestMeasure would
	// do instead of the experiment's; 0 means that no such number was found.
	Sentence       string
	NearestRows    int64
	NearestMeasure time.Duration
}

// The requirements of the checks V13 and V14, and how far feasible numbers are
// searched for.
const (
	neededRuns    = 3
	neededFills   = 3
	longestSearch = 7 * 24 * time.Hour
)

// vacuumCells estimates every cell; the note says why there are none.
func vacuumCells(e *pgassay.Experiment, f Facts) ([]CellEstimate, string) {
	treated := treatedTriggers(e)
	if len(treated) == 0 {
		return nil, ""
	}
	shape, ok := meanShape(e.Workload.Scripts)
	if !ok {
		return nil, "what the scripts do to the tables is not known, so whether autovacuum will have work cannot be computed"
	}
	if e.Dataset.Rows < 0 {
		return nil, "the number of rows is not known, so whether autovacuum will have work cannot be computed"
	}
	var out []CellEstimate
	for arm := range e.Arms {
		for load := range e.Loads {
			out = append(out, estimateCell(e, f, shape, treated, arm, load))
		}
	}
	return out, ""
}

// treatedTriggers lists the triggers that the arms' differences act through.
func treatedTriggers(e *pgassay.Experiment) []check.Trigger {
	var out []check.Trigger
	add := func(name string) {
		if r, ok := check.RuleFor(name); ok && r.Through == check.ThroughVacuum && !slices.Contains(out, r.Trigger) {
			out = append(out, r.Trigger)
		}
	}
	for i := range e.Arms {
		for _, s := range e.Arms[i].Treatment {
			add(s.Name)
		}
		for _, s := range e.Arms[i].Tables {
			if !slices.Contains(e.Arms[e.Baseline].Tables, s) {
				add(s.Name)
			}
		}
	}
	for _, s := range e.Arms[e.Baseline].Tables {
		if slices.ContainsFunc(e.Arms, func(a pgassay.Arm) bool { return !slices.Contains(a.Tables, s) }) {
			add(s.Name)
		}
	}
	return out
}

// meanShape is what one transaction does on average to the table that most is
// done to; ok is false when a script does not say.
func meanShape(scripts []pgassay.Script) (shape pgassay.TableShape, ok bool) {
	weight := 0.0
	var tables []pgassay.TableShape
	for _, s := range scripts {
		if s.Shape == nil {
			return shape, false
		}
		w := float64(max(s.Weight, 1))
		weight += w
		for _, t := range s.Shape {
			i := slices.IndexFunc(tables, func(o pgassay.TableShape) bool { return o.Table == t.Table })
			if i < 0 {
				tables, i = append(tables, pgassay.TableShape{Table: t.Table}), len(tables)
			}
			tables[i].Inserts += w * t.Inserts
			tables[i].Updates += w * t.Updates
			tables[i].Deletes += w * t.Deletes
		}
	}
	if len(tables) == 0 {
		return shape, false
	}
	most := func(t pgassay.TableShape) float64 { return t.Inserts + t.Updates + t.Deletes }
	for _, t := range tables {
		if most(t) > most(shape) {
			shape = t
		}
	}
	shape.Inserts, shape.Updates, shape.Deletes = shape.Inserts/weight, shape.Updates/weight, shape.Deletes/weight
	return shape, true
}

// cellModel is one cell as the simulation of its trial needs it.
type cellModel struct {
	f       Facts
	rules   autovacuum.Rules
	params  autovacuum.Parameters
	buffers float64 // bytes of shared buffers
	shape   pgassay.TableShape
	trigger check.Trigger
	tps     float64
	warmupS float64
}

func estimateCell(e *pgassay.Experiment, f Facts, shape pgassay.TableShape, treated []check.Trigger, arm, load int) CellEstimate {
	m := cellModel{f: f, rules: autovacuum.For(f.Major), params: armParameters(&e.Arms[arm], shape.Table), shape: shape,
		buffers: 128 << 20, tps: f.tps(load), warmupS: e.Workload.Warmup.Seconds()}
	if n, ok := check.Lookup(e.Arms[arm].Settings)("shared_buffers"); ok {
		m.buffers = n * 8192
	}
	dead, inserts := shape.Updates+shape.Deletes, shape.Inserts
	m.trigger = chooseTrigger(treated, dead, inserts)
	rows := float64(e.Dataset.Rows)
	c := CellEstimate{Arm: arm, Load: load, Table: shape.Table, Trigger: m.trigger, Threshold: m.threshold(rows), TPSNeeded: math.Inf(1)}
	c.Needed = neededFills * (math.Floor(c.Threshold) + 1)
	what := fmt.Sprintf("%q at %s", e.Arms[arm].Name, e.Loads[load].Name)
	perTxn := m.perTransaction()
	length, known := measureS(e, f, load)
	txns := e.Workload.Measure.Transactions
	switch {
	case !m.params.Enabled:
		c.Verdict = CellOK // no vacuum is what this arm is for
		return c
	case perTxn == 0:
		return c.noRows(what, treated, inserts > 0)
	case txns == 0:
		c.TPSNeeded = c.Needed / (perTxn * length)
	}
	if txns > 0 {
		c.Made = float64(txns) * perTxn
	} else {
		c.Made = m.tps * perTxn * length
	}
	if m.tps == 0 || !known {
		return c.unknownRate(what, m, perTxn, txns, rows)
	}
	runs, longest := m.simulate(rows, length)
	c.Runs, c.VacuumS, c.VacuumMaxS = runs, longest.expectedS, longest.mostS
	c.judge(what, m, rows, length)
	return c
}

// armParameters are autovacuum's parameters for a table in an arm.
func armParameters(arm *pgassay.Arm, table string) autovacuum.Parameters {
	options := map[string]string{}
	for _, s := range arm.Tables {
		if s.Table == table || s.Table == "public."+table || "public."+s.Table == table {
			options[s.Name] = s.Value
		}
	}
	server := autovacuum.Read(check.Lookup(arm.Settings))
	p, err := server.ForTable(options)
	if err != nil {
		return server // the decoder has reported a value that cannot be read
	}
	return p
}

// chooseTrigger is the trigger to plan for: the treated one; for settings that
// every vacuum exercises, or when nothing else is made, the one whose rows the
// load makes.
func chooseTrigger(treated []check.Trigger, dead, inserts float64) check.Trigger {
	every := slices.Contains(treated, check.TriggerAny)
	switch {
	case slices.Contains(treated, check.TriggerDead) && (dead > 0 || !every):
		return check.TriggerDead
	case slices.Contains(treated, check.TriggerInsert) && (inserts > 0 || !every):
		return check.TriggerInsert
	case every && dead > 0:
		return check.TriggerDead
	case every:
		return check.TriggerInsert
	}
	return check.TriggerAnalyze
}

func (m cellModel) threshold(rows float64) float64 {
	th := m.rules.Thresholds(autovacuum.Table{Tuples: rows}, m.params)
	switch m.trigger {
	case check.TriggerDead:
		return th.Dead
	case check.TriggerInsert:
		return th.Insert
	}
	return th.Analyze
}

// perTransaction is the number of rows that count for the trigger.
func (m cellModel) perTransaction() float64 {
	switch m.trigger {
	case check.TriggerDead:
		return m.shape.Updates + m.shape.Deletes
	case check.TriggerInsert:
		return m.shape.Inserts
	}
	return m.shape.Inserts + m.shape.Updates + m.shape.Deletes
}

// noRows is the verdict for scripts that never make the trigger's rows.
func (c CellEstimate) noRows(what string, treated []check.Trigger, inserts bool) CellEstimate {
	c.Verdict = CellRefuse
	c.Sentence = fmt.Sprintf("%s: the scripts never make what the treated trigger counts (%s)", what, c.Trigger)
	if c.Trigger == check.TriggerDead && inserts {
		c.Sentence = fmt.Sprintf("%s: an insert-only load makes no dead rows, so the settings of the dead row trigger cannot matter", what)
	}
	if slices.Contains(treated, check.TriggerAny) {
		c.Verdict = CellInert
	}
	return c
}

// unknownRate says what rate is needed.
func (c CellEstimate) unknownRate(what string, m cellModel, perTxn float64, txns int64, rows float64) CellEstimate {
	c.Verdict = CellUnknown
	if txns > 0 {
		if c.Made < c.Needed {
			c.Verdict = CellRefuse
			c.NearestRows = m.feasibleRows(rows, func(n float64) bool { return c.Made >= neededFills*(math.Floor(m.threshold(n))+1) })
			c.Sentence = fmt.Sprintf("%s: a trial makes %s rows of its trigger (%s) and needs %s%s", what, comma(c.Made), c.Trigger, comma(c.Needed), c.nearest())
			return c
		}
		c.Sentence = fmt.Sprintf("%s: how long %s transactions take is not known, so neither is whether vacuums end within them", what, comma(float64(txns)))
		return c
	}
	c.Sentence = fmt.Sprintf("%s: needs at least %s transactions/s: %s rows of its trigger (%s) a trial, %s a transaction",
		what, comma(math.Ceil(c.TPSNeeded)), comma(c.Needed), c.Trigger, strconv.FormatFloat(perTxn, 'g', 3, 64))
	return c
}

// judge gives the verdict when the rate is known, and the nearest numbers that
// would do.
func (c *CellEstimate) judge(what string, m cellModel, rows, length float64) {
	enough := func(rows, length float64) bool {
		if m.tps*m.perTransaction()*length < neededFills*(math.Floor(m.threshold(rows))+1) {
			return false
		}
		runs, _ := m.simulate(rows, length)
		return runs >= neededRuns
	}
	switch {
	case c.Made < c.Needed:
		c.Verdict = CellRefuse
		c.Sentence = fmt.Sprintf("%s: a trial makes %s rows of its trigger (%s) and needs %s", what, comma(c.Made), c.Trigger, comma(c.Needed))
	case c.Runs < neededRuns:
		c.Verdict = CellCensored
		c.Sentence = fmt.Sprintf("%s: %d of %d needed vacuums end within %s; the longest takes about %s", what, c.Runs, neededRuns,
			seconds(length), seconds(c.VacuumS).Round(100*time.Millisecond))
	default:
		c.Verdict = CellOK
		return
	}
	c.NearestRows = m.feasibleRows(rows, func(n float64) bool { return enough(n, length) })
	c.NearestMeasure = feasibleMeasure(length, func(s float64) bool { return enough(rows, s) })
	c.Sentence += c.nearest()
}

// nearest names the numbers that would do.
func (c CellEstimate) nearest() string {
	switch {
	case c.NearestRows > 0 && c.NearestMeasure > 0:
		return fmt.Sprintf("; %s rows or a measure of %v would do", comma(float64(c.NearestRows)), c.NearestMeasure)
	case c.NearestRows > 0:
		return fmt.Sprintf("; %s rows would do", comma(float64(c.NearestRows)))
	case c.NearestMeasure > 0:
		return fmt.Sprintf("; a measure of %v would do", c.NearestMeasure)
	}
	return "; no number of rows and no measure up to a week would do"
}

// feasibleRows finds the largest number of rows below the given one that will
// do, to two digits.
func (m cellModel) feasibleRows(rows float64, do func(float64) bool) int64 {
	for n := twoDigits(rows); n >= 100; n = twoDigits(n * 0.95) {
		if n < rows && do(n) {
			return int64(n)
		}
	}
	return 0
}

// feasibleMeasure finds the shortest whole number of seconds that will do,
// within 5 %.
func feasibleMeasure(length float64, do func(float64) bool) time.Duration {
	for s := math.Ceil(length + 1); s <= longestSearch.Seconds(); s = math.Ceil(s * 1.05) {
		if do(s) {
			return seconds(s)
		}
	}
	return 0
}

// twoDigits rounds down to two digits.
func twoDigits(v float64) float64 {
	if v < 10 {
		return math.Floor(v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Floor(v/unit) * unit
}

func comma(v float64) string { return humanize.Comma(int64(math.Round(v))) }
