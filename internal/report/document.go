package report

import "github.com/pgassay/pgassay"

// document is a report before it is written in a language: all text is plain,
// all numbers are written out, nothing is escaped yet.
type document struct {
	Title    string
	Byline   []string
	Sections []section
}

// section is a heading with what stands below it.
type section struct {
	ID     string
	Title  string
	Blocks []block
}

// block is one thing below a heading; exactly one of its fields is set.
type block struct {
	Text   string
	Lead   string // a sentence of the answer, in large type
	Badge  *badge
	Banner string
	List   []string
	Code   string
	Legend []legend
	Table  *table
	Figure *figure
	Fold   *fold
}

// badge is the verdict in one word, with what it is about.
type badge struct {
	Verdict pgassay.Verdict
	Text    string
}

// legend ties an arm's look to its label; Full stands behind it in soft type.
type legend struct {
	Style *style
	Label string
	Full  string
}

// fold is what most readers skip.
type fold struct {
	Summary string
	Blocks  []block
}

// figure is a chart with its words. File is the name of its picture.
type figure struct {
	File    string
	Title   string
	Alt     string
	Caption string
	Chart   *chart
}

// Narrow says that a figure of one panel needs no more than half a page.
func (f *figure) Narrow() bool {
	return len(f.Chart.Panels) == 1 && !f.Chart.Time
}

// table has one heading row; the first column names the row.
type table struct {
	Caption string
	Columns []column
	Rows    [][]entry
	Notes   []string
}

// Wide says that a table has so many columns that they must stand close.
func (t *table) Wide() bool { return len(t.Columns) > 9 }

// all says whether every field beside the rows' names has one tone.
func (t *table) all(tone pgassay.Verdict) bool {
	for _, row := range t.Rows {
		for _, e := range row[1:] {
			if e.Tone != tone {
				return false
			}
		}
	}
	return true
}

// Few says that a table is narrow enough for a phone once its fields wrap.
func (t *table) Few() bool { return len(t.Columns) <= 4 }

type column struct {
	Text string
	// Number aligns to the right; Primary marks the column that decides.
	Number  bool
	Primary bool
}

// entry is one field of a table.
type entry struct {
	Text string
	// Sub stands below it in small type, Mark behind it, raised.
	Sub   string
	Mark  string
	Style *style          // a swatch before the text
	Tone  pgassay.Verdict // colours the field
	// Key marks the field that decides the run; Code is set in typewriter type.
	Key  bool
	Code bool
}

func text(s string) entry { return entry{Text: s} }

func code(s string) entry { return entry{Text: s, Code: true} }

// notes collects the reasons why fields are empty, each once.
type notes struct{ list []string }

// empty is a field that is not known, with a mark that leads to the reason.
func (n *notes) empty(why string) entry {
	if why == "" {
		return text(unknown)
	}
	for i, w := range n.list {
		if w == why {
			return entry{Text: unknown, Mark: letter(i)}
		}
	}
	n.list = append(n.list, why)
	return entry{Text: unknown, Mark: letter(len(n.list) - 1)}
}

// lines are the notes as they stand below a table.
func (n *notes) lines() []string {
	var out []string
	for i, w := range n.list {
		out = append(out, letter(i)+" "+w)
	}
	return out
}

// letter numbers notes a, b, …, z, aa, ab, ….
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + string(rune('a'+i%26))
}
