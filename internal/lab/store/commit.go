package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/pgassay/pgassay"
)

// AddEnvironment stores the fingerprint of a session that begins now.
func (s *Store) AddEnvironment(ctx context.Context, f pgassay.Fingerprint, at time.Time) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		w := writer{ctx: ctx, tx: tx}
		w.exec("INSERT INTO environment (at, fingerprint) VALUES (?, ?)", stamp(at), w.json(f))
		return w.err
	})
}

// Begin notes that a trial was ordered. A trial of the same number that never
// ended is replaced.
func (s *Store) Begin(ctx context.Context, o pgassay.TrialOrder, at time.Time) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		w := writer{ctx: ctx, tx: tx}
		w.exec("INSERT INTO trial (trial, block, position, arm, level, attempt, seed, outcome, started) VALUES (?,?,?,?,?,?,?,'running',?)",
			o.Number, o.Block, o.Position, o.Arm, o.Load, o.Attempt, strconv.FormatUint(o.Seed, 10), stamp(at))
		return w.err
	})
}

// Recover marks trials that began and never ended as interrupted, and returns
// how many there were. It is called once after [Open], before the run goes on.
func (s *Store) Recover(ctx context.Context, at time.Time) (int, error) {
	var n int64
	err := s.tx(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "UPDATE trial SET outcome = ?, reason = 'pgassay ended in the middle of the trial', ended = ? WHERE outcome = 'running'",
			string(pgassay.OutcomeInterrupted), stamp(at))
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		if err != nil || n == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO decision (at, kind, text) VALUES (?, 'resume', ?)", stamp(at),
			fmt.Sprintf("resumed; %d trial(s) had not ended and are made again", n))
		return err
	})
	return int(n), err
}

// Decide stores a decision.
func (s *Store) Decide(ctx context.Context, kind, text string, at time.Time) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO decision (at, kind, text) VALUES (?,?,?)", stamp(at), kind, text)
		return err
	})
}

// Finish stores how the run ended. A later Finish replaces an earlier one.
func (s *Store) Finish(ctx context.Context, at time.Time, reason string, complete bool) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE run SET ended = ?, stop = ?, complete = ?", stamp(at), reason, complete)
		return err
	})
}

// Commit stores all of a trial in one transaction. Its order must have begun.
func (s *Store) Commit(ctx context.Context, r *pgassay.TrialRecord) error {
	known := len(s.bases)
	err := s.tx(ctx, func(tx *sql.Tx) error {
		w := &writer{ctx: ctx, tx: tx}
		base, isNew := s.base(r.Settings)
		w.exec(`UPDATE trial SET outcome=?, reason=?, started=?, measure_started=?, ended=?, measured_ns=?, template=?, setting_base=?,
			phases=?, used=?, host=?, checks=?, before_ns=?, after_ns=? WHERE trial=?`,
			string(r.Outcome), r.Reason, stamp(r.Started), stamp(r.MeasureStarted), stamp(r.Ended), r.MeasuredNS, r.Template, base,
			w.json(r.Phases), w.json(r.Use), w.json(r.Host), w.json(r.Checks), r.Before.At, r.After.At, r.Order.Number)
		if err := s.commitSettings(w, r, base, isNew); err != nil {
			return err
		}
		commitLoad(w, r)
		commitSeen(w, r)
		commitSnapshot(w, r.Order.Number, "start", r.Start)
		commitSnapshot(w, r.Order.Number, "before", r.Before)
		commitSnapshot(w, r.Order.Number, "after", r.After)
		return w.err
	})
	if err != nil && len(s.bases) > known {
		delete(s.bases, version(r.Settings)) // its rows were rolled back
	}
	return err
}

func version(settings []pgassay.SettingState) string {
	for _, v := range settings {
		if v.Name == "server_version_num" {
			return v.Setting
		}
	}
	return ""
}

// base finds the setting_base for a trial, or takes the next number.
func (s *Store) base(settings []pgassay.SettingState) (base any, isNew bool) {
	if len(settings) == 0 {
		return nil, false
	}
	v := version(settings)
	if b, ok := s.bases[v]; ok {
		return b, false
	}
	b := len(s.bases) + 1
	s.bases[v] = b
	return b, true
}

func (s *Store) commitSettings(w *writer, r *pgassay.TrialRecord, base any, isNew bool) error {
	for _, st := range r.Storage {
		w.exec("INSERT OR REPLACE INTO trial_storage VALUES (?,?,?,?)", r.Order.Number, st.Table, st.Name, st.Value)
	}
	if base == nil || w.err != nil {
		return w.err
	}
	if isNew {
		for _, v := range r.Settings {
			w.exec("INSERT INTO setting_base VALUES (?,?,?)", base, v.Name, w.json(v))
		}
		return w.err
	}
	states, err := readBase(w.ctx, w.tx, base)
	if err != nil {
		return err
	}
	for _, v := range r.Settings {
		if text := w.json(v); states[v.Name] != text {
			w.exec("INSERT INTO trial_setting VALUES (?,?,0,?)", r.Order.Number, v.Name, text)
		}
		delete(states, v.Name)
	}
	for name := range states {
		w.exec("INSERT INTO trial_setting VALUES (?,?,1,'')", r.Order.Number, name)
	}
	return w.err
}

func readBase(ctx context.Context, q queryer, base any) (map[string]string, error) {
	rows, err := q.QueryContext(ctx, "SELECT name, state FROM setting_base WHERE base = ?", base)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	states := map[string]string{}
	for rows.Next() {
		var name, state string
		if err := rows.Scan(&name, &state); err != nil {
			return nil, err
		}
		states[name] = state
	}
	return states, rows.Err()
}

func commitLoad(w *writer, r *pgassay.TrialRecord) {
	n := r.Order.Number
	for i, sc := range r.Scripts {
		w.exec("INSERT INTO script VALUES (?,?,?,?,?,?,?)", n, i, sc.Script, sc.Transactions, sc.Rows, sc.Failed, sc.FirstError)
		for class, count := range sc.Errors {
			w.exec("INSERT INTO outcome VALUES (?,?,?,?)", n, sc.Script, class, count)
		}
	}
	for _, h := range r.Histograms {
		w.exec("INSERT INTO histogram VALUES (?,?,?,?)", n, h.Script, h.Kind, notNil(h.Encoded))
	}
}

func commitSeen(w *writer, r *pgassay.TrialRecord) {
	n := r.Order.Number
	for _, s := range r.Series {
		for i := range s.At {
			w.exec("INSERT INTO sample VALUES (?,?,?,?,?,?)", n, string(s.Name), s.Object, i, s.At[i], s.Value[i])
		}
	}
	for i, e := range r.Events {
		numbers := "{}"
		if len(e.Numbers) > 0 {
			numbers = w.json(e.Numbers)
		}
		w.exec("INSERT INTO event VALUES (?,?,?,?,?,?,?,?)", n, i, e.At, e.Duration, string(e.Kind), e.Object, e.Text, numbers)
	}
	for i, m := range r.Missing {
		w.exec("INSERT INTO sampler VALUES (?,?,?)", n, i, m)
	}
}

func commitSnapshot(w *writer, trial int, moment string, s pgassay.Snapshot) {
	for name, v := range s.Counters {
		w.exec("INSERT INTO counter VALUES (?,?,?,?)", trial, moment, name, v)
	}
	for i, rel := range s.Relations {
		state, err := json.Marshal(rel)
		if err != nil && w.err == nil {
			w.err = err
		}
		w.exec("INSERT INTO relation VALUES (?,?,?,?,?)", trial, moment, i, rel.Schema+"."+rel.Name, string(state))
	}
}
