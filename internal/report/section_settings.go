package report

import (
	"slices"
	"strconv"
)

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
