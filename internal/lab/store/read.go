package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// Run is all that a run file holds, as records.
type Run struct {
	Header
	Ended    time.Time
	Stop     string
	Complete bool
	// Fingerprints has one entry per session, the last one last.
	Fingerprints []pgassay.Fingerprint
	Trials       []*pgassay.TrialRecord // in the order of their numbers
	Decisions    []Decision
}

// Decision is one stored decision.
type Decision struct {
	At         time.Time
	Kind, Text string
}

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Read reads the whole run. Trials that have not ended are left out.
func (s *Store) Read(ctx context.Context) (*Run, error) {
	r := &reader{ctx: ctx, db: s.db, run: &Run{}, byNumber: map[int]*pgassay.TrialRecord{}}
	for _, step := range []func() error{
		r.header, r.files, r.environments, r.decisions, r.trials, r.settings, r.storage, r.scripts, r.outcomes,
		r.histograms, r.samples, r.events, r.samplers, r.counters, r.relations,
	} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("read %s: %w", s.path, err)
		}
	}
	return r.run, nil
}

type reader struct {
	ctx      context.Context
	db       *sql.DB
	run      *Run
	byNumber map[int]*pgassay.TrialRecord
	bases    map[int]int // trial → base
}

// each calls f once per row; f scans it.
func (r *reader) each(query string, f func(scan func(...any) error) error) error {
	rows, err := r.db.QueryContext(r.ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (r *reader) header() error {
	found := false
	err := r.each("SELECT id, started, coalesce(ended, ''), stop, complete, tool, command, target, experiment FROM run", func(scan func(...any) error) error {
		found = true
		var started, ended, experiment string
		err := scan(&r.run.ID, &started, &ended, &r.run.Stop, &r.run.Complete, &r.run.Tool, &r.run.Command, &r.run.Target, &experiment)
		if err != nil {
			return err
		}
		if r.run.Started, err = parseStamp(started); err != nil {
			return err
		}
		if r.run.Ended, err = parseStamp(ended); err != nil {
			return err
		}
		r.run.Experiment = new(pgassay.Experiment)
		return json.Unmarshal([]byte(experiment), r.run.Experiment)
	})
	if err == nil && !found {
		return ErrNotRun
	}
	return err
}

func (r *reader) files() error {
	r.run.Files = map[string][]byte{}
	return r.each("SELECT name, content FROM file", func(scan func(...any) error) error {
		var name string
		var content []byte
		err := scan(&name, &content)
		r.run.Files[name] = notNil(content)
		return err
	})
}

func (r *reader) environments() error {
	return r.each("SELECT fingerprint FROM environment ORDER BY session", func(scan func(...any) error) error {
		var text string
		if err := scan(&text); err != nil {
			return err
		}
		var f pgassay.Fingerprint
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			return err
		}
		r.run.Fingerprints = append(r.run.Fingerprints, f)
		return nil
	})
}

func (r *reader) decisions() error {
	return r.each("SELECT at, kind, text FROM decision ORDER BY seq", func(scan func(...any) error) error {
		var d Decision
		var at string
		err := scan(&at, &d.Kind, &d.Text)
		if err != nil {
			return err
		}
		d.At, err = parseStamp(at)
		r.run.Decisions = append(r.run.Decisions, d)
		return err
	})
}

const trialQuery = `SELECT trial, block, position, arm, level, attempt, seed, outcome, reason, started, coalesce(measure_started, ''),
	coalesce(ended, ''), measured_ns, template, coalesce(setting_base, 0), phases, used, host, checks, before_ns, after_ns
	FROM trial WHERE outcome <> 'running' ORDER BY trial`

func (r *reader) trials() error {
	r.bases = map[int]int{}
	return r.each(trialQuery, func(scan func(...any) error) error {
		t := &pgassay.TrialRecord{}
		var seed, outcome, started, measure, ended, phases, used, host, checks string
		var base int
		err := scan(&t.Order.Number, &t.Order.Block, &t.Order.Position, &t.Order.Arm, &t.Order.Load, &t.Order.Attempt, &seed, &outcome, &t.Reason,
			&started, &measure, &ended, &t.MeasuredNS, &t.Template, &base, &phases, &used, &host, &checks, &t.Before.At, &t.After.At)
		if err != nil {
			return err
		}
		t.Outcome = pgassay.Outcome(outcome)
		if t.Order.Seed, err = strconv.ParseUint(seed, 10, 64); err != nil {
			return err
		}
		for _, p := range []struct {
			text string
			to   *time.Time
		}{{started, &t.Started}, {measure, &t.MeasureStarted}, {ended, &t.Ended}} {
			if *p.to, err = parseStamp(p.text); err != nil {
				return err
			}
		}
		for _, p := range []struct {
			text string
			to   any
		}{{phases, &t.Phases}, {used, &t.Use}, {host, &t.Host}, {checks, &t.Checks}} {
			if err := json.Unmarshal([]byte(p.text), p.to); err != nil {
				return fmt.Errorf("trial %d: %w", t.Order.Number, err)
			}
		}
		r.run.Trials = append(r.run.Trials, t)
		r.byNumber[t.Order.Number] = t
		r.bases[t.Order.Number] = base
		return nil
	})
}

func (r *reader) settings() error {
	base := map[int]map[string]pgassay.SettingState{}
	err := r.each("SELECT base, name, state FROM setting_base", func(scan func(...any) error) error {
		var b int
		var name, state string
		if err := scan(&b, &name, &state); err != nil {
			return err
		}
		if base[b] == nil {
			base[b] = map[string]pgassay.SettingState{}
		}
		var v pgassay.SettingState
		err := json.Unmarshal([]byte(state), &v)
		base[b][name] = v
		return err
	})
	if err != nil {
		return err
	}
	changed := map[int]map[string]*pgassay.SettingState{}
	err = r.each("SELECT trial, name, gone, state FROM trial_setting", func(scan func(...any) error) error {
		var trial int
		var name, state string
		var gone bool
		if err := scan(&trial, &name, &gone, &state); err != nil {
			return err
		}
		if changed[trial] == nil {
			changed[trial] = map[string]*pgassay.SettingState{}
		}
		if gone {
			changed[trial][name] = nil
			return nil
		}
		v := new(pgassay.SettingState)
		changed[trial][name] = v
		return json.Unmarshal([]byte(state), v)
	})
	if err != nil {
		return err
	}
	for _, t := range r.run.Trials {
		t.Settings = mergeSettings(base[r.bases[t.Order.Number]], changed[t.Order.Number])
	}
	return nil
}

// mergeSettings applies a trial's differences to its base, sorted by name.
func mergeSettings(base map[string]pgassay.SettingState, changed map[string]*pgassay.SettingState) []pgassay.SettingState {
	var out []pgassay.SettingState
	for name, v := range base {
		if _, ok := changed[name]; !ok {
			out = append(out, v)
		}
	}
	for _, v := range changed {
		if v != nil {
			out = append(out, *v)
		}
	}
	slices.SortFunc(out, func(a, b pgassay.SettingState) int { return strings.Compare(a.Name, b.Name) })
	return out
}
