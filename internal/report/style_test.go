package report

import (
	"slices"
	"testing"

	"github.com/pgassay/pgassay"
)

func grid(first, second []string) *pgassay.Experiment {
	e := &pgassay.Experiment{Factors: []pgassay.Factor{{Name: "autovacuum_vacuum_scale_factor", Levels: first}, {Name: "autovacuum_vacuum_cost_delay", Levels: second}}}
	for i, a := range first {
		for j, b := range second {
			e.Arms = append(e.Arms, pgassay.Arm{Name: a + b, Levels: []int{i, j}})
		}
	}
	e.Loads = []pgassay.Load{{Name: "1 client", Clients: 1}}
	return e
}

// Every arm looks different: in colour, or in symbol where colours run out.
func TestStylesAreDistinct(t *testing.T) {
	named := &pgassay.Experiment{}
	for _, n := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"} {
		named.Arms = append(named.Arms, pgassay.Arm{Name: n})
	}
	for name, e := range map[string]*pgassay.Experiment{"grid": grid([]string{"0.02", "0.1", "0.2"}, []string{"1ms", "10ms", "20ms"}), "named": named} {
		seen := map[style]bool{}
		for a, s := range styles(e) {
			if seen[s] {
				t.Errorf("%s: arm %d looks like another", name, a)
			}
			seen[s] = true
		}
	}
}

// Labels are the levels, unless two arms would have the same.
func TestLabels(t *testing.T) {
	e := grid([]string{"0.02", "0.1"}, []string{"1ms"})
	e.Arms = append(e.Arms, pgassay.Arm{Name: "lazy"})
	if got, want := labels(e), []string{"0.02 · 1ms", "0.1 · 1ms", "lazy"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	e.Arms[2].Name = "0.1 · 1ms"
	if got, want := labels(e), []string{"0.02 · 1ms", "0.11ms", "0.1 · 1ms"}; !slices.Equal(got, want) {
		t.Errorf("with a clash: got %q, want %q", got, want)
	}
	if got, want := armHeading(e), "scale_factor · cost_delay"; got != want {
		t.Errorf("got heading %q, want %q", got, want)
	}
}

// A grid of nine arms becomes three panels, each with the baseline; every arm
// is in one of them.
func TestGroups(t *testing.T) {
	for name, e := range map[string]*pgassay.Experiment{
		"3 x 3":   grid([]string{"0.02", "0.1", "0.2"}, []string{"1ms", "10ms", "20ms"}),
		"2 x 9":   grid([]string{"a", "b"}, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}),
		"2 x 2":   grid([]string{"a", "b"}, []string{"1", "2"}),
		"1 x 1":   grid([]string{"a"}, []string{"1"}),
		"7 named": {Arms: make([]pgassay.Arm, 7)},
	} {
		v := &view{e: e, labels: labels(e)}
		seen := map[int]bool{}
		for _, g := range v.groups() {
			if len(g.arms) > crowd+1 {
				t.Errorf("%s: %d arms in a panel", name, len(g.arms))
			}
			if !slices.Contains(g.arms, e.Baseline) {
				t.Errorf("%s: the baseline is not in panel %q", name, g.title)
			}
			for _, a := range g.arms {
				seen[a] = true
			}
		}
		if len(seen) != len(e.Arms) {
			t.Errorf("%s: %d of %d arms are shown", name, len(seen), len(e.Arms))
		}
	}
}

// The series of several tables are added up at every moment.
func TestTotal(t *testing.T) {
	got := total([]pgassay.Series{
		{Name: pgassay.SeriesDeadRows, Object: "a", At: []int64{1, 3}, Value: []float64{10, 30}},
		{Name: pgassay.SeriesTPS, At: []int64{1}, Value: []float64{1000}},
		{Name: pgassay.SeriesDeadRows, Object: "b", At: []int64{1, 2}, Value: []float64{1, 2}},
	}, pgassay.SeriesDeadRows)
	if want := []int64{1, 2, 3}; !slices.Equal(got.At, want) {
		t.Errorf("got times %v, want %v", got.At, want)
	}
	if want := []float64{11, 12, 32}; !slices.Equal(got.Value, want) {
		t.Errorf("got %v, want %v", got.Value, want)
	}
}

// Notes are lettered, each reason once.
func TestNotes(t *testing.T) {
	var n notes
	for _, c := range []struct{ why, mark string }{{"x", "a"}, {"y", "b"}, {"x", "a"}, {"", ""}} {
		if got := n.empty(c.why).Mark; got != c.mark {
			t.Errorf("got mark %q for %q, want %q", got, c.why, c.mark)
		}
	}
	if got, want := letter(26), "aa"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
