package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/internal/report"
)

func names(tb testing.TB, dir string) []string {
	tb.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

// A directory gets every form, and nothing else stays in it.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "report.md"), []byte("an older one"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := report.Write(dir, two().result(), report.Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, dir), []string{"charts", "report.html", "report.md", "results.csv", "results.json"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	md, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, picture := range names(t, filepath.Join(dir, "charts")) {
		if !strings.Contains(string(md), "](charts/"+picture+")") {
			t.Errorf("report.md does not show charts/%s", picture)
		}
	}
	if got, want := strings.Count(string(md), "](charts/"), len(names(t, filepath.Join(dir, "charts"))); got != want {
		t.Errorf("report.md shows %d pictures, %d exist", got, want)
	}
}

// Without charts the page is small and refers to none.
func TestWriteWithoutCharts(t *testing.T) {
	dir := t.TempDir()
	page := string(written(t, dir, nine().result(), "report.html"))
	if len(page) > 300_000 || strings.Contains(page, "<svg") || strings.Contains(page, "<script") {
		t.Errorf("got a page of %d bytes, want a small one without pictures and scripts", len(page))
	}
	if slices.Contains(names(t, dir), "charts") {
		t.Error("a directory for charts was made")
	}
}

// A directory that does not exist is an error that says what was to be written.
func TestWriteFails(t *testing.T) {
	err := report.Write(filepath.Join(t.TempDir(), "none"), two().result(), report.Options{NoCharts: true})
	if err == nil || !strings.HasPrefix(err.Error(), "write report.md: ") {
		t.Errorf("got %v, want write report.md: …", err)
	}
}
