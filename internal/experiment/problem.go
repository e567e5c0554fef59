package experiment

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pgassay/pgassay"
)

// Problem is one thing that is wrong with an experiment file, and where.
type Problem struct {
	// File is the file's name, or "--set" for a value of the command line.
	File string
	// Line and Column count from 1; Column counts characters.
	Line, Column int
	Message      string
	// Hint says what to write instead, "" when there is nothing to say.
	Hint string
	// Excerpt is the line with a caret under the place, without a final newline.
	Excerpt string
	// Warning says that the experiment can be run all the same.
	Warning bool
}

// Place returns file:line:column.
func (p Problem) Place() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// String shows the problem over several lines, ending with a newline.
func (p Problem) String() string {
	var b strings.Builder
	kind := "error"
	if p.Warning {
		kind = "warning"
	}
	fmt.Fprintf(&b, "%s: %s: %s\n", p.Place(), kind, p.Message)
	if p.Excerpt != "" {
		b.WriteString(p.Excerpt + "\n")
	}
	if p.Hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", p.Hint)
	}
	return b.String()
}

// Problems is every problem of one file, in the order of their places. It is
// an error that wraps pgassay.ErrUsage.
type Problems struct {
	List []Problem
}

// Error prints all problems and then how many there are.
func (p *Problems) Error() string {
	var b strings.Builder
	errors, warnings := 0, 0
	for _, one := range p.List {
		b.WriteString(one.String())
		if one.Warning {
			warnings++
		} else {
			errors++
		}
	}
	b.WriteString(count(errors, "error"))
	if warnings > 0 {
		b.WriteString(", " + count(warnings, "warning"))
	}
	return b.String()
}

// Unwrap returns pgassay.ErrUsage.
func (p *Problems) Unwrap() error { return pgassay.ErrUsage }

// count writes "1 error", "2 errors".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// source is a text that nodes came from.
type source struct {
	name  string
	lines []string
}

func newSource(name, text string) *source {
	return &source{name: name, lines: strings.Split(text, "\n")}
}

// maxExcerpt is the longest line that an excerpt shows whole.
const maxExcerpt = 140

// excerpt shows a line with carets under width characters from column on.
func (s *source) excerpt(line, column, width int) string {
	if line < 1 || line > len(s.lines) {
		return ""
	}
	text := []rune(s.lines[line-1])
	column = min(column, len(text)+1)
	start := 0
	if len(text) > maxExcerpt {
		start = max(0, min(column-1-maxExcerpt/2, len(text)-maxExcerpt))
		text = text[start:min(len(text), start+maxExcerpt)]
	}
	pad := make([]rune, 0, maxExcerpt)
	for _, r := range text[:min(column-1-start, len(text))] {
		if r != '\t' { // a tab must stay one, for the caret to stand right
			r = ' '
		}
		pad = append(pad, r)
	}
	width = max(1, min(width, len(text)-(column-1-start)))
	return fmt.Sprintf("%5d | %s\n      | %s%s", line, string(text), string(pad), strings.Repeat("^", width))
}

// reporter collects problems and drops exact repetitions, which come from
// checking a value before and after a profile was merged.
type reporter struct {
	list   []Problem
	seen   map[string]bool
	errors int
}

func (r *reporter) add(n *node, warning bool, hint, message string) {
	p := Problem{File: n.src.name, Line: max(1, n.line), Column: max(1, n.col), Message: message, Hint: hint, Warning: warning}
	key := p.Place() + message
	if r.seen[key] {
		return
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[key] = true
	width := 1
	if n.kind == scalarKind {
		width = utf8.RuneCountInString(strings.SplitN(n.raw, "\n", 2)[0])
	}
	p.Excerpt = n.src.excerpt(p.Line, p.Column, width)
	r.list = append(r.list, p)
	if !warning {
		r.errors++
	}
}

// errorf notes an error at n; hint may be "".
func (r *reporter) errorf(n *node, hint, format string, args ...any) {
	r.add(n, false, hint, fmt.Sprintf(format, args...))
}

// warnf notes a warning at n.
func (r *reporter) warnf(n *node, hint, format string, args ...any) {
	r.add(n, true, hint, fmt.Sprintf(format, args...))
}

// err returns all problems as an error if there is an error among them.
func (r *reporter) err() error {
	if r.errors == 0 {
		return nil
	}
	return &Problems{List: r.sorted()}
}

// sorted returns the problems by file and place.
func (r *reporter) sorted() []Problem {
	list := slices.Clone(r.list)
	slices.SortStableFunc(list, func(a, b Problem) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return list
}
