package analyze_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
)

// TestAnswers reads whole answers. Each row gives the change of every arm in
// every block against a baseline of 100,000 /s; nil is an arm without trials.
func TestAnswers(t *testing.T) {
	up, up2, down := []float64{1.10, 1.11, 1.09, 1.10}, []float64{1.30, 1.31, 1.29, 1.30}, []float64{0.90, 0.91, 0.89, 0.90}
	same, open := []float64{1.004, 0.997, 1.002, 0.998}, []float64{1.1, 0.9, 1.05, 0.97}
	contrast := failed("V3", pgassay.SeverityExperiment, "work_mem could not act")
	contrast.Arms = []int{1, 0}
	for _, row := range []struct {
		what    string
		changes [][]float64
		checks  []pgassay.CheckResult
		verdict pgassay.Verdict
		want    []string
	}{
		{
			"the best of several speaks", [][]float64{up, up2, down, same, open}, nil, pgassay.Improved,
			[]string{
				`"b" raised throughput by 30.0 % (95 % interval 28.7 % to 31.3 %) at 100 clients, compared with the baseline "base": from 100,000 /s to 130,000 /s, in 4 blocks.`,
				"Of the others, 1 arm improved too, 1 arm got worse, 1 arm stayed within ±2.5 % and 1 arm could not be told apart from the baseline; the largest effect of several tends to be overstated.",
			},
		},
		{
			"nobody gained: the largest loss speaks", [][]float64{down, open}, nil, pgassay.Regressed,
			[]string{
				`"a" lowered throughput by 10.0 % (95 % interval 8.7 % to 11.3 %) at 100 clients, compared with the baseline "base": from 100,000 /s to 90,000 /s, in 4 blocks.`,
				"Of the others, 1 arm could not be told apart from the baseline.",
			},
		},
		{
			"all within the margin", [][]float64{same, same}, nil, pgassay.Equivalent,
			[]string{
				`"a" and "b" gave the same throughput as the baseline "base" at 100 clients, within ±2.5 %.`,
				"The 95 % interval -0.50 % to +0.55 %, in 4 blocks, leaves no room for more.",
			},
		},
		{
			"one arm stays open, so the question does", [][]float64{same, open}, nil, pgassay.Inconclusive,
			[]string{
				"No difference in throughput could be claimed at 100 clients.",
				"With 4 blocks this experiment could have seen a change of 32.5 % or more; a smaller one may exist. 1 arm stayed within ±2.5 %.",
			},
		},
		{
			"an arm that a check took away is named", [][]float64{up, open}, []pgassay.CheckResult{contrast}, pgassay.Inconclusive,
			[]string{
				"No difference in throughput could be claimed at 100 clients.",
				"With 4 blocks this experiment could have seen a change of 24.8 % or more; a smaller one may exist.",
				`"a" could not be judged: work_mem could not act (V3).`,
			},
		},
		{
			"an arm without trials does not silence the others", [][]float64{open, nil}, nil, pgassay.Inconclusive,
			[]string{
				"No difference in throughput could be claimed at 100 clients.",
				"With 4 blocks this experiment could have seen a change of 24.8 % or more; a smaller one may exist.",
			},
		},
		{
			"nothing to compare", nil, nil, pgassay.Inconclusive,
			[]string{
				`There is one arm, "base", so nothing was compared.`,
				"Its throughput at 100 clients was 100,000 /s (95 % interval 100,000 /s to 100,000 /s) over 4 blocks.",
			},
		},
	} {
		e := experiment(4, append([]string{"base"}, strings.Split("a b c d e", " ")[:len(row.changes)]...)...)
		res := mustAnalyze(t, e, trials(e, 4, func(b, a, _ int) float64 {
			switch {
			case a == 0:
				return 100_000
			case row.changes[a-1] == nil:
				return -1
			}
			return 100_000 * row.changes[a-1][b-1]
		}), row.checks...)
		if res.Answer.Verdict != row.verdict {
			t.Errorf("%s: got %s want %s", row.what, res.Answer.Verdict, row.verdict)
		}
		if diff := cmp.Diff(row.want, res.Answer.Sentences); diff != "" {
			t.Errorf("%s: -want +got\n%s", row.what, diff)
		}
	}
}

// TestPrice: what got worse for the winner at the same load is said with it.
func TestPrice(t *testing.T) {
	e := experiment(4, "base", "new")
	recs := trials(e, 4, func(b, a, _ int) float64 { return 20_000 * (1 + 0.2*float64(a)) * (1 + 0.002*float64(a*b)) })
	for _, r := range recs {
		r.Histograms = latencies(t, 1e6, 19_000, int64(10e6)*int64(1+r.Order.Arm)+int64(r.Order.Block)*20_000, 1000)
	}
	s := mustAnalyze(t, e, recs).Answer.Sentences
	if want := "It has a price: at the same load it raised mean latency by "; len(s) != 3 || !strings.HasPrefix(s[2], want) || !strings.HasSuffix(s[2], "(exploratory).") {
		t.Errorf("got %q want %q…", s, want)
	}
}
