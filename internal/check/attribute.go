package check

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/autovacuum"
)

// Trigger says what made autovacuum work on a table.
type Trigger string

// The triggers. TriggerAny stands in a [Rule] for a setting that every vacuum
// exercises, whatever started it.
const (
	TriggerDead       Trigger = "dead rows"
	TriggerInsert     Trigger = "inserts"
	TriggerAnalyze    Trigger = "analyze"
	TriggerWraparound Trigger = "wraparound"
	TriggerAny        Trigger = "any"
)

// MaintenanceRun is a finished autovacuum or autoanalyze run and why it began.
type MaintenanceRun struct {
	Event pgassay.Event
	// Triggers has one entry, or more when the counters had exceeded several
	// triggers or the evidence cannot tell them apart; none when nothing is
	// known of the table.
	Triggers []Trigger
	// Dead and Inserted estimate the rows counted since the table's last vacuum;
	// Thresholds is what they had to exceed.
	Dead, Inserted float64
	Thresholds     autovacuum.Thresholds
}

// By says whether the run can count for the trigger.
func (m MaintenanceRun) By(t Trigger) bool {
	if t == TriggerAny {
		return m.Event.Kind == pgassay.EventAutovacuum
	}
	return slices.Contains(m.Triggers, t)
}

// Attribute finds the triggers of a trial's maintenance runs, in the order of
// the events. Runs of the warm-up are included (their time is negative).
//
// PostgreSQL does not log why a run began, so it is worked out: rows are taken
// to have been changed evenly between the snapshots, the counters to have
// started from 0 at the end of the table's last run, and the triggers from the
// settings in force, the table's storage parameters and the rows that the last
// run left. A trigger that was exceeded at the run's start is the run's. When
// none was, by this estimate, those that were at least half reached are listed:
// loads are not quite even. A trigger whose rows were never made is never
// listed.
func Attribute(rec *pgassay.TrialRecord) []MaintenanceRun {
	f := newTableViews(rec)
	lastVacuum, lastAnalyze := map[string]int64{}, map[string]int64{}
	tuples := map[string]float64{}
	events := slices.Clone(rec.Events)
	slices.SortStableFunc(events, func(a, b pgassay.Event) int { return cmp.Compare(a.At, b.At) })
	var out []MaintenanceRun
	for _, e := range events {
		switch e.Kind {
		case pgassay.EventAutoanalyze:
			out = append(out, MaintenanceRun{Event: e, Triggers: []Trigger{TriggerAnalyze}})
			lastAnalyze[e.Object] = e.At
		case pgassay.EventAutovacuum:
			out = append(out, f.vacuum(e, lastVacuum, tuples))
			lastVacuum[e.Object] = e.At
			if remain, ok := e.Numbers["tuples_remain"]; ok {
				tuples[e.Object] = remain
			}
		}
	}
	return out
}

// vacuum works out why one vacuum began.
func (f tableViews) vacuum(e pgassay.Event, last map[string]int64, tuples map[string]float64) MaintenanceRun {
	m := MaintenanceRun{Event: e}
	v, ok := f.views[e.Object]
	if ok {
		if n, seen := tuples[e.Object]; seen {
			v.table.Tuples = n
		}
		m.Thresholds = f.rules.Thresholds(v.table, v.params)
		start := e.At - e.Duration
		if at, seen := last[e.Object]; seen {
			window := max(float64(start-at), 0)
			m.Dead, m.Inserted = v.deadRate*window, v.insertRate*window
		} else {
			// Nothing is known before the snapshot but what it counted.
			window := float64(start - f.from)
			m.Dead = max(v.deadBefore+v.deadRate*window, 0)
			m.Inserted = max(v.insertedBefore+v.insertRate*window, 0)
		}
	}
	if e.Numbers["wraparound"] > 0 {
		m.Triggers = []Trigger{TriggerWraparound}
		return m
	}
	if ok {
		m.Triggers = decide(m)
	}
	return m
}

// decide lists the triggers that were exceeded, or else half reached, or else
// the nearest.
func decide(m MaintenanceRun) []Trigger {
	dead := m.Dead / math.Max(m.Thresholds.Dead, 1)
	inserts := m.Inserted / math.Max(m.Thresholds.Insert, 1)
	for _, enough := range []float64{1, 0.5, max(dead, inserts)} {
		var out []Trigger
		if dead >= enough && dead > 0 {
			out = append(out, TriggerDead)
		}
		if inserts >= enough && inserts > 0 {
			out = append(out, TriggerInsert)
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// tableViews is what the two snapshots say of each table's change.
type tableViews struct {
	rules autovacuum.Rules
	from  int64 // when the first snapshot was taken
	views map[string]tableView
}

// tableView is one table over a trial; rates are rows per nanosecond.
type tableView struct {
	table                      autovacuum.Table
	params                     autovacuum.Parameters
	deadBefore, insertedBefore float64
	deadRate, insertRate       float64
	// dead, inserted and modified are the rows made in the measurement interval;
	// hot is the part of dead that heap-only updates made.
	dead, inserted, modified, hot float64
	bytes                         float64
}

func newTableViews(rec *pgassay.TrialRecord) tableViews {
	settings := settingsByName(rec.Settings)
	server := autovacuum.Read(inForce(settings))
	frozen := false
	after := map[string]pgassay.Relation{}
	for _, r := range rec.After.Relations {
		after[relationName(r)] = r
	}
	f := tableViews{from: rec.Before.At, views: map[string]tableView{}}
	span := float64(rec.After.At - rec.Before.At)
	for _, b := range rec.Before.Relations {
		frozen = frozen || b.AllFrozen >= 0 && majorOf(settings) >= 18
		a, ok := after[relationName(b)]
		if !ok || b.Kind == "p" || systemSchema(b.Schema) || span <= 0 {
			continue
		}
		params, err := server.ForTable(b.Options)
		if err != nil {
			continue // options that the server accepted are readable
		}
		v := tableView{
			table: autovacuum.Table{Tuples: b.Tuples, Pages: b.Pages, AllFrozen: b.AllFrozen}, params: params,
			deadBefore: float64(b.DeadRows), insertedBefore: float64(b.InsSinceVacuum),
			dead:     float64(a.Updated + a.Deleted - b.Updated - b.Deleted),
			inserted: float64(a.Inserted - b.Inserted), hot: float64(a.HotUpdated - b.HotUpdated),
			bytes: float64(a.HeapBytes + a.IndexBytes),
		}
		v.modified = v.dead + v.inserted
		v.deadRate, v.insertRate = v.dead/span, v.inserted/span
		f.views[relationName(b)] = v
	}
	f.rules = autovacuum.For(majorOf(settings)).Detect(func(name string) bool { _, ok := settings[name]; return ok }, frozen)
	return f
}

func settingsByName(list []pgassay.SettingState) map[string]pgassay.SettingState {
	out := make(map[string]pgassay.SettingState, len(list))
	for _, s := range list {
		out[s.Name] = s
	}
	return out
}

// majorOf reads the major version from the preset server_version_num, 0 when
// it is not there.
func majorOf(settings map[string]pgassay.SettingState) int {
	v, _ := inForce(settings)("server_version_num")
	return int(v) / 10000
}

func relationName(r pgassay.Relation) string { return r.Schema + "." + r.Name }

func systemSchema(s string) bool {
	return s == "pg_catalog" || s == "information_schema" || strings.HasPrefix(s, "pg_toast_temp") || strings.HasPrefix(s, "pg_temp")
}
