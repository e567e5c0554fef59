package check

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay"
)

// The limits of V16: the clients' share of the CPUs, how long their threads
// wait for one, their garbage collector's share of the time, and how far apart
// the clients' cost of a transaction may be in two arms.
const (
	maxClientShare    = 0.80
	maxRunQueueNS     = 1_000_000
	maxGCShare        = 0.01
	maxClientCostDiff = 0.05
)

var infoV16 = Info{
	ID: "V16", Title: "Client not saturated", Severity: pgassay.SeverityWarning, Trial: true, Run: true,
	What:      "the load generator's CPU, run queue delay and garbage collector pauses; between arms, its CPU per transaction (median of a cell)",
	Threshold: "80 % of the CPUs, 1 ms (P99), 1 % of the time; between arms 5 %. Client and server share the cores of one host here, which makes it a warning",
	Remedy:    "use fewer clients or a host with more cores; an effect no larger than the difference may be the generator's",
}

// clientRoom looks whether the generator had room to work.
func clientRoom(e Evidence) pgassay.CheckResult {
	r := infoV16.of(e.Trial)
	seconds := float64(e.Trial.MeasuredNS) / 1e9
	host := e.Trial.Host
	if e.Trial.Use.ClientCPUS < 0 || host.CPUs <= 0 || seconds <= 0 {
		return infoV16.unknown(r, "the generator's CPU time was not read")
	}
	share := e.Trial.Use.ClientCPUS / (seconds * float64(host.CPUs))
	gc := float64(host.GCPauseNS) / float64(e.Trial.MeasuredNS)
	numbers := []pgassay.Number{{Name: "client CPU share", Value: share, Unit: "1"}, {Name: "gc pause share", Value: gc, Unit: "1"}}
	var wrong []string
	if share >= maxClientShare {
		wrong = append(wrong, fmt.Sprintf("used %.0f %% of %d CPUs (limit 80 %%)", 100*share, host.CPUs))
	}
	if host.RunQueueP99NS >= 0 {
		numbers = append(numbers, pgassay.Number{Name: "run queue P99", Value: float64(host.RunQueueP99NS), Unit: "ns"})
		if host.RunQueueP99NS >= maxRunQueueNS {
			wrong = append(wrong, fmt.Sprintf("waited %.2g ms for a CPU (P99, limit 1 ms)", float64(host.RunQueueP99NS)/1e6))
		}
	}
	if gc >= maxGCShare {
		wrong = append(wrong, fmt.Sprintf("paused %.2g %% of the time to collect garbage (limit 1 %%)", 100*gc))
	}
	if len(wrong) > 0 {
		return infoV16.failed(r, "the load generator "+strings.Join(wrong, ", "), numbers...)
	}
	return infoV16.passed(r, fmt.Sprintf("the load generator used %.0f %% of %d CPUs (limit 80 %%)", 100*share, host.CPUs), numbers...)
}

// sameClientCost compares what a transaction costs the generator between arms:
// on shared cores a difference is taken from the server.
func sameClientCost(c contrast) finding {
	low, high := math.Inf(1), 0.0
	lowArm, highArm := 0, 0
	for _, arm := range c.members() {
		for _, f := range c.cells[arm] {
			if f.rec.Use.ClientCPUS < 0 || f.rec.TotalTransactions() == 0 {
				return unclear("the generator's CPU time was not read")
			}
		}
		m := median(c.cells[arm], func(f *facts) float64 { return f.rec.Use.ClientCPUS / float64(f.rec.TotalTransactions()) })
		if m < low {
			low, lowArm = m, arm
		}
		if m > high {
			high, highArm = m, arm
		}
	}
	if high == 0 {
		return unclear("the generator's CPU time was not read")
	}
	d := high/low - 1
	f := finding{margin: -d, status: pgassay.CheckPassed, numbers: []pgassay.Number{{Name: "difference", Value: d, Unit: "1"}},
		text: fmt.Sprintf("the generator's CPU per transaction is equal between arms within %.1f %% (limit 5 %%)", 100*d)}
	if d > maxClientCostDiff {
		f.status = pgassay.CheckFailed
		f.text = fmt.Sprintf("the generator used %.0f µs of CPU a transaction in %s and %.0f µs in %s, %.1f %% apart (limit 5 %%)",
			high*1e6, c.armName(highArm), low*1e6, c.armName(lowArm), 100*d)
	}
	return f
}
