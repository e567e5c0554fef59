package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pgassay/pgassay/internal/analyze"
)

// Markdown makes the report in GitHub's flavour of Markdown. Pictures are
// expected in charts/ beside it, as [Write] puts them there.
func Markdown(r *analyze.Result) []byte { return markdownOf(compose(r)) }

func markdownOf(d *document) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escapeMarkdown(d.Title))
	for i, line := range d.Byline {
		if i > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(escapeMarkdown(line))
	}
	b.WriteString("\n\n")
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "## %s\n\n", escapeMarkdown(s.Title))
		markdownBlocks(&b, s.Blocks)
	}
	return []byte(strings.TrimRight(b.String(), "\n") + "\n")
}

func markdownBlocks(b *strings.Builder, blocks []block) {
	for _, x := range blocks {
		switch {
		case x.Lead != "":
			fmt.Fprintf(b, "%s\n\n", escapeMarkdown(x.Lead))
		case x.Text != "":
			fmt.Fprintf(b, "%s\n\n", escapeMarkdown(x.Text))
		case x.Badge != nil:
			fmt.Fprintf(b, "**%s** (%s)\n\n", strings.ToUpper(badgeText[x.Badge.Verdict]), escapeMarkdown(x.Badge.Text))
		case x.Banner != "":
			fmt.Fprintf(b, "> **Note:** %s\n\n", escapeMarkdown(x.Banner))
		case len(x.List) > 0:
			for _, item := range x.List {
				fmt.Fprintf(b, "- %s\n", escapeMarkdown(item))
			}
			b.WriteByte('\n')
		case x.Code != "":
			fence := fenceFor(x.Code)
			fmt.Fprintf(b, "%ssh\n%s\n%s\n\n", fence, strings.TrimRight(x.Code, "\n"), fence)
		case x.Table != nil:
			markdownTable(b, x.Table)
		case x.Figure != nil:
			fmt.Fprintf(b, "### %s\n\n![%s](charts/%s.svg)\n\n%s\n\n", escapeMarkdown(x.Figure.Title), escapeMarkdown(x.Figure.Alt), x.Figure.File, escapeMarkdown(x.Figure.Caption))
		case x.Fold != nil:
			fmt.Fprintf(b, "<details><summary>%s</summary>\n\n", escapeMarkdown(x.Fold.Summary))
			markdownBlocks(b, x.Fold.Blocks)
			b.WriteString("</details>\n\n")
		}
	}
}

// fenceFor is a fence longer than any run of backticks in s.
func fenceFor(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence
}

// widestPadding is the widest field that others of its column are padded to.
const widestPadding = 60

// markdownTable writes a table whose columns line up in the source too.
func markdownTable(b *strings.Builder, t *table) {
	fmt.Fprintf(b, "**%s**\n\n", escapeMarkdown(t.Caption))
	cells := make([][]string, 0, len(t.Rows)+1)
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = escapeMarkdown(c.Text)
	}
	cells = append(cells, head)
	for _, row := range t.Rows {
		line := make([]string, len(row))
		for i, e := range row {
			line[i] = markdownEntry(e)
		}
		cells = append(cells, line)
	}
	width := slices.Repeat([]int{3}, len(t.Columns))
	for _, line := range cells {
		for i, c := range line {
			if n := utf8.RuneCountInString(c); n <= widestPadding {
				width[i] = max(width[i], n)
			}
		}
	}
	for n, line := range cells {
		for i, c := range line {
			space := strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(c)))
			if t.Columns[i].Number {
				b.WriteString("| " + space + c + " ")
			} else {
				b.WriteString("| " + c + space + " ")
			}
		}
		b.WriteString("|\n")
		if n > 0 {
			continue
		}
		for i, c := range t.Columns {
			if c.Number {
				b.WriteString("| " + strings.Repeat("-", width[i]-1) + ": ")
			} else {
				b.WriteString("| " + strings.Repeat("-", width[i]) + " ")
			}
		}
		b.WriteString("|\n")
	}
	b.WriteByte('\n')
	for i, n := range t.Notes {
		if i > 0 {
			b.WriteString("  \n")
		}
		b.WriteString(escapeMarkdown(n))
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n\n")
	}
}

func markdownEntry(e entry) string {
	s := escapeMarkdown(e.Text)
	if e.Code {
		s = codeSpan(e.Text)
	}
	if e.Key {
		s = "**" + s + "**"
	}
	if e.Mark != "" {
		s += " (" + e.Mark + ")"
	}
	if e.Sub != "" {
		sub := escapeMarkdown(e.Sub)
		if strings.HasPrefix(e.Sub, "±") {
			s += " " + sub
		} else {
			s += " (" + sub + ")"
		}
	}
	return s
}

// codeSpan sets text in typewriter type. A pipe would end the field even
// there, and a backslash would show, so such text is set as plain text.
func codeSpan(s string) string {
	if s == "" || strings.ContainsAny(s, "|`\\\n") {
		return escapeMarkdown(s)
	}
	return "`" + s + "`"
}

// escapeMarkdown makes plain text mean itself: no emphasis, link, HTML, table
// or formula comes of it, and it stays on its line.
func escapeMarkdown(s string) string {
	s = oneLine(s)
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		switch r {
		case '\\', '`', '*', '[', ']', '|', '~', '$', '{', '}':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '_':
			// Within a word an underscore means nothing.
			if i == 0 || i == len(runes)-1 || !wordRune(runes[i-1]) || !wordRune(runes[i+1]) {
				b.WriteByte('\\')
			}
			b.WriteByte('_')
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '#', '+', '-', '=', '!', '.', ')':
			if opens(runes, i) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// opens says whether the rune at i begins a heading, a list, a rule or a
// picture where it stands.
func opens(runes []rune, i int) bool {
	next := ' '
	if i+1 < len(runes) {
		next = runes[i+1]
	}
	switch runes[i] {
	case '#', '=':
		return i == 0
	case '+':
		return i == 0 && next == ' '
	case '-':
		return i == 0 && (next == ' ' || next == '-')
	case '!':
		return next == '['
	}
	return i > 0 && next == ' ' && strings.Trim(string(runes[:i]), "0123456789") == ""
}

func wordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
