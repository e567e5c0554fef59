package experiment_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/internal/experiment"
)

var topLevel = regexp.MustCompile(`(?m)^([a-z]+):`)

// TestDocs decodes every YAML example of the manual. One that is not a whole
// file is completed by the keys it lacks.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/experiment-file.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```yaml\n")[1:]
	if len(blocks) < 4 {
		t.Fatalf("got %d examples, want at least 4", len(blocks))
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		whole := block
		for _, part := range strings.SplitAfter(strings.ReplaceAll(minimal, "\n  ", "\x00"), "\n") {
			if key := topLevel.FindString(part); key != "" && !strings.Contains("\n"+block, "\n"+key) {
				whole += strings.ReplaceAll(part, "\x00", "\n  ")
			}
		}
		f, err := experiment.Decode("docs.yaml", []byte(whole), options())
		if err != nil {
			t.Errorf("%s\n%v", whole, err)
			continue
		}
		if strings.Contains(block, "profiles:") {
			o := options()
			o.Profile = "quick"
			mustDecode(t, whole, o)
		}
		if len(f.Warnings) > 0 {
			t.Errorf("%s\ngot warnings %v", block, f.Warnings)
		}
	}
}
