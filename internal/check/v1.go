package check

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay"
)

var infoV1 = Info{
	ID: "V1", Title: "Settings in force", Severity: pgassay.SeverityExperiment, Trial: true,
	What:      "each setting and storage parameter of the arm, against what a workload session saw in pg_settings and pg_class",
	Threshold: "one differs, is unknown to the server or waits for a restart",
	Remedy:    "look where the server takes the value from (pg_settings.source, sourcefile): a command line, a role or a database may override it",
}

// settingsInForce compares what the arm asks for with what the server says.
func settingsInForce(e Evidence) pgassay.CheckResult {
	r := infoV1.of(e.Trial)
	if len(e.Trial.Settings) == 0 {
		return infoV1.unknown(r, "pg_settings was not read from a workload session")
	}
	arm := e.Experiment.Arms[e.Trial.Order.Arm]
	states := settingsByName(e.Trial.Settings)
	var wrong, shares []string
	for _, want := range arm.Settings {
		if strings.Contains(want.Value, "%") {
			shares = append(shares, want.Name)
			continue
		}
		if text := settingWrong(want, states); text != "" {
			wrong = append(wrong, text)
		}
	}
	for _, want := range arm.Tables {
		if text := storageWrong(want, e.Trial.Storage); text != "" {
			wrong = append(wrong, text)
		}
	}
	n := float64(len(arm.Settings) + len(arm.Tables))
	numbers := []pgassay.Number{{Name: "requested", Value: n}, {Name: "wrong", Value: float64(len(wrong))}}
	if len(wrong) > 0 {
		return infoV1.failed(r, fmt.Sprintf("%d of %s requested settings are not in force: %s", len(wrong), count(n), strings.Join(wrong, "; ")), numbers...)
	}
	text := fmt.Sprintf("all %s requested settings are in force", count(n))
	if len(shares) > 0 {
		text += fmt.Sprintf(" (%s given as a share is set, its value was not compared)", strings.Join(shares, ", "))
	}
	return infoV1.passed(r, text, numbers...)
}

func settingWrong(want pgassay.Setting, states map[string]pgassay.SettingState) string {
	s, ok := states[want.Name]
	if !ok {
		return want.Name + " is not known to the server"
	}
	same, err := Matches(want.Value, s)
	switch {
	case err != nil:
		return fmt.Sprintf("%s: %v", want.Name, err)
	case !same:
		return fmt.Sprintf("%s is %s%s (source: %s), not %s", want.Name, s.Setting, s.Unit, s.Source, want.Value)
	case s.PendingRestart:
		return want.Name + " waits for a restart"
	}
	return ""
}

func storageWrong(want pgassay.StorageSetting, got []pgassay.StorageSetting) string {
	for _, s := range got {
		if s.Name != want.Name || !sameTable(s.Table, want.Table) {
			continue
		}
		if s.Value == want.Value || sameText(s.Value, want.Value) {
			return ""
		}
		return fmt.Sprintf("%s.%s is %s, not %s", want.Table, want.Name, s.Value, want.Value)
	}
	if want.Value == "" {
		return "" // it was to be reset, and it is not set
	}
	return fmt.Sprintf("%s.%s is not set", want.Table, want.Name)
}

// sameText compares storage parameters, which the server keeps as written.
func sameText(a, b string) bool {
	x, errA := Number(a, "")
	y, errB := Number(b, "")
	if errA == nil && errB == nil {
		return x == y
	}
	on, ok1 := Bool(a)
	other, ok2 := Bool(b)
	return ok1 && ok2 && on == other || strings.EqualFold(a, b)
}
