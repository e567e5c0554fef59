package report

import (
	"strconv"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// trials lists every trial in the order in which it was made.
func (v *view) trials() section {
	s := section{ID: "trials", Title: "Trials"}
	if len(v.Trials) == 0 {
		return s
	}
	t := &table{Caption: "Every trial in the order in which it was made; times in seconds", Columns: []column{
		{Text: "Trial"}, {Text: "Block", Number: true}, {Text: "Arm"}, {Text: "Load"}, {Text: "Outcome"}, {Text: "Transactions", Number: true}, {Text: "Per second", Number: true},
		{Text: "Autovacuum runs", Number: true}, {Text: "Restore", Number: true}, {Text: "Settle", Number: true}, {Text: "Start", Number: true},
		{Text: "Connect", Number: true}, {Text: "Warm-up", Number: true}, {Text: "Measure", Number: true}, {Text: "Stop", Number: true}}}
	for _, x := range v.Trials {
		t.Rows = append(t.Rows, v.trialRow(x))
	}
	s.Blocks = append(s.Blocks, block{Fold: &fold{Summary: plural(len(v.Trials), "trial"), Blocks: []block{{Table: t}}}})
	return s
}

func (v *view) trialRow(x analyze.TrialSummary) []entry {
	outcome := entry{Text: string(x.Outcome), Sub: oneLine(x.Reason)}
	if x.Outcome != pgassay.OutcomeValid {
		outcome.Tone = pgassay.Regressed
	}
	if x.Order.Attempt > 1 {
		outcome.Text += ", attempt " + strconv.Itoa(x.Order.Attempt)
	}
	arm := text(unknown)
	if x.Order.Arm >= 0 && x.Order.Arm < len(v.labels) {
		arm = entry{Text: v.labels[x.Order.Arm], Style: &v.styles[x.Order.Arm]}
	}
	row := []entry{text(strconv.Itoa(x.Order.Number)), text(strconv.Itoa(x.Order.Block)), arm, text(v.loadName(x.Order.Load)), outcome,
		text(decimals(float64(x.Transactions), 0)), text(significant(x.TPS, 4)), text(strconv.Itoa(x.Vacuums))}
	p := x.Phases
	for _, sec := range []float64{p.RestoreS, p.SettleS, p.StartS, p.ConnectS, p.WarmupS, p.MeasureS, p.StopS} {
		row = append(row, text(decimals(sec, 1)))
	}
	return row
}
