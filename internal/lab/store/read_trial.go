package store

import (
	"encoding/json"
	"fmt"

	"github.com/pgassay/pgassay"
)

// rowsOf reads rows that belong to trials: the query's first column is the
// trial's number, columns says where the others go, add puts a row where it
// belongs. A trial's rows are committed with the trial, so an unknown number
// means that the file is damaged.
func rowsOf[T any](r *reader, query string, columns func(*T) []any, add func(*pgassay.TrialRecord, T) error) error {
	return r.each(query, func(scan func(...any) error) error {
		var number int
		var row T
		if err := scan(append([]any{&number}, columns(&row)...)...); err != nil {
			return err
		}
		t := r.byNumber[number]
		if t == nil {
			return fmt.Errorf("damaged file: rows of trial %d, which is not there", number)
		}
		return add(t, row)
	})
}

func (r *reader) storage() error {
	return rowsOf(r, "SELECT trial, relation, name, value FROM trial_storage ORDER BY trial, relation, name",
		func(v *pgassay.StorageSetting) []any { return []any{&v.Table, &v.Name, &v.Value} },
		func(t *pgassay.TrialRecord, v pgassay.StorageSetting) error {
			t.Storage = append(t.Storage, v)
			return nil
		})
}

func (r *reader) scripts() error {
	return rowsOf(r, "SELECT trial, script, transactions, row_count, failed, first_error FROM script ORDER BY trial, position",
		func(v *pgassay.ScriptResult) []any {
			return []any{&v.Script, &v.Transactions, &v.Rows, &v.Failed, &v.FirstError}
		},
		func(t *pgassay.TrialRecord, v pgassay.ScriptResult) error {
			t.Scripts = append(t.Scripts, v)
			return nil
		})
}

func (r *reader) outcomes() error {
	type row struct {
		script, class string
		n             int64
	}
	return rowsOf(r, "SELECT trial, script, class, number FROM outcome",
		func(v *row) []any { return []any{&v.script, &v.class, &v.n} },
		func(t *pgassay.TrialRecord, v row) error {
			for i := range t.Scripts {
				if t.Scripts[i].Script != v.script {
					continue
				}
				if t.Scripts[i].Errors == nil {
					t.Scripts[i].Errors = map[string]int64{}
				}
				t.Scripts[i].Errors[v.class] = v.n
			}
			return nil
		})
}

func (r *reader) histograms() error {
	return rowsOf(r, "SELECT trial, script, kind, hdr_v2 FROM histogram ORDER BY trial, kind, script",
		func(v *pgassay.Histogram) []any { return []any{&v.Script, &v.Kind, &v.Encoded} },
		func(t *pgassay.TrialRecord, v pgassay.Histogram) error {
			t.Histograms = append(t.Histograms, v)
			return nil
		})
}

func (r *reader) samples() error {
	type row struct {
		name, object string
		at           int64
		value        float64
	}
	return rowsOf(r, "SELECT trial, name, object, at_ns, value FROM sample ORDER BY trial, name, object, seq",
		func(v *row) []any { return []any{&v.name, &v.object, &v.at, &v.value} },
		func(t *pgassay.TrialRecord, v row) error {
			n := len(t.Series)
			if n == 0 || string(t.Series[n-1].Name) != v.name || t.Series[n-1].Object != v.object {
				t.Series = append(t.Series, pgassay.Series{Name: pgassay.SeriesName(v.name), Object: v.object})
				n++
			}
			s := &t.Series[n-1]
			s.At, s.Value = append(s.At, v.at), append(s.Value, v.value)
			return nil
		})
}

func (r *reader) events() error {
	type row struct {
		event         pgassay.Event
		kind, numbers string
	}
	return rowsOf(r, "SELECT trial, at_ns, duration_ns, kind, object, text, numbers FROM event ORDER BY trial, seq",
		func(v *row) []any {
			return []any{&v.event.At, &v.event.Duration, &v.kind, &v.event.Object, &v.event.Text, &v.numbers}
		},
		func(t *pgassay.TrialRecord, v row) error {
			v.event.Kind = pgassay.EventKind(v.kind)
			if v.numbers != "{}" {
				if err := json.Unmarshal([]byte(v.numbers), &v.event.Numbers); err != nil {
					return err
				}
			}
			t.Events = append(t.Events, v.event)
			return nil
		})
}

func (r *reader) samplers() error {
	return rowsOf(r, "SELECT trial, missing FROM sampler ORDER BY trial, seq",
		func(v *string) []any { return []any{v} },
		func(t *pgassay.TrialRecord, v string) error {
			t.Missing = append(t.Missing, v)
			return nil
		})
}

// snapshot picks the snapshot that a moment names.
func snapshot(t *pgassay.TrialRecord, moment string) *pgassay.Snapshot {
	switch moment {
	case "start":
		return &t.Start
	case "before":
		return &t.Before
	}
	return &t.After
}

func (r *reader) counters() error {
	type row struct {
		moment, name string
		value        float64
	}
	return rowsOf(r, "SELECT trial, moment, name, value FROM counter",
		func(v *row) []any { return []any{&v.moment, &v.name, &v.value} },
		func(t *pgassay.TrialRecord, v row) error {
			s := snapshot(t, v.moment)
			if s.Counters == nil {
				s.Counters = map[string]float64{}
			}
			s.Counters[v.name] = v.value
			return nil
		})
}

func (r *reader) relations() error {
	type row struct{ moment, state string }
	return rowsOf(r, "SELECT trial, moment, state FROM relation ORDER BY trial, moment, position",
		func(v *row) []any { return []any{&v.moment, &v.state} },
		func(t *pgassay.TrialRecord, v row) error {
			var rel pgassay.Relation
			if err := json.Unmarshal([]byte(v.state), &rel); err != nil {
				return err
			}
			s := snapshot(t, v.moment)
			s.Relations = append(s.Relations, rel)
			return nil
		})
}
