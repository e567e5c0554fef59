package analyze

import (
	"fmt"

	"github.com/pgassay/pgassay"
)

// guarantee is a durability setting and what its relaxed value gives up.
type guarantee struct{ setting, relaxed, means string }

// guarantees are the settings of V42.
var guarantees = []guarantee{
	{"fsync", "off", "after a crash of the operating system or a power cut the whole cluster can be corrupt, and no number here includes waiting for the disk"},
	{"full_page_writes", "off", "after a crash of the operating system or a power cut pages can be torn and the data corrupt"},
	{"synchronous_commit", "off", "a crash of the server loses the last confirmed transactions (up to three times wal_writer_delay; the data stay consistent), and commits do not wait for the disk"},
}

// banners are what belongs on top of a report: relaxed durability (V42), and a
// run that ended early.
func (s *study) banners() []string {
	var out []string
	for _, g := range guarantees {
		in := s.inForce(g.setting)
		var arms []int
		for a := range s.e.Arms {
			if in[a] == g.relaxed {
				arms = append(arms, a)
			}
		}
		switch {
		case len(arms) == 0:
		case len(arms) == len(in):
			out = append(out, fmt.Sprintf("Durability (V42): %s is %s in all arms: %s.", g.setting, g.relaxed, g.means))
		default:
			out = append(out, fmt.Sprintf("Durability (V42): %s is %s in %s and not in the others, so that arms with unequal guarantees are compared: with it %s, %s.", g.setting, g.relaxed, plural(len(arms), "arm"), g.relaxed, g.means))
		}
	}
	if text := s.busyHost(); text != "" {
		out = append(out, text)
	}
	if !s.Run.Complete {
		why := s.Run.Stop
		if why == "" {
			why = "no reason was recorded"
		}
		out = append(out, fmt.Sprintf("The run ended before its plan was done (%s): it has %s of %s.", why, plural(s.validTrials(), "valid trial"), count(float64(s.planned()))))
	}
	return out
}

// busyHost says that other processes took much of the host's CPU time (V29):
// the blocks keep the comparison fair, but it sees less.
func (s *study) busyHost() string {
	busy, all, most := 0, 0, 0.0
	for _, row := range s.cells {
		for _, c := range row {
			for _, t := range c.trials {
				all++
				share := t.rec.Host.ForeignCPUS * 1e9 / (float64(t.rec.Host.CPUs) * float64(t.rec.MeasuredNS))
				if failed(t.rec, "V29") {
					busy, most = busy+1, max(most, share)
				}
			}
		}
	}
	if busy == 0 {
		return ""
	}
	return fmt.Sprintf("The host was busy (V29): in %d of %s other processes used more than 5 %% of the CPU time, up to %s. Trials scatter more then, and smaller effects stay hidden: repeat the run when nothing else runs here.",
		busy, plural(all, "valid trial"), percent(most))
}

// failed says whether a check of a trial failed.
func failed(t *pgassay.TrialRecord, id string) bool {
	for _, c := range t.Checks {
		if c.ID == id && c.Status == pgassay.CheckFailed {
			return true
		}
	}
	return false
}

func (s *study) validTrials() int {
	n := 0
	for _, row := range s.cells {
		for _, c := range row {
			n += len(c.trials)
		}
	}
	return n
}

func (s *study) planned() int {
	return len(s.e.Arms) * len(s.e.Loads) * s.e.Design.Stop.FixedBlocks
}

// relaxedEverywhere says whether a setting has its relaxed value in all arms
// that were seen.
func (s *study) relaxedEverywhere(g guarantee) bool {
	in := s.inForce(g.setting)
	for _, v := range in {
		if v != g.relaxed {
			return false
		}
	}
	return len(in) > 0
}

// eventsIn counts the events of a kind that ended within a trial's measurement.
func eventsIn(r *pgassay.TrialRecord, kind pgassay.EventKind) int {
	n := 0
	for _, ev := range r.Events {
		if ev.Kind == kind && ev.At >= 0 && ev.At <= r.MeasuredNS {
			n++
		}
	}
	return n
}
