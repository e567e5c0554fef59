package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

// host is the fingerprint: what makes two runs comparable.
func (v *view) host() section {
	s := section{ID: "host", Title: "Host and builds"}
	f := v.Fingerprint
	t := &table{Caption: "Fingerprint of the host", Columns: []column{{Text: "What"}, {Text: "Value"}}}
	add := func(name, value string) {
		if value = oneLine(value); value != "" {
			t.Rows = append(t.Rows, []entry{text(name), text(value)})
		}
	}
	add("Host", f.Hostname)
	add("Processor", f.CPUModel)
	if f.CPUs > 0 {
		add("CPUs", strconv.Itoa(f.CPUs))
	}
	if f.Memory > 0 {
		add("Memory", amount("B", float64(f.Memory)))
	}
	add("System", strings.TrimSpace(f.OS+" "+f.Arch))
	add("Kernel", f.Kernel)
	add("Virtualisation", f.Virtual)
	add("Clock source", f.Clock)
	add("File system", f.FileSystem)
	add("Device", f.Device)
	add("Mount options", f.MountFlags)
	if f.FileSystem != "" {
		add("Clones share blocks", map[bool]string{true: "yes", false: "no"}[f.Reflink])
	}
	for _, m := range []map[string]string{f.Options, f.Sysctl} {
		for _, k := range sortedKeys(m) {
			add(k, m[k])
		}
	}
	if len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	b := &table{Caption: "PostgreSQL builds", Columns: []column{{Text: "Version"}, {Text: "Origin"}, {Text: "Binaries"}, {Text: "Facts"}}}
	for _, x := range f.Builds {
		b.Rows = append(b.Rows, []entry{text(oneLine(x.Version)), text(orElse(oneLine(x.Origin), unknown)), code(orElse(oneLine(x.BinDir), unknown)), text(buildFacts(x))})
	}
	if len(b.Rows) > 0 {
		s.Blocks = append(s.Blocks, block{Table: b})
	}
	return s
}

func buildFacts(b pgassay.Build) string {
	var out []string
	if b.Complete {
		for _, x := range []struct {
			name string
			has  bool
		}{{"JIT", b.JIT}, {"lz4", b.LZ4}, {"zstd", b.Zstd}} {
			if x.has {
				out = append(out, x.name)
			} else {
				out = append(out, "no "+x.name)
			}
		}
	}
	if len(b.IOMethods) > 0 {
		out = append(out, "I/O methods "+strings.Join(b.IOMethods, ", "))
	}
	for _, s := range []string{b.VersionString, b.Configure} {
		if s != "" {
			out = append(out, oneLine(s))
		}
	}
	return orElse(strings.Join(out, "; "), unknown)
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
