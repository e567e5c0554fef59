package experiment

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParseQuantity(t *testing.T) {
	for _, one := range []struct {
		text, base string
		want       float64
		why        string
	}{
		{"4MB", "kB", 4096, "a size in a smaller unit"},
		{"128kB", "8kB", 16, "blocks of 8 kB"},
		{"1.5GB", "MB", 1536, "a fraction"},
		{"300_000", "", 300000, "underscores"},
		{"1min", "s", 60, "a time"},
		{"500us", "ms", 0.5, "a fraction of the setting's unit"},
		{"2 d", "h", 48, "a space before the unit"},
		{"-1", "kB", -1, "a bare number is in the setting's unit"},
		{"1e3", "ms", 1000, "an exponent"},
	} {
		q, ok, err := parseQuantity(one.text)
		if !ok || err != nil {
			t.Errorf("%s (%s): got %v, %v", one.text, one.why, ok, err)
			continue
		}
		if got, err := q.in(one.base); err != nil || got != one.want {
			t.Errorf("%s (%s) in %s: got %v, %v, want %v", one.text, one.why, one.base, got, err, one.want)
		}
	}
	for _, text := range []string{"", "kB", "1..2", "_1", "0x1F", "1e999", "five"} {
		if q, ok, _ := parseQuantity(text); ok {
			t.Errorf("%q: got %v, want no number", text, q)
		}
	}
}

// TestFormatQuantity: what is written in a setting's unit reads back as the
// same number of them, whatever unit it is written in.
func TestFormatQuantity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]string{"B", "kB", "8kB", "MB", "16MB", "us", "ms", "s", "min", "h", "d"}).Draw(t, "base")
		n := float64(rapid.Int64Range(-1, math.MaxInt32).Draw(t, "n"))
		text := formatQuantity(n, base)
		q, ok, err := parseQuantity(text)
		if !ok || err != nil {
			t.Fatalf("%q does not parse: %v", text, err)
		}
		if got, err := q.in(base); err != nil || math.Abs(got-n) > 1e-9*math.Abs(n) {
			t.Fatalf("got %v, %v from %q, want %v", got, err, text, n)
		}
		if n != 0 && canonical(text) != canonical(formatQuantity(n, base)) {
			t.Fatalf("canonical(%q) is not stable", text)
		}
	})
}

func TestCanonical(t *testing.T) {
	for _, one := range []struct {
		a, b  string
		equal bool
		why   string
	}{
		{"0.10", "0.1", true, "one number"},
		{"1024kB", "1MB", true, "one size"},
		{"60s", "1min", true, "one time"},
		{"1", "1s", false, "the unit of a bare number is not known here"},
		{"1B", "1us", false, "a size is not a time"},
		{"on", "off", false, "words"},
	} {
		if got := canonical(one.a) == canonical(one.b); got != one.equal {
			t.Errorf("%s, %s (%s): got %v", one.a, one.b, one.why, got)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"work_mem", "wal_buffers", "jit", "jit_above_cost", "warmup"}
	for _, one := range []struct{ word, want, why string }{
		{"workmem", "work_mem", "one character is missing"},
		{"wokr_mem", "work_mem", "a swap counts once"},
		{"JIT", "jit", "case does not count"},
		{"warm-up", "warmup", "one too many"},
		{"tij", "", "three letters, two edits"},
		{"something_else", "", "nothing near"},
	} {
		if got := nearest(one.word, names); got != one.want {
			t.Errorf("%s (%s): got %q, want %q", one.word, one.why, got, one.want)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]string{"10s": "10s", "1h30m": "90min", "500ms": "500ms", "1.5h": "90min", "2d": "2d", "60min": "1h", "0s": "0s"} {
		d, err := parseDuration(text)
		if err != nil || formatDuration(d) != want {
			t.Errorf("%s: got %s, %v, want %s", text, formatDuration(d), err, want)
		}
	}
	for _, text := range []string{"", "10", "-1s", "1y", "s", "1s2", "999999999999d"} {
		if d, err := parseDuration(text); err == nil {
			t.Errorf("%q: got %s, want an error", text, d)
		}
	}
}

func TestFormula(t *testing.T) {
	value := func(name string) (float64, bool) { return 3, name == "scale" }
	if got, err := formula("scale * 100_011 + :scale + 1", value); err != nil || got != 300037 {
		t.Errorf("got %v, %v, want 300037", got, err)
	}
	if _, err := formula("scale * nobody", value); err == nil {
		t.Error("got no error for an unknown name")
	}
}
