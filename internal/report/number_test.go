package report

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		unit string
		v    float64
		want string
	}{
		{"1/s", 12345.6, "12,350 /s"},      // rates have four digits
		{"1/s", 838.44, "838.4 /s"},        //
		{"1/s", 0, "0 /s"},                 //
		{"ns", 45_600_000, "45.6 ms"},      // latencies are scaled
		{"ns", 999, "999 ns"},              //
		{"ns", 1_234, "1.23 µs"},           //
		{"ns", 2.5e9, "2.50 s"},            //
		{"ns", 0, "0 ns"},                  //
		{"s", 0.000218, "218 µs"},          // CPU per transaction
		{"s", 14, "14.0 s"},                //
		{"s", 0, "0 s"},                    //
		{"B", 612, "612 B"},                // sizes are in powers of 1024
		{"B", 8 << 30, "8.00 GB"},          //
		{"1", 0.0123, "1.23 %"},            // shares
		{"", 837_925, "837,925"},           // counts are whole
		{"", 5.25, "5.25"},                 // but means of them need not be
		{"", 10_540.25, "10,540"},          //
		{"", -1.5, "−1.50"},                // a true minus
		{"ns", math.Inf(1), "–"},           // what is not a number is not printed as one
		{"", math.NaN(), "–"},              //
		{"1/s", 999_999.5, "1,000,000 /s"}, // rounding may add a digit
	} {
		if got := strings.ReplaceAll(amount(c.unit, c.v), gap, " "); got != c.want {
			t.Errorf("amount(%q, %v): got %q, want %q", c.unit, c.v, got, c.want)
		}
	}
}

func TestChange(t *testing.T) {
	rel := func(e, low, high float64) pgassay.Comparison {
		return pgassay.Comparison{Metric: pgassay.MetricTPS, Effect: pgassay.Interval{Estimate: e, Low: low, High: high}}
	}
	dead := rel(8_259, 7_030, 9_480)
	dead.Metric, dead.Absolute = pgassay.MetricDeadRowsEnd, true
	none := rel(0, 0, 0)
	none.Metric, none.Absolute = pgassay.MetricErrorRate, true
	for _, c := range []struct {
		c           pgassay.Comparison
		effect, rng string
	}{
		{rel(0.123, 0.101, 0.144), "+12.3 %", "+10.1 to +14.4 %"},
		{rel(-0.0312, -0.05, 0.012), "−3.1 %", "−5.0 to +1.2 %"},
		{rel(1.5, 1.2, 1.9), "+150 %", "+120 to +190 %"},
		{rel(0.004, -0.001, 0.008), "+0.40 %", "−0.10 to +0.80 %"},
		{rel(0.02, math.Inf(-1), math.Inf(1)), "+2.0 %", ""}, // one block has no interval
		{rel(math.NaN(), math.Inf(-1), math.Inf(1)), "–", ""},
		{dead, "+8,259", "+7,030 to +9,480"},
		{none, "0 %", ""}, // no error anywhere: no sign, no interval
	} {
		if got := strings.ReplaceAll(change(c.c), gap, " "); got != c.effect {
			t.Errorf("change(%v): got %q, want %q", c.c.Effect, got, c.effect)
		}
		if got := strings.ReplaceAll(changeRange(c.c), gap, " "); got != c.rng {
			t.Errorf("changeRange(%v): got %q, want %q", c.c.Effect, got, c.rng)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		i    pgassay.Interval
		want string
	}{
		{pgassay.Interval{Estimate: 45.6e6, Low: 44.2e6, High: 47e6}, "± 1.4"},         // in the estimate's unit
		{pgassay.Interval{Estimate: 45.6e6, Low: 44.2e6, High: 50e6}, "44.2 to 50.0"},  // not symmetric
		{pgassay.Interval{Estimate: 45.6e6, Low: math.Inf(-1), High: math.Inf(1)}, ""}, // not known
		{pgassay.Interval{Estimate: 45.6e6, Low: 45.6e6, High: 45.6e6}, ""},            // no width
	} {
		if got := strings.ReplaceAll(spread("ns", c.i), gap, " "); got != c.want {
			t.Errorf("spread(%v): got %q, want %q", c.i, got, c.want)
		}
	}
}

func TestPercentAndDuration(t *testing.T) {
	for v, want := range map[float64]string{0.95: "95 %", 0.025: "2.5 %", 0.1: "10 %", 0.005: "0.5 %", 1: "100 %", 0: "0 %"} {
		if got := strings.ReplaceAll(percent(v), gap, " "); got != want {
			t.Errorf("percent(%v): got %q, want %q", v, got, want)
		}
	}
	for d, want := range map[time.Duration]string{8 * time.Second: "8 s", time.Minute: "1 min", 248 * time.Second: "4 min 8 s", 161 * time.Minute: "2 h 41 min", 0: "0 s"} {
		if got := strings.ReplaceAll(duration(d), gap, " "); got != want {
			t.Errorf("duration(%v): got %q, want %q", d, got, want)
		}
	}
}

// An amount is short whatever the value, and rounds by less than a percent.
func TestAmountIsShort(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.Float64Range(1e-9, 1e15).Draw(rt, "v")
		unit := rapid.SampledFrom([]string{"1/s", "ns", "s", "B", "1", ""}).Draw(rt, "unit")
		got := amount(unit, v)
		if len([]rune(got)) > 26 || strings.ContainsAny(got, "eE") && unit != "" {
			rt.Fatalf("amount(%q, %v) is %q", unit, v, got)
		}
	})
}

func TestSettingValue(t *testing.T) {
	for _, c := range [][3]string{
		{"131072", "8kB", "1 GB"}, {"16384", "8kB", "128 MB"}, {"20", "ms", "20 ms"}, {"-1", "ms", "-1"}, {"on", "", "on"}, {"", "", "''"}, {"3", "8kB", "24 kB"}, {"0", "8kB", "0 8kB"}, {"1.5", "ms", "1.5 ms"},
	} {
		if got := settingValue(c[0], c[1]); got != c[2] {
			t.Errorf("settingValue(%q, %q): got %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// One value in the middle of an axis, whatever its size.
func TestAxisOfOneValue(t *testing.T) {
	for _, v := range []float64{1e-6, 2e-4, 0.5, 1, 7, 1e5, 3e9} {
		lin, _ := linear("x", "s", v, v)
		if lin.Min < 0 || lin.Min > v || lin.Max < v || lin.Max > 2*v || len(lin.Ticks) < 2 {
			t.Errorf("linear: got %v to %v with %d ticks for %v", lin.Min, lin.Max, len(lin.Ticks), v)
		}
		log, at := logarithmic("x", "s", v, v), math.Log10(v)
		if log.Min > at || log.Max < at || log.Max-log.Min > 2 || len(log.Ticks) < 2 {
			t.Errorf("logarithmic: got %v to %v with %d ticks for %v", log.Min, log.Max, len(log.Ticks), at)
		}
	}
}

// Axes of effects and of time have a width also when nothing differs, or when a
// trial was looked at once.
func TestDegenerateAxes(t *testing.T) {
	a := effectAxis(pgassay.MetricErrorRate, true, extent{0, 0, true})
	if a.Min >= 0 || a.Max <= 0 || len(a.Ticks) < 3 {
		t.Errorf("effects: got %v to %v with %d ticks, want zero within", a.Min, a.Max, len(a.Ticks))
	}
	for _, v := range []float64{-1, 0, 0.004, 1, 60} {
		if c := clock(extent{v, v, true}); !(c.Min <= v && c.Max >= v && c.Min < c.Max) {
			t.Errorf("clock: got %v to %v for %v", c.Min, c.Max, v)
		}
	}
}

// Axes have ascending ticks within their limits and hold all values.
func TestAxesHoldTheirValues(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := rapid.Float64Range(1e-6, 1e12).Draw(rt, "a")
		b := rapid.Float64Range(1e-6, 1e12).Draw(rt, "b")
		lo, hi := math.Min(a, b), math.Max(a, b)
		lin, _ := linear("x", "", lo, hi)
		log := logarithmic("x", "ns", lo, hi)
		for _, x := range []struct {
			axis   axis
			lo, hi float64
		}{{lin, lo, hi}, {log, math.Log10(lo), math.Log10(hi)}} {
			slack := 1e-3 * math.Max(1e-9, x.axis.Max-x.axis.Min)
			if x.axis.Min > x.lo+slack || x.axis.Max < x.hi-slack {
				rt.Fatalf("axis %v to %v does not hold %v to %v", x.axis.Min, x.axis.Max, x.lo, x.hi)
			}
			if n := len(x.axis.Ticks); n < 2 || n > 25 {
				rt.Fatalf("%d ticks", n)
			}
			for i, k := range x.axis.Ticks {
				if i > 0 && k.At <= x.axis.Ticks[i-1].At || k.At < x.axis.Min-slack || k.At > x.axis.Max+slack {
					rt.Fatalf("tick %d at %v is out of order or out of %v to %v", i, k.At, x.axis.Min, x.axis.Max)
				}
			}
		}
	})
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"a\nb": "a b", "a\x1b[2J": "a [2J", "\u202eevil": "evil", "plain": "plain", "ä ö": "ä ö", "": ""} {
		if got := oneLine(in); got != want {
			t.Errorf("oneLine(%q): got %q, want %q", in, got, want)
		}
	}
}

// Escaped Markdown is the text again once its escapes are taken away.
func TestEscapeMarkdownKeepsText(t *testing.T) {
	back := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
	rapid.Check(t, func(rt *rapid.T) {
		in := oneLine(rapid.StringOf(rapid.RuneFrom(nil, unicode.Letter, unicode.Punct, unicode.Symbol)).Draw(rt, "in"))
		var b strings.Builder
		runes := []rune(escapeMarkdown(in))
		for i := 0; i < len(runes); i++ {
			if runes[i] == '\\' {
				i++
			}
			b.WriteRune(runes[i])
		}
		if got := back.Replace(b.String()); got != in {
			rt.Fatalf("got %q, want %q", got, in)
		}
	})
}
