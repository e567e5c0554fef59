package analyze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// notTested says what this experiment cannot speak of, each sentence derived
// from what it was and what was seen.
func (s *study) notTested() []string {
	var out []string
	for _, say := range []func() string{
		s.otherLoads, s.otherLevels, s.otherVersions, s.otherBuilds, s.otherHosts, s.otherSizes, s.checkpointCycles, s.vacuumCycles,
		s.otherDurability, s.longerTimes,
	} {
		if text := say(); text != "" {
			out = append(out, text)
		}
	}
	return out
}

func (s *study) otherLoads() string {
	var clients []string
	for _, l := range s.e.Loads {
		clients = append(clients, strconv.Itoa(l.Clients))
	}
	return fmt.Sprintf("Loads other than %s clients, and clients that do not wait for their answers: here each sent its next transaction when the last had ended, so that a slow server was also asked less.", list(clients))
}

func (s *study) otherLevels() string {
	var parts []string
	for _, f := range s.e.Factors {
		parts = append(parts, fmt.Sprintf("%s other than %s", f.Name, list(f.Levels)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Values of " + strings.Join(parts, "; of ") + "."
}

func (s *study) otherVersions() string {
	var versions []string
	for _, b := range s.Fingerprint.Builds {
		if b.Version != "" && !slices.Contains(versions, b.Version) {
			versions = append(versions, b.Version)
		}
	}
	if len(versions) == 0 {
		return ""
	}
	return fmt.Sprintf("PostgreSQL versions other than %s.", list(versions))
}

// otherBuilds warns that arms on different builds differ in more than their
// version.
func (s *study) otherBuilds() string {
	var parts []string
	alike := true
	for _, b := range s.Fingerprint.Builds {
		parts = append(parts, fmt.Sprintf("%s (%s; JIT %v, lz4 %v, zstd %v)", b.Version, b.Origin, b.JIT, b.LZ4, b.Zstd))
		first := s.Fingerprint.Builds[0]
		alike = alike && b.Origin == first.Origin && b.JIT == first.JIT && b.LZ4 == first.LZ4 && b.Zstd == first.Zstd
	}
	if len(parts) < 2 || alike {
		return ""
	}
	return fmt.Sprintf("The versions alone: the builds %s were made in different ways, and the effect is that of the whole build.", list(parts))
}

func (s *study) otherHosts() string {
	f := s.Fingerprint
	if f.CPUs == 0 {
		return ""
	}
	what := plural(f.CPUs, "CPU")
	if f.Memory > 0 {
		what += " and " + size(float64(f.Memory)) + " of memory"
	}
	if f.FileSystem != "" {
		what += ", on " + f.FileSystem
	}
	out := fmt.Sprintf("Other hosts: this one has %s", what)
	if s.Run.Target == "created" {
		out += "; server and clients shared it"
	}
	return out + "."
}

// otherSizes compares the data at the start with the memory they had.
func (s *study) otherSizes() string {
	var data, memory float64
	for _, r := range s.trials {
		sum, start := 0.0, r.Start.Relations
		if len(start) == 0 {
			start = r.Before.Relations
		}
		for _, rel := range start {
			sum += float64(rel.HeapBytes + rel.IndexBytes)
		}
		data = max(data, sum)
		memory = max(memory, float64(r.Host.MemoryBytes))
	}
	if memory == 0 {
		memory = float64(s.Fingerprint.Memory)
	}
	if limit := float64(s.e.Server.MemoryLimitBytes); limit > 0 {
		memory = limit
	}
	switch {
	case data == 0 || memory == 0:
		return ""
	case data < memory/2:
		return fmt.Sprintf("Data larger than memory: %s of tables and indexes at the start fit into %s.", size(data), size(memory))
	case data > memory:
		return fmt.Sprintf("Data that fit into memory: %s of tables and indexes at the start stood against %s.", size(data), size(memory))
	}
	return fmt.Sprintf("Data much smaller or much larger than memory: %s of tables and indexes at the start stood against %s.", size(data), size(memory))
}

// span is the least and the most of something over the valid trials.
func (s *study) span(f func(*pgassay.TrialRecord) (int, bool)) (least, most int, ok bool) {
	for _, row := range s.cells {
		for _, c := range row {
			for _, v := range c.trials {
				n, known := f(v.rec)
				if !known {
					return 0, 0, false
				}
				if !ok {
					least, most, ok = n, n, true
				}
				least, most = min(least, n), max(most, n)
			}
		}
	}
	return least, most, ok
}

// enoughCycles is what METHOD asks of a setting that acts through a cycle.
const enoughCycles = 3

func (s *study) checkpointCycles() string {
	least, most, ok := s.span(func(r *pgassay.TrialRecord) (int, bool) {
		timed, known := r.After.Counters["checkpoints_timed"]
		if !known {
			return eventsIn(r, pgassay.EventCheckpoint), len(r.Events) > 0
		}
		a := timed + r.After.Counters["checkpoints_requested"]
		b := r.Before.Counters["checkpoints_timed"] + r.Before.Counters["checkpoints_requested"]
		return int(a - b), a >= b
	})
	switch {
	case !ok || least >= enoughCycles:
		return ""
	case most == 0:
		return "The cost of checkpoints: none came within a measurement."
	}
	return fmt.Sprintf("Whole checkpoint cycles: %s checkpoints came within a measurement, fewer than %d.", fromTo(least, most), enoughCycles)
}

func (s *study) vacuumCycles() string {
	least, most, ok := s.span(func(r *pgassay.TrialRecord) (int, bool) {
		n := vacuumRuns(r)
		return int(n.v), n.absent == present
	})
	switch {
	case !ok || least >= enoughCycles:
		return ""
	case most == 0:
		return "The cost and the benefit of autovacuum: no run ended within a measurement."
	}
	return fmt.Sprintf("Whole autovacuum cycles in every trial: %s runs ended within a measurement, fewer than %d in some.", fromTo(least, most), enoughCycles)
}

func fromTo(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func (s *study) otherDurability() string {
	var relaxed []string
	for _, g := range guarantees {
		if s.relaxedEverywhere(g) {
			relaxed = append(relaxed, g.setting+" = "+g.relaxed)
		}
	}
	if len(relaxed) == 0 {
		return ""
	}
	return fmt.Sprintf("Full durability: every arm ran with %s.", list(relaxed))
}

// longerTimes compares the measured time with what builds up over longer ones.
func (s *study) longerTimes() string {
	var longest int64
	for _, r := range s.trials {
		if r.Outcome == pgassay.OutcomeValid {
			longest = max(longest, r.MeasuredNS)
		}
	}
	if longest == 0 {
		return ""
	}
	length := time.Duration(longest).Round(time.Second).String()
	if longest < int64(time.Second) {
		length = time.Duration(longest).Round(time.Millisecond).String()
	}
	state := "started from freshly loaded and vacuumed data"
	if s.e.Design.Reset == pgassay.ResetNone {
		state = "went on with what the trial before had left"
	}
	return fmt.Sprintf("What builds up over hours or days (bloat, transaction ID age): each trial measured %s and %s.", length, state)
}
