// Package report shows what a run meant: a page, a Markdown file with pictures,
// a table for the terminal, and the numbers as JSON and CSV. It computes
// nothing but layout: every estimate and verdict comes from internal/analyze.
//
// How a report comes about:
//
//  1. sections.go turns an [analyze.Result] into a document: sections made of
//     text, tables and charts, with every number already written out. The
//     section_*.go files make one section each.
//  2. chart*.go describe charts as data: panels, positions, colours, labels.
//     charts/src turns such a description into a picture; the same generated
//     bundle (charts/charts.js) runs in the page and, by goja, in svg.go.
//  3. html.go and markdown.go write the same document in two languages and
//     escape what is the user's. table.go is the short form for a terminal.
//  4. json.go and csv.go write the result itself.
//  5. write.go puts it all into a directory, each file under another name
//     first, so that a reader never sees half of one.
//
// All functions but [Write] are functions of their arguments.
package report
