package script_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/load/script"
)

func compile(tb testing.TB, text string, shared ...pgassay.Variable) *script.Program {
	tb.Helper()
	s, err := script.Parse("test.sql", text)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := script.Compile([]script.Unit{{Script: s, Weight: 1}}, shared)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// trace runs one transaction and writes its steps with the parameters.
func trace(tb testing.TB, p *script.Program, c *script.Client, unit int) string {
	tb.Helper()
	var b strings.Builder
	c.Start(unit)
	for {
		step, err := c.Next()
		if err != nil {
			return b.String() + "error: " + err.Error()
		}
		switch step.Kind {
		case script.StepEnd:
			return b.String()
		case script.StepSleep:
			fmt.Fprintf(&b, "sleep %v; ", step.Wait)
		case script.StepSQL:
			for i, part := range p.Statements()[step.Statement].Parts {
				b.WriteString(part.SQL)
				for j := range c.Params(step.Statement, i) {
					v, null := c.AppendParam(nil, step.Statement, i, j)
					if null {
						v = []byte("NULL")
					}
					b.WriteString(" " + string(v))
				}
				b.WriteString("; ")
			}
		}
	}
}

// TestRun holds the flow of scripts against what happens.
func TestRun(t *testing.T) {
	for _, c := range []struct{ says, text, want string }{
		{"conditions choose their arm", "\\set x 2\n\\if :x = 1\nA;\n\\elif :x = 2\nB;\n\\elif true\nC;\n\\else\nD;\n\\endif\nE;", "B; E; "},
		{"else is the last resort", "\\if null\nA;\n\\elif 0\nB;\n\\else\nC;\n\\endif", "C; "},
		{"conditions nest", "\\if 1\n\\if 0\nA;\n\\else\nB;\n\\endif\n\\else\nC;\n\\endif", "B; "},
		{"a condition without else may do nothing", "\\if 0\nA;\n\\endif\nB;", "B; "},
		{"the arm that was not taken is not evaluated", "\\if 0\n\\set x 1/0\n\\endif\nB;", "B; "},
		{"sleep has units", "\\sleep 5 us\n\\sleep 5 ms\n\\sleep 5\n\\set x 7\n\\sleep :x ms\n\\sleep 0", "sleep 5µs; sleep 5ms; sleep 5s; sleep 7ms; "},
		{"doubles have 15 digits", "\\set x 1.0 / 3\nA :x;", "A $1 0.333333333333333; "},
		{"a NULL is a NULL parameter", "\\set x null\nA :x;", "A $1 NULL; "},
		{"given text goes into SQL as it is", "A :code;", "A $1 007; "},
		{"and is a number in expressions", "\\set x :code + 1\nA :x;", "A $1 8; "},
		{"a word is no number", "\\set x :word + 1\nA :x;", `error: test.sql:1: variable :word is "hello", which is no number, boolean or null`},
		{"automatic variables", "A :client_id :scale :random_seed;", "A $1 $2 $3 3 5 42; "},
		{"an error names script and line", "SELECT 1;\n\\set x 1/0", "SELECT 1; error: test.sql:2: division by zero"},
		{"a variable is read before it was set", "\\set y :x\n\\set x 1", "error: test.sql:1: variable :x is not set yet"},
	} {
		p := compile(t, c.text, pgassay.Variable{Name: "code", Value: "007"}, pgassay.Variable{Name: "word", Value: "hello"})
		if got := trace(t, p, p.NewClient(script.Options{Seed: 42, ID: 3, Scale: 5}), 0); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.says, got, c.want)
		}
	}
}

// TestScopes: a script's own variables are its own, the workload's win over
// them, and what \set makes is shared.
func TestScopes(t *testing.T) {
	one, err := script.Parse("one", "A :batch :common;\n\\set seen :batch")
	if err != nil {
		t.Fatal(err)
	}
	two, err := script.Parse("two", "B :batch :common :seen;")
	if err != nil {
		t.Fatal(err)
	}
	p, err := script.Compile([]script.Unit{
		{Script: one, Weight: 1, Variables: []pgassay.Variable{{Name: "batch", Value: "10"}, {Name: "common", Value: "1"}}},
		{Script: two, Weight: 3, Variables: []pgassay.Variable{{Name: "batch", Value: "20"}}},
	}, []pgassay.Variable{{Name: "common", Value: "9"}})
	if err != nil {
		t.Fatal(err)
	}
	c := p.NewClient(script.Options{})
	if got, want := trace(t, p, c, 0)+trace(t, p, c, 1), "A $1 $2 10 9; B $1 $2 $3 20 9 10; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var chosen [2]int
	for range 4000 {
		chosen[c.Choose()]++
	}
	if share := float64(chosen[1]) / 4000; math.Abs(share-0.75) > 0.03 {
		t.Errorf("a script of weight 3 of 4 was chosen in %.3f of the cases", share)
	}
}

// TestKeys: one seed means these keys, on every platform. When this golden file
// changes, every stored experiment's seed means something else.
func TestKeys(t *testing.T) {
	var b strings.Builder
	p := compile(t, `\set u random(1, 1000000)
\set g random_gaussian(1, 1000000, 2.5)
\set e random_exponential(1, 1000000, 5)
\set z random_zipfian(1, 1000000, 1.07)
\set w random(-4611686018427387904, 4611686018427387902)
\set h hash(:u)
\set p permute(:u, 1000000)
K :u :g :e :z :w :h :p;`)
	for id := range 3 {
		c := p.NewClient(script.Options{Seed: 7, ID: id, Scale: 1})
		for range 5 {
			fmt.Fprintf(&b, "client %d: %s\n", id, strings.TrimPrefix(trace(t, p, c, 0), "K $1 $2 $3 $4 $5 $6 $7 "))
		}
	}
	golden(t, "keys.golden", b.String())
}

// TestDistributions: the random functions have the shapes of pgbench's manual.
func TestDistributions(t *testing.T) {
	const n, size = 200_000, 10
	share := func(expr string, good func(k int) bool) float64 {
		p := compile(t, `\set k `+expr+"\nK :k;")
		c := p.NewClient(script.Options{Seed: 1})
		hits := 0
		for range n {
			c.Start(0)
			if _, err := c.Next(); err != nil {
				t.Fatal(err)
			}
			v, _ := c.AppendParam(nil, 0, 0, 0)
			var k int
			if _, err := fmt.Sscan(string(v), &k); err != nil || k < 1 || k > size {
				t.Fatalf("%s gave %s, want 1 to %d", expr, v, size)
			}
			if good(k) {
				hits++
			}
		}
		return float64(hits) / n
	}
	var zeta float64
	for k := 1; k <= size; k++ {
		zeta += math.Pow(float64(k), -1.5)
	}
	phi := func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt2)) / 2 }
	for _, c := range []struct {
		says, expr string
		good       func(int) bool
		want       float64
	}{
		{"uniform: each of ten values is a tenth", "random(1, 10)", func(k int) bool { return k == 3 }, 0.1},
		{"exponential: f(1) of the manual", "random_exponential(1, 10, 4.0)", func(k int) bool { return k == 1 }, (1 - math.Exp(-0.4)) / (1 - math.Exp(-4))},
		{"gaussian: the middle fifth", "random_gaussian(1, 10, 2.5)", func(k int) bool { return k == 5 || k == 6 }, (2*phi(0.5) - 1) / (2*phi(2.5) - 1)},
		{"zipfian: the first is k^-s / H", "random_zipfian(1, 10, 1.5)", func(k int) bool { return k == 1 }, 1 / zeta},
		{"zipfian: the third", "random_zipfian(1, 10, 1.5)", func(k int) bool { return k == 3 }, math.Pow(3, -1.5) / zeta},
	} {
		// Five standard errors of a share.
		if got := share(c.expr, c.good); math.Abs(got-c.want) > 5*math.Sqrt(c.want*(1-c.want)/n) {
			t.Errorf("%s: got %.4f, want %.4f", c.says, got, c.want)
		}
	}
}

// TestNoAllocation: a transaction's expressions and parameters allocate nothing.
func TestNoAllocation(t *testing.T) {
	p := compile(t, heavy)
	c := p.NewClient(script.Options{Seed: 1, Scale: 1})
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(1000, func() { buf = transaction(t, p, c, buf) }); n != 0 {
		t.Errorf("got %v allocations per transaction, want 0", n)
	}
}

// heavy has 20 \set lines with every kind of function.
const heavy = `\set a random(1, 100000 * :scale)
\set b random_gaussian(1, 1000, 2.5)
\set c random_exponential(1, 1000, 3)
\set d random_zipfian(1, 1000, 1.2)
\set e :a + :b * :c - :d
\set f :e / 3 % 7
\set g case when :f > 3 then 1 when :f is null then 2 else 3 end
\set h hash(:a, 5)
\set i greatest(:a, :b, :c, :d)
\set j least(1.5, :a)
\set k sqrt(:a) + pow(:b, 0.5) + ln(:c) + exp(0.5)
\set l abs(:e) & 255 | 3 # 9 << 1
\set m :a > :b and :c < :d or not :f = 1
\set n int(:k) + double(:f)
\set o permute(:a, 1000, 3)
\set p hash_fnv1a(:a)
\set q random(1, 10)
\set r :q * 2
\set s :r - 1
\set t mod(:s, 5)
SELECT :a, :b, :k, :m;
`

func transaction(tb testing.TB, p *script.Program, c *script.Client, buf []byte) []byte {
	c.Start(0)
	for {
		step, err := c.Next()
		if err != nil {
			tb.Fatal(err)
		}
		if step.Kind == script.StepEnd {
			return buf
		}
		for i := range c.Params(step.Statement, 0) {
			buf, _ = c.AppendParam(buf[:0], step.Statement, 0, i)
		}
	}
}

// BenchmarkTwentySets is one transaction of twenty \set lines.
func BenchmarkTwentySets(b *testing.B) {
	p := compile(b, heavy)
	c := p.NewClient(script.Options{Seed: 1, Scale: 1})
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		buf = transaction(b, p, c, buf)
	}
}

// BenchmarkSelectOnly is pgbench's select-only transaction.
func BenchmarkSelectOnly(b *testing.B) {
	p := compile(b, "\\set aid random(1, 100000 * :scale)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;")
	c := p.NewClient(script.Options{Seed: 1, Scale: 10})
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		buf = transaction(b, p, c, buf)
	}
}

// TestLongSleep: a sleep that would overflow is cut to a day.
func TestLongSleep(t *testing.T) {
	p := compile(t, `\sleep 9223372036854775807 s`)
	c := p.NewClient(script.Options{})
	c.Start(0)
	if step, err := c.Next(); err != nil || step.Wait != 24*time.Hour {
		t.Errorf("got %v, %v, want one day", step.Wait, err)
	}
}
