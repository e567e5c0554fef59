package plan

import (
	"fmt"
	"math"
	"slices"
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
	// Threshold is the trigger at the start in rows; Needed is what crosses it
	// three times (or as many cycles as are asked for), Made what a trial makes (0 when the rate is unknown).
	Threshold, Needed, Made float64
	// TPSNeeded is the rate at which a trial makes what is needed (infinite when
	// the scripts make no such rows).
	TPSNeeded float64
	// VacuumS is how long the longest vacuum of a trial is expected to take and
	// VacuumMaxS how long it takes at most, just after a checkpoint. Runs is the
	// expected number of vacuums that end within the measurement and were started
	// by the treated trigger, where one is treated; Others that of the rest.
	VacuumS, VacuumMaxS float64
	Runs, Others        int
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
	longestSearch = 7 * 24 * time.Hour
)

// vacuumCells estimates every cell; the note says why there are none.
func vacuumCells(e *pgassay.Experiment, f Facts) ([]CellEstimate, string) {
	if e.Workload.Measure.Cycles == 0 && len(treatedTriggers(e)) == 0 {
		return nil, ""
	}
	models, note := models(e, f)
	var out []CellEstimate
	for _, m := range models {
		out = append(out, m.estimate(e))
	}
	return out, note
}

// models makes the model of every cell, arms outermost; the note says why there
// are none. Where no setting that acts through vacuum is treated, any vacuum
// counts.
func models(e *pgassay.Experiment, f Facts) ([]cellModel, string) {
	table, ok := meanLoad(e.Workload.Scripts)
	if !ok {
		return nil, "what the scripts do to the tables is not known, so whether autovacuum will have work cannot be computed"
	}
	if slices.ContainsFunc(e.Arms, func(a pgassay.Arm) bool { return startRows(e, &a) < 0 }) {
		return nil, "the number of rows is not known, so whether autovacuum will have work cannot be computed"
	}
	treated := treatedTriggers(e)
	if len(treated) == 0 {
		treated = []check.Trigger{check.TriggerAny}
	}
	f = f.ofTable(table.table)
	var out []cellModel
	for arm := range e.Arms {
		for load := range e.Loads {
			out = append(out, model(e, f, table, treated, arm, load))
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

// cellModel is one cell as the simulation of its trial needs it.
type cellModel struct {
	arm, at int // which cell
	rows    float64
	treated []check.Trigger
	f       Facts
	rules   autovacuum.Rules
	params  autovacuum.Parameters
	buffers float64 // bytes of shared buffers
	load    tableLoad
	trigger check.Trigger
	exact   bool // only vacuums that this trigger starts exercise what is treated
	tps     float64
	warmupS float64
	needed  int     // crossings of the trigger, and vacuums that end
	clean   float64 // the share of cached pages that a checkpoint has just written
}

// startRows is the number of rows that an arm's dataset starts with, -1 when
// unknown.
func startRows(e *pgassay.Experiment, arm *pgassay.Arm) int64 {
	if arm.Dataset.Rows != 0 {
		return arm.Dataset.Rows
	}
	return e.Dataset.Rows
}

// model is the model of one cell, planned for the treated trigger or the one
// whose rows the load makes.
func model(e *pgassay.Experiment, f Facts, table tableLoad, treated []check.Trigger, arm, load int) cellModel {
	m := cellModel{arm: arm, at: load, rows: float64(startRows(e, &e.Arms[arm])), treated: treated, f: f, rules: autovacuum.For(f.Major), params: armParameters(&e.Arms[arm], table.table), load: table,
		buffers: 128 << 20, tps: f.tps(load), warmupS: e.Workload.Warmup.Seconds(), needed: neededRuns}
	if n, ok := check.Lookup(e.Arms[arm].Settings)("shared_buffers"); ok {
		m.buffers = n * pageBytes
	}
	if c := e.Workload.Measure.Cycles; c > 0 {
		m.needed = c
	}
	m.trigger = chooseTrigger(treated, table.updates+table.deletes, table.inserts)
	m.exact = slices.Contains(treated, m.trigger)
	return m
}

// neededRows is the number of rows that cross the trigger as often as needed.
func (m cellModel) neededRows(rows float64) float64 {
	return float64(m.needed) * (math.Floor(m.threshold(rows)) + 1)
}

func (m cellModel) estimate(e *pgassay.Experiment) CellEstimate {
	rows := m.rows
	c := CellEstimate{Arm: m.arm, Load: m.at, Table: m.load.table, Trigger: m.trigger, Threshold: m.threshold(rows), TPSNeeded: math.Inf(1)}
	c.Needed = m.neededRows(rows)
	what := fmt.Sprintf("%q at %s", e.Arms[m.arm].Name, e.Loads[m.at].Name)
	perTxn := m.perTransaction()
	length, known := measureS(e, m.f, m.at)
	measure := e.Workload.Measure
	switch {
	case !m.params.Enabled:
		c.Verdict = CellOK // no vacuum is what this arm is for
		return c
	case perTxn == 0:
		return c.noRows(what, m.treated, m.load.inserts > 0)
	case measure.ToChoose():
		c.Verdict = CellUnknown // the length will be chosen so that it is enough
		return c
	case measure.Transactions == 0:
		c.TPSNeeded = c.Needed / (perTxn * length)
	}
	if m.tps == 0 || !known {
		c.Made = float64(measure.Transactions) * perTxn
		return c.unknownRate(what, m, rows, measure.Transactions)
	}
	c.Made = m.made(rows, length)
	runs, others, longest := m.simulate(rows, length)
	c.Runs, c.Others, c.VacuumS, c.VacuumMaxS = runs, others, longest.expectedS, longest.mostS
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

// flow is the table's, of so many rows at the start.
func (m cellModel) flow(rows float64) flow { return flow{load: m.load, rows: rows, tps: m.tps} }

// made is the number of the trigger's rows that a measurement makes.
func (m cellModel) made(rows, lengthS float64) float64 {
	return m.flow(rows).rowsOf(m.load.counted(m.trigger), m.warmupS, m.warmupS+lengthS)
}

// perTransaction is the number of rows that count for the trigger.
func (m cellModel) perTransaction() float64 {
	s := m.load.counted(m.trigger)
	return s.steady + s.picked
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
func (c CellEstimate) unknownRate(what string, m cellModel, rows float64, txns int64) CellEstimate {
	c.Verdict = CellUnknown
	switch {
	case txns > 0 && c.Made < c.Needed:
		c.Verdict = CellRefuse
		c.NearestRows = m.feasibleRows(rows, func(n float64) bool { return c.Made >= m.neededRows(n) })
		c.Sentence = fmt.Sprintf("%s: a trial makes %s rows of its trigger (%s) and needs %s%s", what, comma(c.Made), c.Trigger, comma(c.Needed), c.nearest())
	case txns > 0:
		c.Sentence = fmt.Sprintf("%s: how long %s transactions take is not known, so neither is whether vacuums end within them", what, comma(float64(txns)))
	default:
		c.Sentence = fmt.Sprintf("%s: needs at least %s transactions/s (%s %s a trial)", what, comma(math.Ceil(c.TPSNeeded)), comma(c.Needed), countedRows(c.Trigger))
	}
	return c
}

// countedRows names the rows that a trigger counts.
func countedRows(t check.Trigger) string {
	if t == check.TriggerAnalyze {
		return "changed rows"
	}
	return string(t)
}

// judge gives the verdict when the rate is known, and the nearest numbers that
// would do.
func (c *CellEstimate) judge(what string, m cellModel, rows, length float64) {
	switch {
	case c.Made < c.Needed:
		c.Verdict = CellRefuse
		c.Sentence = fmt.Sprintf("%s: a trial makes %s rows of its trigger (%s) and needs %s", what, comma(c.Made), c.Trigger, comma(c.Needed))
	case c.Runs < m.needed:
		c.Verdict = CellCensored
		c.Sentence = fmt.Sprintf("%s: %d of %d needed vacuums end within %s; the longest takes about %s", what, c.Runs, m.needed,
			seconds(length), seconds(c.VacuumS).Round(100*time.Millisecond))
		if c.Others > 0 {
			c.Sentence += fmt.Sprintf("; another trigger than that of %s starts %d others first", countedRows(c.Trigger), c.Others)
		}
	default:
		c.Verdict = CellOK
		return
	}
	shortest := m.shortest(rows)
	if math.IsInf(shortest, 1) {
		c.Verdict = CellRefuse
	}
	c.NearestRows = m.feasibleRows(rows, func(n float64) bool { return m.shortest(n) <= length })
	if shortest <= longestSearch.Seconds() {
		c.NearestMeasure = seconds(math.Ceil(shortest))
	}
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

// twoDigits rounds down to two digits.
func twoDigits(v float64) float64 {
	if v < 10 {
		return math.Floor(v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Floor(v/unit) * unit
}

func comma(v float64) string { return humanize.Comma(int64(math.Round(v))) }
