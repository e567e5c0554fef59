package check

import (
	"fmt"

	"github.com/pgassay/pgassay"
)

// maxForeignShare is the share of the host's CPU time that processes other than
// ours may use.
const maxForeignShare = 0.05

var infoV29 = Info{
	ID: "V29", Title: "Foreign load", Severity: pgassay.SeverityWarning, Trial: true,
	What:      "CPU time of processes that belong neither to pgassay nor to its server, as a share of all CPUs",
	Threshold: "more than 5 %",
	Remedy:    "stop what else runs on this host, or run the experiment when nobody else does; neighbours make trials scatter and hide real effects",
}

// foreignLoad looks at what others used of the host. It warns and does not
// repeat the trial: a host that is busy for long would repeat all of them. The
// blocks make the comparison fair; the scatter, and so the interval, shows what
// the neighbours cost.
func foreignLoad(e Evidence) pgassay.CheckResult {
	r := infoV29.of(e.Trial)
	h := e.Trial.Host
	seconds := float64(h.CPUs) * float64(e.Trial.MeasuredNS) / 1e9
	if h.ForeignCPUS < 0 || seconds <= 0 {
		return infoV29.unknown(r, "the CPU time of other processes is not known")
	}
	share := h.ForeignCPUS / seconds
	number := pgassay.Number{Name: "foreign share", Value: share, Unit: "1"}
	text := fmt.Sprintf("other processes used %.2g s of %.3g CPU seconds, %.2g %% (limit %.0f %%)", h.ForeignCPUS, seconds, 100*share, 100*maxForeignShare)
	if share > maxForeignShare {
		return infoV29.failed(r, text, number)
	}
	return infoV29.passed(r, text, number)
}
