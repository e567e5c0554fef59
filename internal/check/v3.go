package check

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay"
)

var infoV3 = Info{
	ID: "V3", Title: "Treatment can bind", Severity: pgassay.SeverityExperiment, Run: true,
	What:      "whether the load met the condition under which the setting can matter at all, in at least one arm",
	Threshold: "no arm met it",
	Remedy:    "change the load, the data or the length of the trials so that the setting has something to act on, or leave it out",
}

// couldBind looks at everything that differs. A contrast fails only when every
// part of it is known to be without effect.
func couldBind(c contrast) finding {
	if len(c.treated) == 0 {
		return unclear("nothing differs between the arms")
	}
	var good, unsure []string
	var failed []finding
	for _, t := range c.treated {
		switch {
		case t.is != "":
			unsure = append(unsure, fmt.Sprintf("no rule says when %s matters", t))
		case !t.known:
			unsure = append(unsure, fmt.Sprintf("no rule says when %s matters", t))
		default:
			f := t.rule.binds(c, t)
			switch f.status {
			case pgassay.CheckPassed:
				good = append(good, fmt.Sprintf("%s could act: %s", t, f.text))
			case pgassay.CheckFailed:
				failed = append(failed, f)
			default:
				unsure = append(unsure, fmt.Sprintf("%s: %s", t, f.text))
			}
		}
	}
	switch {
	case len(good) > 0:
		return finding{status: pgassay.CheckPassed, text: strings.Join(good, "; ")}
	case len(unsure) > 0:
		return unclear(strings.Join(unsure, "; "))
	}
	texts := make([]string, len(failed))
	for i, f := range failed {
		texts[i] = f.text
	}
	return bad(strings.Join(texts, "; "))
}
