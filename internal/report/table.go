package report

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// TableOptions say what the terminal can show.
type TableOptions struct {
	// Width is the number of columns, 80 when it is 0 or less.
	Width int
	// Color allows ANSI colours.
	Color bool
}

// Table writes the answer and the verdict table for a terminal, as they stand
// at the end of `pgassay run`: arms by load levels on the primary metric, side
// by side or, where they do not fit, one load level below the other.
func Table(w io.Writer, r *analyze.Result, o TableOptions) error {
	if o.Width <= 0 {
		o.Width = 80
	}
	t := terminal{view: newView(r), o: o}
	t.head()
	t.verdicts()
	t.factorLines()
	t.foot()
	if _, err := io.WriteString(w, strings.ReplaceAll(t.b.String(), gap, " ")); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

type terminal struct {
	*view
	o TableOptions
	b strings.Builder
}

// ansi are the colours of verdicts: the sixteen that every terminal has.
var ansi = map[pgassay.Verdict]string{
	pgassay.Improved: "32", pgassay.Regressed: "31", pgassay.Equivalent: "36", pgassay.Inconclusive: "2", pgassay.Invalid: "33",
}

func (t *terminal) paint(code, s string) string {
	if !t.o.Color || code == "" || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// head is the question, the verdict and the answer's sentences.
func (t *terminal) head() {
	t.wrap("", t.e.Question, "1")
	t.b.WriteByte('\n')
	v := t.Answer.Verdict
	t.b.WriteString(t.paint("1;"+ansi[v], strings.ToUpper(badgeText[v])))
	t.b.WriteString(": " + lower(titleOf(t.e.Design.Primary.Metric)) + " at " + t.view.load() + "\n")
	for _, s := range t.Answer.Sentences {
		t.wrap("", sentence(s), "")
	}
	for _, s := range t.Banners {
		t.wrap("! ", s, ansi[pgassay.Invalid])
	}
	t.b.WriteByte('\n')
}

// wrap writes text in lines of the terminal's width, the first one after lead
// and the others indented as far. A number keeps its percent sign.
func (t *terminal) wrap(lead, s, code string) {
	indent := strings.Repeat(" ", lipgloss.Width(lead))
	line, empty := lead, true
	for _, word := range strings.Split(strings.ReplaceAll(oneLine(s), " %", gap+"%"), " ") {
		switch {
		case word == "":
			continue
		case empty:
			line += word
		case lipgloss.Width(line)+1+lipgloss.Width(word) > t.o.Width:
			t.b.WriteString(t.paint(code, line) + "\n")
			line = indent + word
		default:
			line += " " + word
		}
		empty = false
	}
	if !empty {
		t.b.WriteString(t.paint(code, line) + "\n")
	}
}

// field is a piece of the verdict table and its colour.
type field struct{ text, code string }

func (t *terminal) verdicts() {
	if len(t.Cells) == 0 {
		return
	}
	m := t.e.Design.Primary.Metric
	names := make([]field, 0, len(t.e.Arms)+1)
	names = append(names, field{"arm", "2"})
	for a := range t.e.Arms {
		names = append(names, field{shorten(t.labels[a], max(t.o.Width/3, 12)), ""})
	}
	columns := [][]field{names}
	for l := range t.e.Loads {
		head := t.loadName(l)
		if l == t.e.Design.Primary.Load && len(t.e.Loads) > 1 {
			head += " (primary)"
		}
		column := []field{{head, "2"}}
		for a := range t.e.Arms {
			column = append(column, t.field(m, a, l))
		}
		columns = append(columns, column)
	}
	title := titleOf(m)
	if len(t.e.Factors) > 0 && len(t.e.Arms[0].Levels) > 0 {
		title += ", by " + armHeading(t.e)
	}
	t.wrap("", title, "1")
	if tableWidth(columns) <= t.o.Width {
		t.columns(columns)
	} else {
		for i, c := range columns[1:] {
			if i > 0 {
				t.b.WriteByte('\n')
			}
			t.columns([][]field{names, c})
		}
	}
	t.b.WriteByte('\n')
}

// field is the baseline's value, or another arm's effect with its interval.
func (t *terminal) field(m pgassay.MetricName, a, l int) field {
	var n notes
	if a == t.e.Baseline {
		e := t.value(a, l, m, &n)
		if e.Text == unknown {
			return field{unknown, "2"}
		}
		out := strings.TrimSpace(e.Text + " " + e.Sub)
		if len(t.e.Arms) > 1 {
			out += " baseline"
		}
		return field{out, ""}
	}
	c := t.comparison(m, a, l)
	if c == nil || c.Blocks == 0 && c.Verdict != pgassay.Invalid {
		return field{unknown, "2"}
	}
	code := ansi[c.Verdict]
	if c.Primary && c.Verdict != pgassay.Inconclusive {
		code = "1;" + code
	}
	switch in := changeRange(*c); {
	case c.Verdict == pgassay.Invalid:
		return field{strings.TrimSpace("invalid " + strings.Join(c.Checks, ", ")), code}
	case c.Verdict == pgassay.Inconclusive && in == "":
		return field{"~ no interval", code}
	case c.Verdict == pgassay.Inconclusive:
		return field{"~ (" + in + ")", code}
	case in == "": // both sides are the same in every block
		return field{change(*c) + " " + verdictWord(c.Verdict), code}
	default:
		return field{change(*c) + " (" + in + ") " + verdictWord(c.Verdict), code}
	}
}

func fieldWidth(column []field) int {
	w := 0
	for _, f := range column {
		w = max(w, lipgloss.Width(f.text))
	}
	return w
}

func tableWidth(columns [][]field) int {
	w := 0
	for _, c := range columns {
		w += fieldWidth(c) + 3
	}
	return w - 1
}

func (t *terminal) columns(columns [][]field) {
	for i := range columns[0] {
		line := ""
		for k, c := range columns {
			text := "  " + t.paint(c[i].code, c[i].text)
			if k < len(columns)-1 {
				text += strings.Repeat(" ", fieldWidth(c)-lipgloss.Width(c[i].text)+1)
			}
			line += text
		}
		t.b.WriteString(line + "\n")
	}
}

// factorLines has one line per factor.
func (t *terminal) factorLines() {
	if len(t.FactorVerdicts) == 0 {
		return
	}
	t.b.WriteString(t.paint("1", "Factors") + "\n")
	for _, f := range t.FactorVerdicts {
		t.wrap("  ", f.Factor+": "+badgeText[f.Verdict]+". "+whyOf(f), ansi[f.Verdict])
	}
	t.b.WriteByte('\n')
}

// foot explains the signs and counts the checks.
func (t *terminal) foot() {
	failed, warned, open := 0, 0, 0
	for _, c := range t.Checks {
		switch {
		case c.Failed > 0 && c.Severity == pgassay.SeverityWarning:
			warned++
		case c.Failed > 0:
			failed++
		case c.NotEvaluated > 0:
			open++
		}
	}
	if len(t.Checks) > 0 {
		t.wrap("", fmt.Sprintf("Checks: %d passed, %d failed, %d with a warning, %d not evaluated everywhere.", len(t.Checks)-failed-warned-open, failed, warned, open), "2")
	}
	if len(t.Comparisons) > 0 {
		t.wrap("", "~ nothing can be claimed. The primary comparison decides, all others are exploratory.", "2")
	}
}

// shorten cuts a name to n columns.
func shorten(s string, n int) string {
	if lipgloss.Width(s) <= n {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && lipgloss.Width(string(runes)) > n-1 {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
