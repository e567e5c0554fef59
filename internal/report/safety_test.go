package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
	"github.com/pgassay/pgassay/internal/report"
)

// A page has our four scripts and styles and not one element of the user's.
func TestPageHoldsNoForeignElement(t *testing.T) {
	page := pageOf(t, "hostile")
	if got := bytes.Count(page, []byte("<script")); got != 3 {
		t.Errorf("got %d scripts, want 3: data, bundle, call", got)
	}
	if got := bytes.Count(page, []byte("</script>")); got != 3 {
		t.Errorf("got %d ends of scripts, want 3", got)
	}
	rest := scripts.ReplaceAllString(string(page), "")
	if strings.Contains(rest, "alert(1)<") || !strings.Contains(rest, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Error("the name of the arm is not escaped")
	}
	for _, far := range []string{`src="`, "@import", "url(h", "url(/", "<link", "<iframe"} {
		if strings.Contains(rest, far) {
			t.Errorf("the page reaches out by %s", far)
		}
	}
}

// Every colour of a still picture has its twin for a dark page: none stays as
// bright as paper there.
func TestPicturesTurnDark(t *testing.T) {
	colour := regexp.MustCompile(`(fill|stroke)="(#[0-9a-f]{6}|rgb\([0-9,]+\))"`)
	page := string(pageOf(t, "nine"))
	for _, picture := range svgs.FindAllString(page, -1) {
		for _, element := range tagWhole.FindAllString(picture, -1) {
			if strings.Contains(element, `stroke-width="0"`) { // a frame of text, not to be seen
				continue
			}
			for _, m := range colour.FindAllStringSubmatch(element, -1) {
				if !strings.Contains(page, ".still ["+m[0]+"]{"+m[1]+":") {
					t.Fatalf("%s stays as it is on a dark page, in %s", m[2], element)
				}
			}
		}
	}
}

var tagWhole = regexp.MustCompile(`<[a-z][^>]*>`)

// structure is the sequence of a page's elements, but for the places where a
// long name may break.
func structure(page []byte) []string {
	return tag.FindAllString(strings.ReplaceAll(svgs.ReplaceAllString(scripts.ReplaceAllString(string(page), ""), ""), "<wbr>", ""), -1)
}

// written makes a report without charts and returns a file of it.
func written(tb testing.TB, dir string, r *analyze.Result, name string) []byte {
	tb.Helper()
	if err := report.Write(dir, r, report.Options{NoCharts: true}); err != nil {
		tb.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// named is a result in which one text stands wherever the user has a say.
func named(text string) *analyze.Result {
	s := two()
	s.question, s.named = text, []string{"default", text}
	r := s.result()
	r.Run.Command, r.Failures[0].Message, r.Settings[0].Setting, r.Settings[0].Unit = text, text, text, ""
	return r
}

// Whatever the user writes, the page has the same elements in the same order.
func TestNamesDoNotChangeThePage(t *testing.T) {
	dir := t.TempDir()
	want := structure(written(t, dir, named("plain"), "report.html"))
	rapid.Check(t, func(rt *rapid.T) {
		name := "x" + rapid.OneOf(rapid.String(), rapid.StringMatching(`[<>&"'/a-z=! \-]{1,20}`)).Draw(rt, "name")
		got := structure(written(t, dir, named(name), "report.html"))
		if len(got) != len(want) {
			rt.Fatalf("got %d elements, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				rt.Fatalf("element %d is %s, want %s", i, got[i], want[i])
			}
		}
	})
}

var pipe = regexp.MustCompile(`(\\\\)*\\\||\|`)

// fields counts the pipes of a line that divide fields.
func fields(line string) int {
	n := 0
	for _, m := range pipe.FindAllString(line, -1) {
		if m == "|" {
			n++
		}
	}
	return n
}

// Whatever the user writes, every row of a Markdown table has its heading's
// fields, and no HTML stands anywhere but the folds of ours.
func TestNamesDoNotChangeTheMarkdown(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := "x" + rapid.OneOf(rapid.String(), rapid.StringMatching(`[<>|\\`+"`"+`*_~\[\]$ a-z]{1,20}`)).Draw(rt, "name")
		r := named(name)
		r.Run.Command = ""
		want := 0
		for _, line := range strings.Split(string(report.Markdown(r)), "\n") {
			if !strings.HasPrefix(line, "| ") {
				want = 0
				if s := strings.NewReplacer("<details>", "", "<summary>", "", "</summary>", "", "</details>", "").Replace(line); strings.ContainsAny(s, "<") {
					rt.Fatalf("HTML in %q", line)
				}
				continue
			}
			if n := fields(line); want == 0 {
				want = n
			} else if n != want {
				rt.Fatalf("got %d pipes, want %d in %q", n, want, line)
			}
		}
	})
}

// Nothing that is no number is printed as one, not even where all is unknown.
func TestNoNaN(t *testing.T) {
	all := stories()
	all["empty"] = &analyze.Result{Experiment: two().experiment()}
	word := regexp.MustCompile(`\b(NaN|Inf|Infinity|undefined|null)\b`)
	for name, r := range all {
		var page []byte
		if name == "empty" {
			page = written(t, t.TempDir(), r, "report.html")
		} else {
			page = pageOf(t, name)
		}
		rows, err := report.CSV(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := report.JSON(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var table bytes.Buffer
		if err := report.Table(&table, r, report.TableOptions{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for form, b := range map[string][]byte{"page": scripts.ReplaceAll(page, nil), "Markdown": report.Markdown(r), "CSV": rows, "table": table.Bytes()} {
			if m := word.Find(b); m != nil {
				t.Errorf("%s: %s in the %s", name, m, form)
			}
		}
	}
}

// Pictures are well-formed XML without scripts, also with hostile names.
func TestPicturesAreXML(t *testing.T) {
	for name := range stories() {
		pictures, err := filepath.Glob(filepath.Join(dirOf(t, name), "charts", "*.svg"))
		if err != nil || len(pictures) < 2 {
			t.Fatalf("%s: got %d pictures (%v), want at least 2", name, len(pictures), err)
		}
		for _, p := range pictures {
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			d := xml.NewDecoder(bytes.NewReader(b))
			for {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s: %s: %v", name, filepath.Base(p), err)
				}
				if e, ok := token.(xml.StartElement); ok && e.Name.Local == "script" {
					t.Errorf("%s: %s has a script", name, filepath.Base(p))
				}
			}
		}
	}
}

// CSV reads back with the same number of fields in every row, names unchanged.
func TestCSVReadsBack(t *testing.T) {
	b, err := report.CSV(hostile())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(rows)-1, 2*2*len(pgassay.Metrics); got != want {
		t.Errorf("got %d rows, want %d: arms x levels x metrics", got, want)
	}
	if got := rows[len(rows)-1][0]; got != nasty {
		t.Errorf("got arm %q, want %q", got, nasty)
	}
}

// JSON says which schema it has and reads back as the result.
func TestJSONReadsBack(t *testing.T) {
	b, err := report.JSON(single().result())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		SchemaVersion int `json:"schema_version"`
		analyze.Result
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.SchemaVersion != report.SchemaVersion || len(got.Cells) != 2 || got.Comparisons[0].Effect.Known() {
		t.Errorf("got schema %d, %d cells, a known interval %v; want %d, 2, false", got.SchemaVersion, len(got.Cells), got.Comparisons[0].Effect.Known(), report.SchemaVersion)
	}
}

// No line of the terminal's table is wider than the terminal, from 72 columns
// on and with names that a table can show.
func TestTableFits(t *testing.T) {
	for name, r := range stories() {
		for width := 72; width <= 200; width += 8 {
			var b bytes.Buffer
			if err := report.Table(&b, r, report.TableOptions{Width: width, Color: width%16 == 0}); err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(b.String(), "\n") {
				if w := lipgloss.Width(line); w > width {
					t.Errorf("%s: %d columns in a terminal of %d: %s", name, w, width, line)
				}
			}
		}
	}
}

// A terminal gets no control characters but our own colours.
func TestTableIsInert(t *testing.T) {
	var b bytes.Buffer
	if err := report.Table(&b, named("a\x1b[2Jb\x07\u009bc\u202ed\r\ne"), report.TableOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r != '\n' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e) {
			t.Errorf("control character %U", r)
		}
	}
}
