package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pgassay/pgassay/internal/analyze"
)

// Options leaves parts out.
type Options struct {
	// NoCharts leaves out all charts: a small page, made in no time.
	NoCharts bool
}

// Write makes every form of the report in dir, which must exist: report.html,
// report.md with charts/*.svg, results.json and results.csv. Each file replaces
// an older one at once, so that a reader never sees half of it.
func Write(dir string, r *analyze.Result, o Options) error {
	d := compose(r)
	if o.NoCharts {
		d.dropFigures()
	}
	pictures, err := paintAll(d)
	if err != nil {
		return err
	}
	page, err := pageOf(d, pictures)
	if err != nil {
		return err
	}
	results, err := JSON(r)
	if err != nil {
		return err
	}
	rows, err := CSV(r)
	if err != nil {
		return err
	}
	files := []file{{"report.md", markdownOf(d)}, {"results.json", results}, {"results.csv", rows}, {"report.html", page}}
	for _, f := range d.figures() {
		files = append(files, file{filepath.Join("charts", f.File+".svg"), []byte(pictures.svg[f.File])})
	}
	if len(pictures.svg) > 0 {
		if err := os.MkdirAll(filepath.Join(dir, "charts"), 0o755); err != nil {
			return fmt.Errorf("make chart directory: %w", err)
		}
	}
	for _, f := range files {
		if err := replace(filepath.Join(dir, f.name), f.content); err != nil {
			return fmt.Errorf("write %s: %w", f.name, err)
		}
	}
	return nil
}

type file struct {
	name    string
	content []byte
}

// replace writes a file under another name, then renames it.
func replace(path string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if _, err := f.Write(content); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Chmod(0o644); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
