package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// limits is what the experiment cannot speak of.
func (v *view) limits() section {
	s := section{ID: "limits", Title: "What was not tested"}
	if len(v.NotTested) > 0 {
		s.Blocks = append(s.Blocks, block{List: v.NotTested})
	}
	if len(v.Missing) > 0 {
		s.Blocks = append(s.Blocks, block{Text: "What could not be seen:"}, block{List: v.Missing})
	}
	if len(v.Unsettled) > 0 {
		s.Blocks = append(s.Blocks, block{Text: "Settings that were not the same in all trials of one arm, so that nothing can be said of them: " + strings.Join(v.Unsettled, ", ") + "."})
	}
	if len(v.e.Notes) > 0 {
		s.Blocks = append(s.Blocks, block{Text: "Notes on the experiment file:"}, block{List: v.e.Notes})
	}
	return s
}

// reproduce says how to get these numbers again.
func (v *view) reproduce() section {
	s := section{ID: "reproduce", Title: "How to reproduce"}
	if v.Run.Command != "" {
		s.Blocks = append(s.Blocks, block{Code: v.Run.Command})
	}
	how := "pgassay " + orElse(v.Run.Tool, orElse(v.Fingerprint.Tool, "of unknown version")) + ", seed " + strconv.FormatUint(v.e.Design.Seed, 10) + "."
	switch v.Run.Target {
	case "created":
		how += " The server was created for this run and removed afterwards."
	case "attached":
		how += " The server was there before the run; its settings were put back afterwards."
	}
	if v.Run.Stop != "" {
		how += " The run ended: " + strings.TrimSuffix(oneLine(v.Run.Stop), ".") + "."
	}
	how += " The experiment as it was run is in experiment.yaml, everything measured in run.db; “pgassay report DIR” makes this report from it again."
	s.Blocks = append(s.Blocks, block{Text: how})
	return s
}

// settings lists what was in force.
func (v *view) settings() section {
	s := section{ID: "settings", Title: "Settings"}
	if len(v.ArmSettings) > 0 {
		s.Blocks = append(s.Blocks, block{Table: v.armSettingTable()})
	}
	if len(v.Settings) > 0 {
		t := &table{Caption: "In force in every trial of every arm, and not the compiled default",
			Columns: []column{{Text: "Setting"}, {Text: "Value"}, {Text: "Default"}, {Text: "Source"}}}
		for _, x := range v.Settings {
			t.Rows = append(t.Rows, []entry{code(oneLine(x.Name)), code(settingValue(x.Setting, x.Unit)), code(settingValue(x.BootValue, x.Unit)), text(oneLine(x.Source))})
		}
		s.Blocks = append(s.Blocks, block{Fold: &fold{Summary: plural(len(v.Settings), "setting") + " common to all arms", Blocks: []block{{Table: t}}}})
	}
	if len(v.Storage) > 0 {
		t := &table{Caption: "Storage parameters in every arm", Columns: []column{{Text: "Table"}, {Text: "Parameter"}, {Text: "Value"}}}
		for _, x := range v.Storage {
			t.Rows = append(t.Rows, []entry{code(oneLine(x.Table)), code(oneLine(x.Name)), code(oneLine(x.Value))})
		}
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	return s
}

// armSettingTable has one row per setting or storage parameter that differs
// between arms, and one column per arm.
func (v *view) armSettingTable() *table {
	t := &table{Caption: "Settings that differ between arms, as the server confirmed them", Columns: []column{{Text: "Setting"}}}
	var names []string
	values := map[string]map[int]string{}
	put := func(arm int, name, value string) {
		if values[name] == nil {
			values[name] = map[int]string{}
			names = append(names, name)
		}
		values[name][arm] = value
	}
	var arms []int
	for _, s := range v.ArmSettings {
		if s.Arm < 0 || s.Arm >= len(v.labels) {
			continue
		}
		arms = append(arms, s.Arm)
		for _, x := range s.Settings {
			put(s.Arm, oneLine(x.Name), settingValue(x.Setting, x.Unit))
		}
		for _, x := range s.Storage {
			put(s.Arm, oneLine(x.Table+"."+x.Name), oneLine(x.Value))
		}
	}
	slices.Sort(names)
	for _, n := range names {
		t.Columns = append(t.Columns, column{Text: n})
	}
	t.Columns[0].Text = "Arm"
	for _, a := range arms {
		row := []entry{v.swatch(a)}
		for _, n := range names {
			row = append(row, code(orElse(values[n][a], unknown)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// settingValue writes a value of pg_settings with its unit. Units such as 8kB
// are multiplied out.
func settingValue(value, unit string) string {
	value = oneLine(value)
	if unit == "" {
		return orElse(value, "''")
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value + unit
	}
	if n < 0 {
		return value
	}
	kB := map[string]float64{"B": 1.0 / 1024, "kB": 1, "8kB": 8, "16kB": 16, "32kB": 32, "MB": 1024}
	by, ok := kB[unit]
	if !ok {
		return value + " " + unit
	}
	size := n * by
	for _, u := range []struct {
		name string
		by   float64
	}{{"GB", 1 << 20}, {"MB", 1 << 10}, {"kB", 1}} {
		if q := size / u.by; q >= 1 && q == float64(int64(q)) {
			return strconv.FormatInt(int64(q), 10) + " " + u.name
		}
	}
	return value + " " + unit
}

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

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// trials lists every trial in the order in which it was made.
func (v *view) trials() section {
	s := section{ID: "trials", Title: "Trials"}
	if len(v.Trials) == 0 {
		return s
	}
	t := &table{Caption: "Every trial in the order in which it was made; times in seconds", Columns: []column{
		{Text: "Trial"}, {Text: "Block", Number: true}, {Text: "Arm"}, {Text: "Load"}, {Text: "Outcome"}, {Text: "Transactions", Number: true}, {Text: "Per second", Number: true},
		{Text: "Autovacuum runs", Number: true}, {Text: "Restore", Number: true}, {Text: "Settle", Number: true}, {Text: "Start", Number: true},
		{Text: "Connect", Number: true}, {Text: "Warm-up", Number: true}, {Text: "Measure", Number: true}, {Text: "Stop", Number: true}}}
	for _, x := range v.Trials {
		t.Rows = append(t.Rows, v.trialRow(x))
	}
	s.Blocks = append(s.Blocks, block{Fold: &fold{Summary: plural(len(v.Trials), "trial"), Blocks: []block{{Table: t}}}})
	return s
}

func (v *view) trialRow(x analyze.TrialSummary) []entry {
	outcome := entry{Text: string(x.Outcome), Sub: oneLine(x.Reason)}
	if x.Outcome != pgassay.OutcomeValid {
		outcome.Tone = pgassay.Regressed
	}
	if x.Order.Attempt > 1 {
		outcome.Text += ", attempt " + strconv.Itoa(x.Order.Attempt)
	}
	arm := text(unknown)
	if x.Order.Arm >= 0 && x.Order.Arm < len(v.labels) {
		arm = entry{Text: v.labels[x.Order.Arm], Style: &v.styles[x.Order.Arm]}
	}
	row := []entry{text(strconv.Itoa(x.Order.Number)), text(strconv.Itoa(x.Order.Block)), arm, text(v.loadName(x.Order.Load)), outcome,
		text(decimals(float64(x.Transactions), 0)), text(significant(x.TPS, 4)), text(strconv.Itoa(x.Vacuums))}
	p := x.Phases
	for _, sec := range []float64{p.RestoreS, p.SettleS, p.StartS, p.ConnectS, p.WarmupS, p.MeasureS, p.StopS} {
		row = append(row, text(decimals(sec, 1)))
	}
	return row
}
