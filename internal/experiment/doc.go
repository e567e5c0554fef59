// Package experiment decodes an experiment file into a pgassay.Experiment and
// collects every error on the way, each with its place and a suggestion.
//
// How a file becomes an experiment:
//
//  1. The YAML parser's tree becomes our own (tree.go): maps that keep their
//     order, lists and scalars, each knowing the line and column it came from.
//     Anchors, tags and merge keys are refused.
//  2. The profile is merged in, then the --set paths (merge.go).
//  3. The field table (fields.go) is held against the tree (walk.go): unknown
//     keys, wrong kinds, scalars that do not parse; defaults are filled in. The
//     same table yields the JSON Schema (schema.go).
//  4. The builder reads the tree (build*.go): built-in datasets and scripts and
//     the files named are looked up, factors are expanded into arms, "extends"
//     is followed, baseline and primary comparison are resolved.
//  5. Once a server is known, File.CheckServer holds every value against its
//     pg_settings and tables (server.go).
//
// The package is pure: files come through an fs.FS, and nothing else is read.
package experiment
