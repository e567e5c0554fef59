package report

import (
	"strconv"
	"strings"
)

// limits is what the experiment cannot speak of.
func (v *view) limits() section {
	s := section{ID: "limits", Title: "What was not tested"}
	if len(v.NotTested) > 0 {
		s.Blocks = append(s.Blocks, block{List: v.NotTested})
	}
	if len(v.Missing) > 0 {
		s.Blocks = append(s.Blocks, block{Text: "What could not be seen:"}, block{List: v.Missing})
	}
	if len(v.Unsettled) > 0 {
		s.Blocks = append(s.Blocks, block{Text: "Settings that were not the same in all trials of one arm, so that nothing can be said of them: " + strings.Join(v.Unsettled, ", ") + "."})
	}
	if len(v.e.Notes) > 0 {
		s.Blocks = append(s.Blocks, block{Text: "Notes on the experiment file:"}, block{List: v.e.Notes})
	}
	return s
}

// reproduce says how to get these numbers again.
func (v *view) reproduce() section {
	s := section{ID: "reproduce", Title: "How to reproduce"}
	if v.Run.Command != "" {
		s.Blocks = append(s.Blocks, block{Code: v.Run.Command})
	}
	tool := strings.TrimPrefix(orElse(v.Run.Tool, orElse(v.Fingerprint.Tool, "of unknown version")), "pgassay ")
	how := "pgassay " + oneLine(tool) + ", seed " + strconv.FormatUint(v.e.Design.Seed, 10) + "."
	switch v.Run.Target {
	case "created":
		how += " The server was created for this run and removed afterwards."
	case "attached":
		how += " The server was there before the run; its settings were put back afterwards."
	}
	if v.Run.Stop != "" {
		how += " The run ended: " + strings.TrimSuffix(oneLine(v.Run.Stop), ".") + "."
	}
	how += " The experiment as it was run is in experiment.yaml, everything measured in run.db; “pgassay report DIR” makes this report from it again."
	s.Blocks = append(s.Blocks, block{Text: how})
	return s
}
