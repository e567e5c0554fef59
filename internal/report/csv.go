package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// csvHeader names the columns of results.csv. Values are in the metric's unit,
// effects are fractions of the baseline unless effect_absolute is true; what is
// not known is empty.
var csvHeader = []string{
	"arm", "load", "clients", "metric", "unit", "trials", "blocks", "mean", "mean_low", "mean_high", "mean_level", "why_unknown",
	"baseline", "effect", "effect_low", "effect_high", "effect_level", "effect_absolute", "detectable", "p", "p_adjusted", "verdict", "primary", "reason",
}

// CSV is one row per arm, load level and metric (RFC 4180): the mean with its
// interval and, for arms other than the baseline, the effect.
func CSV(r *analyze.Result) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	if err := w.Write(csvHeader); err != nil {
		return nil, fmt.Errorf("encode results: %w", err)
	}
	v := newView(r)
	for i := range r.Cells {
		c := &r.Cells[i]
		for _, m := range pgassay.Metrics {
			k := v.comparison(m.Name, c.Arm, c.Load)
			if x := metric(c, m.Name); x != nil || k != nil {
				if err := w.Write(v.csvRow(c, m, x, k)); err != nil {
					return nil, fmt.Errorf("encode results: %w", err)
				}
			}
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("encode results: %w", err)
	}
	return b.Bytes(), nil
}

func (v *view) csvRow(c *analyze.Cell, m pgassay.Metric, x *analyze.CellMetric, k *pgassay.Comparison) []string {
	row := []string{v.e.Arms[c.Arm].Name, v.e.Loads[c.Load].Name, strconv.Itoa(v.e.Loads[c.Load].Clients), string(m.Name), m.Unit, strconv.Itoa(c.Trials), strconv.Itoa(c.Blocks)}
	switch {
	case x == nil:
		row = append(row, "", "", "", "", "not measured")
	case !x.Known:
		row = append(row, "", "", "", "", x.Why)
	default:
		row = append(row, number(x.Mean.Estimate), number(x.Mean.Low), number(x.Mean.High), number(x.Mean.Level), "")
	}
	if k == nil {
		return append(row, make([]string, len(csvHeader)-len(row))...)
	}
	estimate := number(k.Effect.Estimate)
	if k.Blocks == 0 {
		estimate = ""
	}
	return append(row, v.e.Arms[k.Base].Name, estimate, number(k.Effect.Low), number(k.Effect.High), number(k.Effect.Level), strconv.FormatBool(k.Absolute),
		orNone(k, k.Detectable), orNone(k, k.P), orNone(k, k.PAdjusted), string(k.Verdict), strconv.FormatBool(k.Primary), k.Reason)
}

// number writes a value with all its digits, nothing for what is not finite.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// orNone writes a number that only blocks can give: one block gives none, and a
// detectable effect of 0 would read as perfect power.
func orNone(c *pgassay.Comparison, v float64) string {
	if c.Blocks < 2 {
		return ""
	}
	return number(v)
}
