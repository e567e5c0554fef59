package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
)

// TemplateSpec says what a template holds.
type TemplateSpec struct {
	Build   pgassay.Build
	Dataset pgassay.Dataset
	// Storage are the arm's storage parameters. Those that change how rows are
	// stored ([Layout]) are part of the template; the others are set on each
	// instance.
	Storage []pgassay.StorageSetting
	// SQL runs after the data is loaded.
	SQL []string
}

// Layout says whether a storage parameter changes the bytes that are stored.
func Layout(parameter string) bool {
	return parameter == "fillfactor" || parameter == "toast_tuple_target"
}

// split tells the template's storage parameters from the instances'.
func split(all []pgassay.StorageSetting) (layout, other []pgassay.StorageSetting) {
	for _, s := range all {
		if Layout(strings.TrimPrefix(s.Name, "toast.")) {
			layout = append(layout, s)
		} else {
			other = append(other, s)
		}
	}
	return layout, other
}

// templateFormat changes when templates are made in another way.
const templateFormat = 4

// key names everything that the stored bytes depend on.
func (h *Home) key(s TemplateSpec) (string, error) {
	identity, err := buildIdentity(s.Build)
	if err != nil {
		return "", err
	}
	layout, _ := split(s.Storage)
	b, err := json.Marshal(struct {
		Format  int
		Build   string
		User    int
		Initdb  []string
		Dataset pgassay.Dataset
		Storage []pgassay.StorageSetting
		SQL     []string
	}{templateFormat, identity, h.user.UID, clusterOptions, s.Dataset, layout, s.SQL})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%s", s.Build.Major, shortHash(string(b))), nil
}

// Template is a stored, settled data directory.
type Template struct {
	Key       string             `json:"key"`
	Seconds   float64            `json:"seconds"` // to make it
	Bytes     int64              `json:"bytes"`
	Relations []pgassay.Relation `json:"relations"`
	// storage are the parameters to set on every instance.
	storage []pgassay.StorageSetting
	spec    TemplateSpec
	dir     string
}

const templateInfo = "template.json"

// Template returns the template for a spec; it is made when it is missing.
// progress is told what is going on, in words.
func (h *Home) Template(ctx context.Context, spec TemplateSpec, progress func(string)) (t *Template, err error) {
	key, err := h.key(spec)
	if err != nil {
		return nil, err
	}
	_, other := split(spec.Storage)
	t = &Template{Key: key, spec: spec, storage: other, dir: h.path(templatesDir, key)}
	waiting := func() { progress("waiting: another pgassay is loading the same data") }
	err = h.keep(ctx, "template-"+key, waiting, func() bool { return t.read() == nil }, func() error {
		if err := h.build(ctx, t, progress); err != nil {
			return fmt.Errorf("load data: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// read reads the template's description; it exists only when the template is
// whole. Its time is that of the last use.
func (t *Template) read() error {
	path := filepath.Join(t.dir, templateInfo)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	now := time.Now()
	return errors.Join(json.Unmarshal(text, t), os.Chtimes(path, now, now))
}

// build makes a template beside the others and renames it when it is whole.
func (h *Home) build(ctx context.Context, t *Template, progress func(string)) (err error) {
	began := time.Now()
	cluster, err := h.cluster(ctx, t.spec.Build)
	if err != nil {
		return err
	}
	if err := needSpace(h.dir, 200<<20, "the data"); err != nil {
		return err
	}
	scratch, err := h.scratch(templatesDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.remove()) }()
	data, log := filepath.Join(scratch.dir, "data"), filepath.Join(scratch.dir, "server.log")
	if _, err := copyTree(ctx, cluster, data, h.user); err != nil {
		return err
	}
	r, err := h.start(ctx, t.spec.Build, data, log, bulkSettings(UsableMemory()))
	if err != nil {
		return err
	}
	if err := errors.Join(t.fill(ctx, r, progress), r.stop()); err != nil {
		return whyLost(err, log, 0)
	}
	if err := os.Remove(filepath.Join(data, configFile)); err != nil {
		return fmt.Errorf("tidy template: %w", err)
	}
	if t.Bytes, err = treeBytes(data); err != nil {
		return fmt.Errorf("measure template: %w", err)
	}
	t.Seconds = time.Since(began).Seconds()
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(scratch.dir, templateInfo), text, 0o644); err != nil {
		return diskFull(fmt.Errorf("keep template: %w", err))
	}
	if err := syncTree(scratch.dir); err != nil {
		return diskFull(fmt.Errorf("keep template: %w", err))
	}
	if err := scratch.become(t.dir); err != nil {
		return fmt.Errorf("keep template: %w", err)
	}
	progress(fmt.Sprintf("loaded: %d MB in %.1f s", t.Bytes>>20, t.Seconds))
	return nil
}

// bulkSettings make loading fast. What a crash would destroy is thrown away
// anyway; the template is only kept after a clean stop and a sync.
func bulkSettings(memory int64) []pgassay.Setting {
	mb := func(share, most int64) string { return fmt.Sprintf("%dMB", max(32, min(memory/share, most)>>20)) }
	return []pgassay.Setting{
		{Name: "fsync", Value: "off"},
		{Name: "synchronous_commit", Value: "off"},
		{Name: "full_page_writes", Value: "off"},
		{Name: "wal_level", Value: "minimal"},
		{Name: "max_wal_senders", Value: "0"},
		{Name: "max_wal_size", Value: "16GB"},
		{Name: "checkpoint_timeout", Value: "1d"},
		{Name: "autovacuum", Value: "off"},
		{Name: "shared_buffers", Value: mb(8, 1<<30)},
		{Name: "maintenance_work_mem", Value: mb(16, 1<<30)},
		{Name: "wal_buffers", Value: "16MB"},
	}
}

// fill loads the data and settles it.
func (t *Template) fill(ctx context.Context, r *running, progress func(string)) error {
	if err := r.session(ctx, "postgres", func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE DATABASE "+Superuser)
		return err
	}); err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	layout, _ := split(t.spec.Storage)
	if err := r.session(ctx, Superuser, func(conn *pgx.Conn) error {
		if err := load(ctx, conn, t.spec.Dataset, layout, t.spec.SQL, progress); err != nil {
			return err
		}
		return selfContained(ctx, conn)
	}); err != nil {
		return err
	}
	progress("vacuum and analyze")
	if err := t.settleStatistics(ctx, r); err != nil {
		return err
	}
	return r.session(ctx, Superuser, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CHECKPOINT")
		return err
	})
}

// session calls f with a connection of its own.
func (r *running) session(ctx context.Context, database string, f func(*pgx.Conn) error) error {
	conn, err := r.target.WithDatabase(database).Connect(ctx, "setup")
	if err != nil {
		return err
	}
	return errors.Join(f(conn), conn.Close(context.WithoutCancel(ctx)))
}
