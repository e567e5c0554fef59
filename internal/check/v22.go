package check

import (
	"fmt"

	"github.com/pgassay/pgassay"
)

// minTransactions is the fewest transactions from which a trial says anything.
const minTransactions = 2000

var infoV22 = Info{
	ID: "V22", Title: "Enough transactions", Severity: pgassay.SeverityExperiment, Trial: true,
	What:      "completed transactions of a trial; a trial of a fixed number of transactions is exempt",
	Threshold: "below 2,000 (single quantiles ask for more: P99 for 10,000)",
	Remedy:    "measure longer, or use smaller transactions",
}

// enoughTransactions looks at the number of completed transactions.
func enoughTransactions(e Evidence) pgassay.CheckResult {
	r := infoV22.of(e.Trial)
	n := e.Trial.TotalTransactions()
	number := pgassay.Number{Name: "transactions", Value: float64(n)}
	switch {
	case e.Experiment.Workload.Measure.Transactions > 0:
		return infoV22.passed(r, fmt.Sprintf("%s transactions, as many as the experiment asks for", count(float64(n))), number)
	case n < minTransactions:
		return infoV22.failed(r, fmt.Sprintf("%s transactions, and a trial needs 2,000", count(float64(n))), number)
	}
	return infoV22.passed(r, fmt.Sprintf("%s transactions (needed: 2,000)", count(float64(n))), number)
}
