package experiment

import (
	"io/fs"
	"strings"

	"github.com/pgassay/pgassay"
)

// Options is what decoding depends on besides the file's text.
type Options struct {
	// Files holds the files that the experiment names (init:, file:), relative
	// to the experiment file. nil: naming a file is an error.
	Files fs.FS
	// Builtin holds datasets/NAME.yaml and scripts/NAME.sql (experiments.FS).
	Builtin fs.FS
	// Profile is merged over the file, "" for none.
	Profile string
	// Sets are path=value pairs, applied in order after the profile; a value is
	// YAML, null deletes.
	Sets []string
	// MemoryBytes is the memory that a server here can use: shares of memory
	// (25%) become whole megabytes of it, or of limits.memory when that is
	// less. Without either they stay as written, and CheckServer refuses them.
	MemoryBytes int64
}

// File is a decoded experiment file.
type File struct {
	// Name is the file's name as given to Decode.
	Name string
	// Experiment is complete: merged, expanded, defaults filled in. A script's
	// Variables hold everything that applies to it outside arms (header, dataset,
	// workload, script, in this order of growing precedence), so that
	// Workload.Variables is empty; an arm's Variables override them.
	Experiment *pgassay.Experiment
	// Text is the file as it was read.
	Text []byte
	// Attached is the content of every file that the experiment names, by its
	// name as written.
	Attached map[string][]byte
	// Warnings are also in Experiment.Notes, without their excerpts.
	Warnings []Problem

	tree *node // merged and resolved
	uses []use
	// clients is the node of the load levels, for problems with them.
	clients *node
}

// use is one place where a value for the server is written.
type use struct {
	key   *node // the setting's name
	at    *node // its value, or the factor's level
	table string
	name  string
	value string
	// share says that the value was a share of memory.
	share bool
	// arm is the arm it acts in, -1 for all.
	arm int
}

// Decode reads an experiment file. name is used in messages. The error is a
// *Problems with everything that is wrong, which wraps pgassay.ErrUsage.
func Decode(name string, text []byte, o Options) (*File, error) {
	r := &reporter{}
	base := parseTree(r, name, text)
	if base == nil {
		return nil, r.err()
	}
	(&walker{r: r, partial: true}).walk(base, experimentType, "")
	if base.kind != mapKind {
		base.bad = false
		r.list, r.errors, r.seen = nil, 0, nil
		r.errorf(base, "want "+experimentType.says, "an experiment file is a map, not %s", base.kind)
		return nil, r.err()
	}
	merged := without(base, "profiles")
	if o.Profile != "" {
		merged = mergeProfile(r, base, merged, o.Profile)
	}
	for _, s := range o.Sets {
		merged = setPath(r, merged, s)
	}
	if merged.kind != mapKind {
		return nil, r.err()
	}
	(&walker{r: r}).walk(merged, experimentType, "")
	b := &builder{r: r, o: o, tree: merged, datasets: map[string]*datasetFile{}, made: map[string]pgassay.Dataset{}}
	f := b.build(name)
	if err := r.err(); err != nil {
		return nil, err
	}
	f.Text = text
	f.Warnings = r.sorted()
	for _, w := range f.Warnings {
		f.Experiment.Notes = append(f.Experiment.Notes, w.Place()+": "+w.Message)
	}
	return f, nil
}

// mergeProfile lays the chosen profile over the file.
func mergeProfile(r *reporter, base, merged *node, name string) *node {
	var names []string
	for _, p := range base.get("profiles").keys() {
		names = append(names, p.key)
		if p.key == name && p.value.kind == mapKind {
			return merge(merged, p.value)
		}
	}
	at := base
	if p := base.pair("profiles"); p != nil {
		at = p.at
	}
	hint := didYouMean(name, names)
	if len(names) == 0 {
		hint = "this file has no profiles"
	}
	r.errorf(at, hint, "there is no profile %s", clip(name))
	return merged
}

// Resolved returns the experiment as YAML that decodes, without a profile, to
// the same experiment: profile and --set values are merged in, defaults and
// shares of memory written out. Files are named as in the original: decode it
// with an Options.Files that holds Attached.
func (f *File) Resolved() []byte {
	var b strings.Builder
	b.WriteString("# Merged and resolved by pgassay from " + clip(f.Name))
	if f.Experiment.Profile != "" {
		b.WriteString(", profile " + clip(f.Experiment.Profile))
	}
	b.WriteString(".\n")
	emit(&b, f.tree, "")
	return []byte(b.String())
}
