package store

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite" // the driver

	"github.com/pgassay/pgassay"
)

//go:embed schema.sql
var schema string

// Version is the version of the schema that this build writes and the newest
// that it reads.
const Version = 1

// ErrNewer says that the file was written by a newer pgassay.
var ErrNewer = errors.New("written by a newer pgassay")

// ErrNotRun says that the file is not a run of pgassay.
var ErrNotRun = errors.New("not a run file")

// Store is an open run file. Its methods may be called from one goroutine at
// a time.
type Store struct {
	db    *sql.DB
	path  string
	write bool
	bases map[string]int // server version → setting_base
}

// Header is what is known when a run begins.
type Header struct {
	ID         string
	Started    time.Time
	Tool       string
	Command    string
	Target     string // "created" or "attached"
	Experiment *pgassay.Experiment
	// Files are the experiment file and everything it names.
	Files map[string][]byte
}

// Create makes a new run file; it must not exist yet.
func Create(ctx context.Context, path string, h Header) (*Store, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create run file: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("create run file: %w", err)
	}
	s, err := open(ctx, path, "rwc", true)
	if err != nil {
		return nil, err
	}
	if err := s.initialise(ctx, h); err != nil {
		return nil, errors.Join(fmt.Errorf("create run file: %w", err), s.db.Close())
	}
	return s, nil
}

// Open opens a run file to go on writing.
func Open(ctx context.Context, path string) (*Store, error) { return openExisting(ctx, path, true) }

// OpenReadOnly opens a run file to read it; another process may be writing.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	return openExisting(ctx, path, false)
}

func openExisting(ctx context.Context, path string, write bool) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open run file: %w", err)
	}
	mode := "ro"
	if write {
		mode = "rw"
	}
	s, err := open(ctx, path, mode, write)
	if err != nil {
		return nil, err
	}
	if err := s.checkVersion(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), s.db.Close())
	}
	return s, nil
}

func open(ctx context.Context, path, mode string, write bool) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open run file: %w", err)
	}
	u := url.URL{Scheme: "file", Path: abs}
	q := url.Values{"mode": {mode}, "_pragma": {"busy_timeout(10000)", "foreign_keys(1)", "synchronous(FULL)"}}
	u.RawQuery = q.Encode()
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, fmt.Errorf("open run file: %w", err)
	}
	db.SetMaxOpenConns(1)
	if write {
		var journal string
		if err := db.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&journal); err != nil {
			return nil, errors.Join(fmt.Errorf("open run file %s: %w", path, notRun(err)), db.Close())
		}
	}
	return &Store{db: db, path: path, write: write, bases: map[string]int{}}, nil
}

// sqliteNotADB is SQLite's result code for a file that is not a database.
const sqliteNotADB = 26

func notRun(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code() == sqliteNotADB {
		return fmt.Errorf("%w: %w", ErrNotRun, err)
	}
	return err
}

func (s *Store) checkVersion(ctx context.Context) error {
	var version int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return notRun(err)
	}
	switch {
	case version == 0:
		return ErrNotRun
	case version > Version:
		return pgassay.WithHint(fmt.Errorf("%w (schema %d, this one reads up to %d)", ErrNewer, version, Version),
			"Use the pgassay that wrote the run, or a newer one.")
	}
	rows, err := s.db.QueryContext(ctx, "SELECT DISTINCT base, json_extract(state, '$.setting') FROM setting_base WHERE name = 'server_version_num'")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var base int
		var v string
		if err := rows.Scan(&base, &v); err != nil {
			return err
		}
		s.bases[v] = base
	}
	return rows.Err()
}

func (s *Store) initialise(ctx context.Context, h Header) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version=%d", Version)); err != nil {
			return err
		}
		w := writer{ctx: ctx, tx: tx}
		w.exec("INSERT INTO meta VALUES ('created_by', ?), ('schema', ?)", h.Tool, fmt.Sprint(Version))
		e := h.Experiment
		w.exec("INSERT INTO run (id, name, question, started, tool, command, target, experiment) VALUES (?,?,?,?,?,?,?,?)",
			h.ID, e.Name, e.Question, stamp(h.Started), h.Tool, h.Command, h.Target, w.json(e))
		for name, content := range h.Files {
			w.exec("INSERT INTO file VALUES (?, ?)", name, notNil(content))
		}
		for i, a := range e.Arms {
			w.exec("INSERT INTO arm VALUES (?, ?, ?)", i, a.Name, i == e.Baseline)
			for _, v := range a.Settings {
				w.exec("INSERT OR REPLACE INTO arm_change VALUES (?, 'setting', '', ?, ?)", i, v.Name, v.Value)
			}
			for _, v := range a.Tables {
				w.exec("INSERT OR REPLACE INTO arm_change VALUES (?, 'storage', ?, ?, ?)", i, v.Table, v.Name, v.Value)
			}
			for _, v := range a.Variables {
				w.exec("INSERT OR REPLACE INTO arm_change VALUES (?, 'variable', '', ?, ?)", i, v.Name, v.Value)
			}
		}
		for i, l := range e.Loads {
			w.exec("INSERT INTO level VALUES (?, ?, ?)", i, l.Name, l.Clients)
		}
		return w.err
	})
}

// tx runs f in one transaction.
func (s *Store) tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	if err := f(tx); err != nil {
		return explain(errors.Join(err, ignoreDone(tx.Rollback())))
	}
	return explain(tx.Commit())
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// sqliteFull is SQLite's result code for a full disk.
const sqliteFull = 13

func explain(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code() == sqliteFull {
		return pgassay.WithHint(err, "The disk that holds the run directory is full. Make room; what was recorded before is safe, and the run can be resumed.")
	}
	return err
}

// Close ends the work with the file. A file that was open for writing becomes
// one single file again, unless somebody reads it at this moment: then it
// stays in WAL mode, which loses nothing.
func (s *Store) Close() error {
	if !s.write {
		return s.db.Close()
	}
	var journal string
	err := s.db.QueryRow("PRAGMA journal_mode=DELETE").Scan(&journal)
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code() == sqliteBusy {
		err = nil
	}
	return errors.Join(err, s.db.Close())
}

// sqliteBusy is SQLite's result code for a file that another connection uses.
const sqliteBusy = 5

// writer executes statements until the first error.
type writer struct {
	ctx context.Context
	tx  *sql.Tx
	err error
}

func (w *writer) exec(query string, args ...any) {
	if w.err == nil {
		_, w.err = w.tx.ExecContext(w.ctx, query, args...)
	}
}

func (w *writer) json(v any) string {
	b, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	return string(b)
}

// stamp writes a time as sortable UTC text; the zero time is "".
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000000Z")
}

func parseStamp(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339Nano, s)
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
