package check_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/internal/check"
)

var update = flag.Bool("update", false, "write docs/checks.md")

const docs = "../../docs/checks.md"

// TestDocs holds docs/checks.md against the code; -update writes it.
func TestDocs(t *testing.T) {
	want := page()
	if *update {
		if err := os.WriteFile(docs, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/checks.md is not what the code says; run: go test ./internal/check -run TestDocs -update")
	}
}

func page() string {
	var b strings.Builder
	b.WriteString(`# Checks: could this experiment have answered the question?

Every trial and every run is held against the checks below. A check that has no evidence is *not evaluated*, never passed.
The numbers are those of the method; what is missing in the list is not evaluated today.
This page is written from the code (go test ./internal/check -run TestDocs -update).

What a failed check does:

- **trial**: the trial is invalid and is repeated at once, up to three attempts; then its cell is dropped from the block.
- **experiment**: the comparisons that the check speaks of are invalid, and say so.
- **warning**: it is said in the report, and nothing more.

| check | looks at | fails when | severity | what to do |
|---|---|---|---|---|
`)
	for _, i := range check.Infos() {
		fmt.Fprintf(&b, "| **%s** %s (%s) | %s | %s | %s | %s |\n", i.ID, i.Title, scope(i), i.What, i.Threshold, i.Severity, i.Remedy)
	}
	b.WriteString(`
A cell (one arm at one load level) is described by the median over its valid trials.

## What a setting acts through

V3, V11, V13 and V14 depend on what a setting acts through. A setting that is not in this table is not evaluated by V3.
"Taken" is when the server takes a new value; a storage parameter is set with ALTER TABLE.

| setting | acts through | can matter only | seen in | taken |
|---|---|---|---|---|
`)
	for _, r := range check.Rules() {
		through := string(r.Through)
		if r.Trigger != "" && r.Trigger != check.TriggerAny {
			through += " (" + string(r.Trigger) + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.Name, through, r.Precondition, strings.Join(r.Counters, ", "), taken(r))
	}
	return b.String()
}

func scope(i check.Info) string {
	switch {
	case i.Trial && i.Run:
		return "trial and run"
	case i.Trial:
		return "trial"
	}
	return "run"
}

func taken(r check.Rule) string {
	words := map[string]string{"postmaster": "restart", "sighup": "reload", "user": "session", "superuser": "session (superuser)"}
	var parts []string
	for n, c := range r.Contexts {
		text := words[c.Context]
		if n > 0 || c.Since > 14 {
			text += fmt.Sprintf(" from %d", c.Since)
		}
		parts = append(parts, text)
	}
	if r.Storage {
		parts = append(parts, "storage parameter")
	}
	return strings.Join(parts, ", ")
}
