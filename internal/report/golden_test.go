package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay/internal/analyze"
	"github.com/pgassay/pgassay/internal/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// stories are results of every kind that a report must be readable for.
func stories() map[string]*analyze.Result {
	return map[string]*analyze.Result{
		"nine": nine().result(), "two": two().result(), "single": single().result(), "invalid": invalid(), "hostile": hostile(), "void": void(),
	}
}

// long is a number with more digits than another processor's rounding keeps.
var long = regexp.MustCompile(`-?\d+\.\d{9,}(e[-+]\d+)?|-?\d\.\d+e[-+]\d+`)

// golden compares got with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	got = long.ReplaceAllFunc(got, func(b []byte) []byte {
		v, err := strconv.ParseFloat(string(b), 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.AppendFloat(nil, v, 'g', 8, 64)
	})
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to make it)", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

func TestMarkdownGolden(t *testing.T) {
	for name, r := range stories() {
		golden(t, name+".md", report.Markdown(r))
	}
}

func TestCSVGolden(t *testing.T) {
	for _, name := range []string{"two", "single", "hostile"} {
		b, err := report.CSV(stories()[name])
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".csv", b)
	}
}

func TestJSONGolden(t *testing.T) {
	b, err := report.JSON(single().result())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "single.json", b)
}

func TestTableGolden(t *testing.T) {
	for name, r := range stories() {
		for _, o := range []report.TableOptions{{Width: 80}, {Width: 140, Color: true}} {
			var b bytes.Buffer
			if err := report.Table(&b, r, o); err != nil {
				t.Fatal(err)
			}
			golden(t, name+"-"+strconv.Itoa(o.Width)+".txt", b.Bytes())
		}
	}
}

var (
	tag     = regexp.MustCompile(`<(/?[a-z][a-z0-9]*)`)
	scripts = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>`)
	svgs    = regexp.MustCompile(`(?s)<svg.*?</svg>`)
)

// outline is a page without its code, styles and pictures: headings, captions
// and the number of rows of each table, one a line.
func outline(page []byte) string {
	text := strings.ReplaceAll(svgs.ReplaceAllString(scripts.ReplaceAllString(string(page), ""), "[svg]"), "<wbr>", "")
	var b strings.Builder
	lines := regexp.MustCompile(`(?s)<(h1|h2|h3|caption|summary)[^>]*>(.*?)</|<(tr|li|figure|img|details)\b`).FindAllStringSubmatch(text, -1)
	rows := map[string]int{}
	flush := func() {
		for _, k := range []string{"tr", "li", "figure", "img", "details"} {
			if rows[k] > 0 {
				b.WriteString("    " + strconv.Itoa(rows[k]) + " " + k + "\n")
			}
		}
		rows = map[string]int{}
	}
	for _, m := range lines {
		if m[1] == "" {
			rows[m[3]]++
			continue
		}
		flush()
		b.WriteString(m[1] + " " + regexp.MustCompile(`<[^>]*>`).ReplaceAllString(m[2], "") + "\n")
	}
	flush()
	return b.String()
}

func TestPageOutline(t *testing.T) {
	for name := range stories() {
		golden(t, name+".outline", []byte(outline(pageOf(t, name))))
	}
}

// rendered holds the directory of each story, written once: drawing takes time.
var rendered = map[string]string{}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	for _, dir := range rendered {
		if err := os.RemoveAll(dir); err != nil {
			code = 1
		}
	}
	os.Exit(code)
}

// dirOf is a directory with everything that Write makes of a story.
func dirOf(tb testing.TB, name string) string {
	tb.Helper()
	if dir, ok := rendered[name]; ok {
		return dir
	}
	dir, err := os.MkdirTemp("", "pgassay-report-")
	if err != nil {
		tb.Fatal(err)
	}
	rendered[name] = dir
	if err := report.Write(dir, stories()[name], report.Options{}); err != nil {
		tb.Fatal(err)
	}
	return dir
}

func pageOf(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(dirOf(tb, name), "report.html"))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
