package analyze

import (
	"slices"

	"github.com/pgassay/pgassay"
)

// instanceFacts are settings that say where an instance lives, not how it works.
var instanceFacts = []string{
	"config_file", "data_directory", "external_pid_file", "hba_file", "ident_file", "log_directory", "log_filename",
	"port", "unix_socket_directories",
}

// observed is one setting (or storage parameter) over the trials.
type observed struct {
	name  string
	state pgassay.SettingState
	table pgassay.StorageSetting // for a storage parameter
	// byArm has the value in each arm's trials; unsettled says that they differ
	// within an arm.
	byArm     map[int]string
	byArmAs   map[int]pgassay.SettingState
	trials    int
	unsettled bool
}

// settings fills in what was in force: in all arms, in each, and what cannot be
// told because trials of one arm differ.
func (s *study) settings(res *Result) {
	witnesses := s.witnesses()
	params, storage := map[string]*observed{}, map[string]*observed{}
	arms := map[int]int{} // witnesses by arm
	for _, r := range witnesses {
		arms[r.Order.Arm]++
		for _, st := range r.Settings {
			if !slices.Contains(instanceFacts, st.Name) {
				note(params, st.Name, r.Order.Arm, st.Setting).keep(r.Order.Arm, st)
			}
		}
		for _, st := range r.Storage {
			note(storage, st.Table+"."+st.Name, r.Order.Arm, st.Value).table = st
		}
	}
	for a := range s.e.Arms {
		res.ArmSettings = append(res.ArmSettings, ArmSettings{Arm: a, Settings: []pgassay.SettingState{}})
	}
	res.Settings = []pgassay.SettingState{}
	for _, o := range sorted(params) {
		switch {
		case o.unsettled:
			res.Unsettled = append(res.Unsettled, o.name)
		case o.common(len(witnesses)):
			if o.state.Setting != o.state.BootValue {
				res.Settings = append(res.Settings, o.state)
			}
		default:
			for a := range s.e.Arms {
				if st, ok := o.byArmAs[a]; ok {
					res.ArmSettings[a].Settings = append(res.ArmSettings[a].Settings, st)
				}
			}
		}
	}
	for _, o := range sorted(storage) {
		switch {
		case o.unsettled:
			res.Unsettled = append(res.Unsettled, o.name)
		case o.common(len(witnesses)):
			res.Storage = append(res.Storage, o.table)
		default:
			for a := range s.e.Arms {
				if v, ok := o.byArm[a]; ok {
					st := pgassay.StorageSetting{Table: o.table.Table, Name: o.table.Name, Value: v}
					res.ArmSettings[a].Storage = append(res.ArmSettings[a].Storage, st)
				}
			}
		}
	}
}

// witnesses are the trials whose settings count: the valid ones that recorded
// any, or, where no trial is valid, all that did.
func (s *study) witnesses() []*pgassay.TrialRecord {
	var valid, all []*pgassay.TrialRecord
	for _, r := range s.trials {
		if len(r.Settings) == 0 {
			continue
		}
		all = append(all, r)
		if r.Outcome == pgassay.OutcomeValid {
			valid = append(valid, r)
		}
	}
	if len(valid) > 0 {
		return valid
	}
	return all
}

func note(all map[string]*observed, name string, arm int, value string) *observed {
	o := all[name]
	if o == nil {
		o = &observed{name: name, byArm: map[int]string{}, byArmAs: map[int]pgassay.SettingState{}}
		all[name] = o
	}
	if was, ok := o.byArm[arm]; ok && was != value {
		o.unsettled = true
	}
	o.byArm[arm] = value
	o.trials++
	return o
}

// keep remembers the first state of each arm and of all.
func (o *observed) keep(arm int, st pgassay.SettingState) {
	if o.trials == 1 {
		o.state = st
	}
	if _, ok := o.byArmAs[arm]; !ok {
		o.byArmAs[arm] = st
	}
}

// common says that all trials have it with the same value.
func (o *observed) common(trials int) bool {
	if o.trials != trials {
		return false
	}
	first, same := "", true
	seenAny := false
	for _, v := range o.byArm {
		if seenAny && v != first {
			same = false
		}
		first, seenAny = v, true
	}
	return same
}

func sorted(all map[string]*observed) []*observed {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []*observed
	for _, name := range names {
		out = append(out, all[name])
	}
	return out
}

// inForce is a setting's value in each arm that has witnesses.
func (s *study) inForce(name string) map[int]string {
	out := map[int]string{}
	for _, r := range s.witnesses() {
		for _, st := range r.Settings {
			if st.Name == name {
				out[r.Order.Arm] = st.Setting
			}
		}
	}
	return out
}
