package report_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/internal/report"
)

// The committed bundle is the one that was built: nobody edited it by hand.
func TestBundleSum(t *testing.T) {
	b, err := os.ReadFile("charts/charts.js")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("charts/charts.js.sha256")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:]) + "  charts.js\n"; got != string(want) {
		t.Errorf("got %s, want %s: run charts/build.sh", got, want)
	}
}

// The lock file pins packages by checksum and names no place to get them from.
func TestLockHasNoAddress(t *testing.T) {
	for _, name := range []string{"charts/package.json", "charts/package-lock.json"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`"resolved"|https?://[^"]*`).Find(b); m != nil {
			t.Errorf("%s: holds %s", name, m)
		}
	}
	lock, err := os.ReadFile("charts/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(lock), `"integrity"`); got < 4 {
		t.Errorf("got %d checksums, want one for every package", got)
	}
}

// The bundle can stand inside a script element.
func TestBundleCanBeInlined(t *testing.T) {
	b, err := os.ReadFile("charts/charts.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"</script", "<!--"} {
		if strings.Contains(string(b), end) {
			t.Errorf("the bundle holds %s", end)
		}
	}
}

// A report of nine arms at three load levels, with all its charts.
func BenchmarkHTML(b *testing.B) {
	r := nine().result()
	for b.Loop() {
		if _, err := report.HTML(r); err != nil {
			b.Fatal(err)
		}
	}
}
