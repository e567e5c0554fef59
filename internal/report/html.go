package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

//go:embed page.html.tmpl
var pageText string

//go:embed page.css
var pageCSS string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"tone":      func(v pgassay.Verdict) string { return string(v) },
	"badgeText": func(v pgassay.Verdict) string { return badgeText[v] },
	"color":     func(s string) template.CSS { return template.CSS(safeColor(s)) },
	"hollow":    func(s *style) bool { return s.Dash },
	"soft":      soft,
	"args":      func(root pageData, b []block) map[string]any { return map[string]any{"root": root, "blocks": b} },
}).Parse(pageText))

// soft escapes text and lets long names of settings break after an underscore
// where a line is too short for them; nothing of it is copied with the text.
func soft(s string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(s), "_", "_<wbr>"))
}

// safeColor lets nothing but a colour of ours into a style attribute.
func safeColor(s string) string {
	if len(s) == 7 && s[0] == '#' && strings.Trim(s[1:], "0123456789abcdef") == "" {
		return s
	}
	return "currentColor"
}

// pageData is what the template sees. SVG and JS were made by us; everything
// that came from the user passes through the template's escaping.
type pageData struct {
	*document
	CSS    template.CSS
	Bundle template.JS
	Charts template.JS
	SVG    map[string]template.HTML
}

// HTML makes the page: one file that needs nothing else, readable without
// JavaScript and without network, in light and dark, on paper and on a phone.
func HTML(r *analyze.Result) ([]byte, error) {
	d := compose(r)
	pictures, err := paintAll(d)
	if err != nil {
		return nil, err
	}
	return pageOf(d, pictures)
}

func pageOf(d *document, pictures gallery) ([]byte, error) {
	data := pageData{document: d, CSS: template.CSS(pageCSS + pictures.night()), Bundle: template.JS(bundle), SVG: map[string]template.HTML{}}
	charts := map[string]*chart{}
	for _, f := range d.figures() {
		charts[f.File] = f.Chart
		data.SVG[f.File] = template.HTML(pictures.svg[f.File])
	}
	// json.Marshal writes <, > and & as \u003c and so on, so that no text can
	// end the script element.
	b, err := json.Marshal(charts)
	if err != nil {
		return nil, fmt.Errorf("encode charts: %w", err)
	}
	data.Charts = template.JS(b)
	var out bytes.Buffer
	if err := page.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return out.Bytes(), nil
}
