package report_test

import (
	"bytes"
	"math"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
	"github.com/pgassay/pgassay/internal/report"
)

// odd draws numbers that a run seldom has, but may.
func odd(rt *rapid.T) float64 {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, 0, 1, 1e-9, -1, 1e9, 1e15, math.NaN(), math.Inf(1), math.Inf(-1)}),
		rapid.Float64Range(-10, 1e6),
	).Draw(rt, "value")
}

func oddInterval(rt *rapid.T) pgassay.Interval {
	a, b, c := odd(rt), odd(rt), odd(rt)
	return pgassay.Interval{Estimate: b, Low: math.Min(a, b), High: math.Max(b, c), Level: 0.95}
}

// upset replaces numbers of a result by odd ones.
func upset(rt *rapid.T, r *analyze.Result) {
	for i := range r.Cells {
		c := &r.Cells[i]
		for m := range c.Metrics {
			c.Metrics[m].Mean = oddInterval(rt)
		}
		for q := range c.Quantiles {
			c.Quantiles[q].Value = rapid.Int64Range(0, 1e12).Draw(rt, "ns")
		}
	}
	for i := range r.Comparisons {
		r.Comparisons[i].Effect, r.Comparisons[i].Absolute = oddInterval(rt), rapid.Bool().Draw(rt, "absolute")
	}
	for i := range r.Timelines {
		for s := range r.Timelines[i].Series {
			x := &r.Timelines[i].Series[s]
			n := rapid.IntRange(0, 3).Draw(rt, "points")
			x.At, x.Value = x.At[:n], x.Value[:n]
			for k := range x.Value {
				x.Value[k] = odd(rt)
			}
		}
	}
}

// Whatever numbers a run has, its report can be made and prints no nonsense.
func TestOddNumbers(t *testing.T) {
	word := regexp.MustCompile(`\b(NaN|Inf|Infinity)\b`)
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.SampledFrom([]story{two(), single()}).Draw(rt, "story")
		s.metric = rapid.SampledFrom([]pgassay.MetricName{pgassay.MetricTPS, pgassay.MetricErrorRate, pgassay.MetricDeadRowsEnd, pgassay.MetricResponseP99}).Draw(rt, "metric")
		r := s.result()
		upset(rt, r)
		if _, err := report.ChartCount(r); err != nil {
			rt.Fatal(err)
		}
		rows, err := report.CSV(r)
		if err != nil {
			rt.Fatal(err)
		}
		var table bytes.Buffer
		if err := report.Table(&table, r, report.TableOptions{}); err != nil {
			rt.Fatal(err)
		}
		if bytes.Contains(table.Bytes(), []byte("()")) {
			rt.Fatalf("an empty interval in the table:\n%s", table.Bytes())
		}
		for form, b := range map[string][]byte{"Markdown": report.Markdown(r), "CSV": rows, "table": table.Bytes()} {
			if m := word.Find(b); m != nil {
				rt.Fatalf("%s in the %s", m, form)
			}
		}
	})
}

// A trial of one second, in which nothing was written and nobody failed, is
// drawn like any other.
func TestOneSecond(t *testing.T) {
	s := two()
	s.metric = pgassay.MetricErrorRate
	r := s.result()
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if c.Effect, c.Absolute = (pgassay.Interval{Level: 0.95}), true; c.Metric == pgassay.MetricTPS {
			c.Metric = s.metric
		}
	}
	for i := range r.Timelines {
		for k := range r.Timelines[i].Series {
			x := &r.Timelines[i].Series[k]
			x.At, x.Value = []int64{1e9}, []float64{0}
		}
	}
	page, err := report.HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(page, []byte("<figure")); n != 5 {
		t.Errorf("got %d figures, want 5: effect, throughput and latency by load, percentiles, throughput over time", n)
	}
	if !bytes.Contains(page, []byte("PostgreSQL counted none")) {
		t.Error("the page does not say why dead rows are not drawn")
	}
}
