package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// shellLines returns the lines of a page's sh blocks.
func shellLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	inside := false
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "```sh"):
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside && strings.TrimSpace(line) != "":
			lines = append(lines, line)
		}
	}
	return lines
}

// TestReadme runs every command of the README, word for word but for two: the
// whole quick experiment is replaced by its profile smoke (.ci/quick makes the
// whole one), and the test command is what runs this test.
func TestReadme(t *testing.T) {
	dir, env := t.TempDir(), append(os.Environ(), "CI=true", "PGASSAY_HOME="+home(t))
	lines := shellLines(t, "../../README.md")
	if len(lines) < 6 {
		t.Fatalf("found %d commands in the README, want them all: %q", len(lines), lines)
	}
	for _, line := range lines {
		if line == "go test ./..." {
			continue
		}
		line = strings.ReplaceAll(line, "go run ./cmd/pgassay", "pgassay")
		if strings.HasSuffix(line, "run quick") {
			line += " --profile smoke"
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			// 5: short trials may be too few transactions for a verdict.
			if code := cmd.ProcessState.ExitCode(); code != exitInvalid {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	}
	for _, want := range []string{"my.yaml", "results/report.html", "results/run.db"} {
		if _, err := os.Stat(dir + "/" + want); err != nil {
			t.Errorf("after the README's commands: %v", err)
		}
	}
}

// TestCIRunsTheReadmesTests: CI calls the test command that the README gives.
func TestCIRunsTheReadmesTests(t *testing.T) {
	ci, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range shellLines(t, "../../README.md") {
		if strings.HasPrefix(line, "go test") && !strings.Contains(string(ci), "\n"+line+"\n") {
			t.Errorf(".ci/run does not run %q", line)
		}
	}
}
