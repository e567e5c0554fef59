package report

import (
	"fmt"
	"strconv"

	"github.com/pgassay/pgassay"
)

// answer is the top: the verdict, two sentences, what to beware of, and the
// picture of the comparison that decides.
func (v *view) answer() section {
	s := section{ID: "answer", Title: "Answer"}
	p := v.e.Design.Primary
	about := titleOf(p.Metric) + " at " + v.load()
	s.Blocks = append(s.Blocks, block{Badge: &badge{v.Answer.Verdict, about}})
	for _, t := range v.Answer.Sentences {
		s.Blocks = append(s.Blocks, block{Lead: sentence(t)})
	}
	for _, b := range v.Banners {
		s.Blocks = append(s.Blocks, block{Banner: b})
	}
	if f := v.effectFigure(); f != nil {
		s.Blocks = append(s.Blocks, block{Figure: f})
	}
	return s
}

// compared says what the arms are, what pushed them, and how fair it was.
func (v *view) compared() section {
	s := section{ID: "compared", Title: "What was compared"}
	t := &table{Caption: "Arms and what is particular to each", Columns: []column{{Text: "Arm"}, {Text: "Treatment"}}}
	if h := armHeading(v.e); h != "Arm" {
		t.Columns[0].Text = "Arm (" + h + ")"
	}
	for a := range v.e.Arms {
		t.Rows = append(t.Rows, []entry{v.swatch(a), code(v.treatment(a))})
	}
	s.Blocks = append(s.Blocks, block{Table: t})
	s.Blocks = append(s.Blocks, block{List: v.how()})
	return s
}

// treatment lists what an arm sets that not all arms share.
func (v *view) treatment(a int) string {
	arm := v.e.Arms[a]
	out := ""
	add := func(text string) {
		if out != "" {
			out += "; "
		}
		out += oneLine(text)
	}
	if arm.Postgres != "" {
		add("postgres = " + arm.Postgres)
	}
	if arm.PgBin != "" {
		add("pg_bin = " + arm.PgBin)
	}
	for _, s := range arm.Treatment {
		add(s.Name + " = " + s.Value)
	}
	for _, t := range arm.Tables {
		add(t.Table + "." + t.Name + " = " + t.Value)
	}
	for _, x := range arm.Variables {
		add("$" + x.Name + " = " + x.Value)
	}
	for _, p := range arm.Dataset.Parameters {
		if !v.sharedParameter(p) {
			add("dataset." + p.Name + " = " + p.Value)
		}
	}
	for _, q := range arm.SQL {
		add(q)
	}
	if out == "" {
		return "nothing of its own"
	}
	return out
}

func (v *view) sharedParameter(p pgassay.Variable) bool {
	for _, q := range v.e.Dataset.Parameters {
		if q == p {
			return true
		}
	}
	return false
}

// how describes load, data and design in a few lines.
func (v *view) how() []string {
	var out []string
	scripts := ""
	total := 0
	for _, sc := range v.e.Workload.Scripts {
		total += sc.Weight
	}
	for i, sc := range v.e.Workload.Scripts {
		if i > 0 {
			scripts += ", "
		}
		scripts += oneLine(sc.Name)
		if len(v.e.Workload.Scripts) > 1 && total > 0 {
			scripts += " " + percent(float64(sc.Weight)/float64(total))
		}
	}
	if scripts != "" {
		out = append(out, "Load: "+scripts+".")
	}
	levels := ""
	for l := range v.e.Loads {
		if l > 0 {
			levels += ", "
		}
		levels += v.loadName(l)
	}
	if levels != "" {
		out = append(out, "Load levels: "+levels+".")
	}
	if name := v.e.Dataset.Builtin + v.e.Dataset.Init; name != "" {
		data := "Data: " + oneLine(name)
		for _, p := range v.e.Dataset.Parameters {
			data += ", " + oneLine(p.Name+" "+grouped(p.Value))
		}
		out = append(out, data+".")
	}
	w := v.e.Workload
	measure := "for " + duration(w.Measure.Duration)
	if w.Measure.Duration == 0 {
		measure = "for " + decimals(float64(w.Measure.Transactions), 0) + " transactions"
	}
	out = append(out, fmt.Sprintf("Each trial warms up for %s and is measured %s.", duration(w.Warmup), measure))
	d := v.e.Design
	design := fmt.Sprintf("Planned: %s of every arm at every load level, in a balanced random order (seed %d)", plural(d.Stop.FixedBlocks, "block"), d.Seed)
	switch d.Reset {
	case pgassay.ResetRestore:
		design += "; every trial starts from a fresh copy of the same data directory"
	case pgassay.ResetTemplateDB:
		design += "; every trial starts from a copy of the same database"
	case pgassay.ResetNone:
		design += "; nothing is restored between trials"
	}
	out = append(out, design+".")
	rule := fmt.Sprintf("Decides: %s at %s, at most %s false alarms", lower(titleOf(d.Primary.Metric)), v.load(), percent(d.Alpha))
	if d.Delta > 0 {
		rule += fmt.Sprintf("; differences within ±%s count as none", percent(d.Delta))
	}
	return append(out, rule+". All other comparisons are exploratory.")
}

// grouped writes a whole number with grouped thousands, other text as it is.
func grouped(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return s
	}
	return decimals(float64(n), 0)
}
