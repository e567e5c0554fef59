package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/experiments"
	"github.com/pgassay/pgassay/internal/experiment"
)

// builtinExperiment reads a built-in experiment's file.
func builtinExperiment(name string) ([]byte, error) {
	text, err := experiments.FS.ReadFile(name + ".yaml")
	if err != nil {
		return nil, pgassay.WithHint(fmt.Errorf("%w: there is no built-in experiment %q", pgassay.ErrUsage, name),
			"`pgassay list` shows them; a file is named with its path, such as my.yaml.")
	}
	return text, nil
}

// readExperiment decodes what the user named: a file when it looks like one
// or exists, else a built-in experiment.
func readExperiment(name string, o experiment.Options) (*experiment.File, error) {
	o.Builtin = experiments.FS
	looksLikeFile := strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
	info, err := os.Stat(name)
	if err != nil && !looksLikeFile {
		text, err := builtinExperiment(name)
		if err != nil {
			return nil, err
		}
		o.Files = experiments.FS
		return experiment.Decode(name+".yaml", text, o)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, pgassay.WithHint(fmt.Errorf("%w: there is no file %s", pgassay.ErrUsage, name),
			"`pgassay init -o "+name+"` writes one to start from; `pgassay list` shows the built-in experiments.")
	}
	if err != nil {
		return nil, fmt.Errorf("read experiment: %w", err)
	}
	if info.IsDir() {
		return nil, pgassay.WithHint(fmt.Errorf("%w: %s is a directory", pgassay.ErrUsage, name), "Name an experiment file; a run directory is gone on with by `pgassay run --resume DIR`.")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read experiment: %w", err)
	}
	// A run directory keeps the files that its experiment names in files/.
	dir := filepath.Dir(name)
	o.Files = either{os.DirFS(dir), os.DirFS(filepath.Join(dir, "files"))}
	return experiment.Decode(name, text, o)
}

// either looks for a file in the first place and then in the second.
type either [2]fs.FS

// Open opens a file.
func (e either) Open(name string) (fs.File, error) {
	f, err := e[0].Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		if g, other := e[1].Open(name); other == nil {
			return g, nil
		}
	}
	return f, err
}
