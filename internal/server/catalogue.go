package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
)

// Catalogue is what a build says of itself when it runs with nothing changed.
type Catalogue struct {
	Settings      []pgassay.SettingState `json:"settings"`
	VersionString string                 `json:"version_string"`
	JIT           bool                   `json:"jit"`
}

// Known says whether the build has a setting.
func (c *Catalogue) Known(name string) bool {
	for _, s := range c.Settings {
		if strings.EqualFold(s.Name, name) {
			return true
		}
	}
	return false
}

// Catalogue returns a build's catalogue. It is read once from a server on an
// empty cluster and kept.
func (h *Home) Catalogue(ctx context.Context, b pgassay.Build) (*Catalogue, error) {
	cluster, err := h.cluster(ctx, b)
	if err != nil {
		return nil, err
	}
	path := cluster + ".json"
	c := new(Catalogue)
	there := func() bool {
		text, err := os.ReadFile(path)
		return err == nil && json.Unmarshal(text, c) == nil && len(c.Settings) > 0
	}
	err = h.keep(ctx, "catalogue-"+filepath.Base(cluster), nil, there, func() error { return h.readCatalogue(ctx, b, cluster, path) })
	if err != nil {
		return nil, err
	}
	return c, nil
}

// readCatalogue reads a build's catalogue and keeps it in a file.
func (h *Home) readCatalogue(ctx context.Context, b pgassay.Build, cluster, path string) error {
	c := new(Catalogue)
	err := h.onCopy(ctx, b, cluster, nil, func(ctx context.Context, conn *pgx.Conn) error {
		var err error
		if c.Settings, err = ReadSettings(ctx, conn); err != nil {
			return err
		}
		return conn.QueryRow(ctx, "SELECT version(), pg_jit_available()").Scan(&c.VersionString, &c.JIT)
	})
	if err != nil {
		return fmt.Errorf("read catalogue of PostgreSQL %s: %w", b.Version, err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	// An unfinished file is no JSON, and the next one writes it again.
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return diskFull(fmt.Errorf("keep catalogue: %w", err))
	}
	return nil
}

// knownSettings says which settings a build has.
func (h *Home) knownSettings(ctx context.Context, b pgassay.Build) (func(string) bool, error) {
	c, err := h.Catalogue(ctx, b)
	if err != nil {
		return nil, err
	}
	return c.Known, nil
}

// alwaysThere are the settings of ours that every supported version has.
func alwaysThere(name string) bool {
	return name != "log_autoanalyze_min_duration" && name != "track_cost_delay_timing"
}

// onCopy starts a server on a copy of an empty cluster, calls f with a
// connection, and removes everything again.
func (h *Home) onCopy(ctx context.Context, b pgassay.Build, cluster string, settings []pgassay.Setting, f func(context.Context, *pgx.Conn) error) (err error) {
	scratch, err := h.scratch(instancesDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.remove()) }()
	data := filepath.Join(scratch.dir, "data")
	if _, err := copyTree(ctx, cluster, data, h.user); err != nil {
		return err
	}
	r, err := h.startKnowing(ctx, b, data, filepath.Join(scratch.dir, "server.log"), settings, alwaysThere)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	conn, err := r.target.Connect(ctx, "catalogue")
	if err != nil {
		return err
	}
	return errors.Join(f(ctx, conn), conn.Close(context.WithoutCancel(ctx)))
}

// TryStart starts an empty cluster with an arm's settings: some values only
// show at the start that they cannot be had, such as more shared memory than
// there is. The error holds the server's own words.
func (h *Home) TryStart(ctx context.Context, b pgassay.Build, settings []pgassay.Setting) error {
	cluster, err := h.cluster(ctx, b)
	if err != nil {
		return err
	}
	return h.onCopy(ctx, b, cluster, settings, func(context.Context, *pgx.Conn) error { return nil })
}

// TrySchema creates a dataset's schema with no rows on an empty cluster and
// calls f with its tables and a function that tries a storage parameter on
// them and takes it back. Nothing of it is kept. An error that is not f's
// means that the schema itself does not work.
func (h *Home) TrySchema(ctx context.Context, b pgassay.Build, schema string, f func(tables []pgassay.Relation, try func(table, name, value string) error) error) error {
	cluster, err := h.cluster(ctx, b)
	if err != nil {
		return err
	}
	return h.onCopy(ctx, b, cluster, nil, func(ctx context.Context, conn *pgx.Conn) error {
		if err := script(ctx, conn, "schema", schema); err != nil {
			return err
		}
		tables, err := readRelations(ctx, conn)
		if err != nil {
			return err
		}
		return f(tables, func(table, name, value string) error {
			return tryStorage(ctx, conn, pgassay.StorageSetting{Table: table, Name: name, Value: value})
		})
	})
}

// tryStorage sets a storage parameter and takes it back.
func tryStorage(ctx context.Context, conn *pgx.Conn, s pgassay.StorageSetting) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, alterStorage(s))
	return errors.Join(err, tx.Rollback(ctx))
}
