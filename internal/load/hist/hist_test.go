package hist_test

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/pgassay/pgassay/internal/load/hist"
	"pgregory.net/rapid"
)

// TestQuantile holds quantiles against the values at their ranks.
func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		says   string
		values []int64
		q      float64
		want   int64
	}{
		{"an empty histogram has quantile 0", nil, 0.5, 0},
		{"the median of one value is it", []int64{7}, 0.5, 7},
		{"small values are exact", []int64{1, 2, 3, 4}, 0.5, 2},
		{"quantile 0 is the smallest", []int64{5, 9}, 0, 5},
		{"quantile 1 is the largest", []int64{5, 9}, 1, 9},
		{"2,047 ns is still exact", []int64{2047}, 1, 2047},
		{"a negative latency counts as 0", []int64{-3}, 1, 0},
		{"0.99 of 100 values is rank 99, not 100", seq(100), 0.99, 99},
	} {
		h := hist.New()
		for _, v := range c.values {
			h.Record(v)
		}
		if got := h.Quantile(c.q); got != c.want {
			t.Errorf("%s: got %d, want %d", c.says, got, c.want)
		}
	}
}

func seq(n int) []int64 {
	var out []int64
	for i := range n {
		out = append(out, int64(i+1))
	}
	return out
}

// TestSameBuckets: our counts are an HdrHistogram's counts, value by value.
func TestSameBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 3_600_000_000_000), 1, 50).Draw(t, "values")
		h, theirs, r := hist.New(), hdr.New(1, 3_600_000_000_000, 3), hist.NewRecorder()
		var sum int64
		for _, v := range values {
			h.Record(v)
			r.Record(v)
			sum += v
			if err := theirs.RecordValue(v); err != nil {
				t.Fatal(err)
			}
		}
		again := hist.New()
		r.AddTo(again)
		ours, err := h.Encode()
		if err != nil {
			t.Fatal(err)
		}
		fromRecorder, err := again.Encode()
		if err != nil {
			t.Fatal(err)
		}
		text, err := theirs.EncodeV2()
		if err != nil {
			t.Fatal(err)
		}
		if got := base64.StdEncoding.EncodeToString(ours); got != string(text) {
			t.Errorf("encoding differs from HdrHistogram's\n got %s\nwant %s", got, text)
		}
		if !bytes.Equal(ours, fromRecorder) {
			t.Error("a recorder's histogram differs from one recorded directly")
		}
		if h.Sum() != sum {
			t.Errorf("sum: got %d, want %d", h.Sum(), sum)
		}
		for _, q := range []float64{0.01, 0.5, 0.9, 0.99, 1} {
			slices.Sort(values)
			exact := values[max(0, int(math.Ceil(q*float64(len(values))-1e-9))-1)]
			if got := h.Quantile(q); got < exact || float64(got-exact) > float64(exact)/1000+1 {
				t.Errorf("quantile %v: got %d, want %d within 0.1 %%", q, got, exact)
			}
		}
	})
}

// TestOver: what is longer than an hour is counted, and seen.
func TestOver(t *testing.T) {
	h, r := hist.New(), hist.NewRecorder()
	h.Record(math.MaxInt64)
	r.Record(math.MaxInt64)
	r.AddTo(h)
	if h.Count() != 2 || h.Over() != 2 || h.Max() < 3_600_000_000_000 {
		t.Errorf("got count %d, over %d, max %d, want 2, 2, one hour", h.Count(), h.Over(), h.Max())
	}
}

// TestMinus: the difference of two looks at a recorder is what lies between.
func TestMinus(t *testing.T) {
	r := hist.NewRecorder()
	r.Record(10)
	before := hist.New()
	r.AddTo(before)
	r.Record(2000)
	r.Record(2000)
	after := hist.New()
	r.AddTo(after)
	before.Minus(after)
	if before.Count() != 2 || before.Min() != 2000 || before.Sum() != 4000 {
		t.Errorf("got count %d, min %d, sum %d, want 2, 2000, 4000", before.Count(), before.Min(), before.Sum())
	}
}

// TestBars: bars are adjacent and hold every value once.
func TestBars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hist.New()
		for _, v := range rapid.SliceOf(rapid.Int64Range(-1, 4_000_000_000_000)).Draw(t, "values") {
			h.Record(v)
		}
		bars := h.Bars(rapid.IntRange(0, 40).Draw(t, "n"))
		var sum int64
		for i, b := range bars {
			sum += b.Count
			if b.Low >= b.High || i > 0 && math.Abs(b.Low-bars[i-1].High) > 1e-6*b.Low {
				t.Errorf("bar %d goes from %v to %v", i, b.Low, b.High)
			}
		}
		if bars != nil && sum != h.Count() {
			t.Errorf("bars hold %d values, want %d", sum, h.Count())
		}
	})
}

// TestDecodeForeign: a histogram with other buckets keeps its total and, within
// its own precision, its quantiles.
func TestDecodeForeign(t *testing.T) {
	theirs := hdr.New(1000, 60_000_000_000, 2)
	for i := range int64(1000) {
		if err := theirs.RecordValue((i + 1) * 10_000); err != nil {
			t.Fatal(err)
		}
	}
	text, err := theirs.EncodeV2()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		t.Fatal(err)
	}
	h, err := hist.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(h.Quantile(0.5)); h.Count() != 1000 || math.Abs(got/5_000_000-1) > 0.01 {
		t.Errorf("got count %d, median %v, want 1000, 5 ms within 1 %%", h.Count(), got)
	}
}

// FuzzDecode: bytes never panic; what is read can be written and read again and
// is the same, its total is the sum of its bars, and quantiles never fall.
func FuzzDecode(f *testing.F) {
	h := hist.New()
	for i := range int64(100) {
		h.Record(i * i * 1000)
	}
	seed, err := h.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := hist.Decode(data)
		if err != nil {
			return
		}
		var sum, last int64
		for _, b := range h.Bars(20) {
			sum += b.Count
		}
		if sum != h.Count() {
			t.Fatalf("bars hold %d values, want %d", sum, h.Count())
		}
		for q := 0.0; q <= 1; q += 0.05 {
			v := h.Quantile(q)
			if v < last {
				t.Fatalf("quantile %v is %d, below %d", q, v, last)
			}
			last = v
		}
		out, err := h.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := hist.Decode(out)
		if err != nil {
			t.Fatal(err)
		}
		if again.Count() != h.Count() || again.Max() != h.Max() || again.Quantile(0.5) != h.Quantile(0.5) {
			t.Fatal("encoding and decoding changed the histogram")
		}
	})
}

// BenchmarkRecord is the cost of one transaction's latency.
func BenchmarkRecord(b *testing.B) {
	r := hist.NewRecorder()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.Record(int64(20_000 + i&0xffff))
	}
}
