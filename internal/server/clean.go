package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"
)

// CleanPolicy says what may go.
type CleanPolicy struct {
	// MaxBytes is how much of templates may stay: those used last, as far as
	// they fit. Negative is no limit.
	MaxBytes int64
	// All removes every template and cluster that is not in use.
	All bool
	// DryRun only says what would be removed.
	DryRun bool
}

// Removed is something that was removed, or would be.
type Removed struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Why   string `json:"why"`
}

// Clean removes left-overs of dead runs, unfinished work, and templates by
// policy. What another process uses at this moment stays.
func (h *Home) Clean(ctx context.Context, p CleanPolicy) ([]Removed, error) {
	var out []Removed
	if !p.DryRun { // OpenHome has removed orphans already; this finds newer ones
		orphans, err := h.removeOrphans()
		for _, dir := range orphans {
			out = append(out, Removed{Path: dir, Why: "its owner has died"})
		}
		if err != nil {
			return out, err
		}
	}
	scratch, err := h.unfinished(p.DryRun)
	if err != nil {
		return out, err
	}
	templates, err := h.templates()
	if err != nil {
		return out, err
	}
	doomed := append(scratch, surplus(templates, p)...)
	if p.All {
		clusters, err := h.list(clustersDir, false)
		if err != nil {
			return out, err
		}
		for _, path := range clusters {
			doomed = append(doomed, Removed{Path: path, Why: "--all"})
		}
	}
	for _, r := range doomed {
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		removed, err := h.removeUnused(ctx, r, p.DryRun)
		if err != nil {
			return out, err
		}
		if removed.Path != "" {
			out = append(out, removed)
		}
	}
	return out, nil
}

// removeUnused removes one thing under its lock; what is locked stays.
func (h *Home) removeUnused(ctx context.Context, r Removed, dry bool) (removed Removed, err error) {
	name := strings.TrimSuffix(filepath.Base(r.Path), ".json")
	kind := "cluster-"
	if filepath.Base(filepath.Dir(r.Path)) == templatesDir {
		kind = "template-"
	}
	quick, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	unlock, err := h.lock(quick, kind+name, nil)
	if err != nil {
		return Removed{}, nil // somebody is making or using it
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if r.Bytes == 0 {
		if r.Bytes, err = treeBytes(r.Path); err != nil {
			return Removed{}, fmt.Errorf("measure %s: %w", r.Path, err)
		}
	}
	if dry {
		return r, nil
	}
	// The description goes first: without it a template does not exist.
	if err := os.Remove(filepath.Join(r.Path, templateInfo)); err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return Removed{}, fmt.Errorf("remove %s: %w", r.Path, err)
	}
	if err := os.RemoveAll(r.Path); err != nil {
		return Removed{}, fmt.Errorf("remove %s: %w", r.Path, err)
	}
	return r, nil
}

// unfinished lists what was being made by processes that have died.
func (h *Home) unfinished(dry bool) ([]Removed, error) {
	var out []Removed
	for _, part := range []string{clustersDir, templatesDir} {
		paths, err := h.list(part, true)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if !leftover(path) {
				continue
			}
			if !dry {
				if err := errors.Join(killServer(filepath.Join(path, "data"), stopLimits.kill), removeSocket(path)); err != nil {
					return nil, err
				}
			}
			out = append(out, Removed{Path: path, Why: "it was never finished"})
		}
	}
	return out, nil
}

// list lists what is in a part of the home: what is finished, or what is hidden
// because it is not.
func (h *Home) list(part string, hidden bool) ([]string, error) {
	entries, err := os.ReadDir(h.path(part))
	if err != nil {
		return nil, fmt.Errorf("look into home: %w", err)
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") == hidden {
			paths = append(paths, h.path(part, e.Name()))
		}
	}
	return paths, nil
}

// stored is a template on disk.
type stored struct {
	Removed
	used time.Time
}

func (h *Home) templates() ([]stored, error) {
	paths, err := h.list(templatesDir, false)
	if err != nil {
		return nil, err
	}
	var out []stored
	for _, path := range paths {
		s := stored{Removed: Removed{Path: path}}
		text, err := os.ReadFile(filepath.Join(path, templateInfo))
		if err == nil {
			var t Template
			if err := json.Unmarshal(text, &t); err != nil {
				return nil, fmt.Errorf("read %s: %w", path, err)
			}
			info, err := os.Stat(filepath.Join(path, templateInfo))
			if err != nil {
				continue // it has just been removed
			}
			s.used, s.Bytes = info.ModTime(), t.Bytes
		}
		out = append(out, s)
	}
	return out, nil
}

// surplus chooses the templates that must go: those used last stay as far as
// they fit, so that one big one does not drive out all older ones.
func surplus(templates []stored, p CleanPolicy) []Removed {
	sort.Slice(templates, func(i, j int) bool { return templates[i].used.After(templates[j].used) })
	var out []Removed
	var kept int64
	for _, t := range templates {
		switch {
		case p.All:
			t.Why = "--all"
		case t.used.IsZero():
			t.Why = "it is not whole"
		case p.MaxBytes >= 0 && kept+t.Bytes > p.MaxBytes:
			t.Why = "more than --max-size would be kept, and others were used later"
		default:
			kept += t.Bytes
			continue
		}
		out = append(out, t.Removed)
	}
	return out
}
