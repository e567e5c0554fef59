package plan

import (
	"fmt"

	"github.com/pgassay/pgassay"
)

// The rule of the unfit host: more than a quarter of the slots had to be
// repeated, and enough trials were made to say so.
const (
	maxRedoneShare   = 0.25
	minTrialsToJudge = 8
)

// Next returns the step to make after a history, or why the run is over.
// Exactly one of the two is set (a zero Step comes with a Stop).
//
// Blocks are made in order. A trial that is invalid or failed is ordered again
// at once, in the same block and position with the next attempt; after
// MaxAttempts its cell is dropped from the block. A trial that was interrupted
// is ordered again with the same attempt. Numbers count on. Next looks at
// outcomes only, so that going on after a crash gives the order that the run
// would have had without it.
func Next(d Design, h History) (Step, *Stop) {
	planned := Planned(d)
	if len(planned) == 0 {
		return Step{}, &Stop{Reason: "nothing is planned", Complete: true}
	}
	s := settle(h)
	if stop := s.unfit(); stop != nil {
		return Step{}, stop
	}
	dropped := 0
	for _, order := range planned {
		slot := s.slots[key(order)]
		if slot.valid {
			continue
		}
		if slot.tried >= d.MaxAttempts {
			dropped++
			continue
		}
		order.Number = s.last + 1
		order.Attempt = slot.tried + 1
		return Step{Orders: []pgassay.TrialOrder{order}}, nil
	}
	reason := fmt.Sprintf("all %d trials of %d %s are done", len(planned), d.Blocks, plural(d.Blocks, "block"))
	if dropped > 0 {
		reason += fmt.Sprintf(", %d of them dropped after %d attempts each", dropped, d.MaxAttempts)
	}
	return Step{}, &Stop{Reason: reason, Complete: true}
}

type slotKey struct{ block, position int }

func key(o pgassay.TrialOrder) slotKey { return slotKey{o.Block, o.Position} }

// slot is what the history says of one place in the plan.
type slot struct {
	valid bool
	tried int // attempts that count: invalid or failed ones
}

type settled struct {
	slots  map[slotKey]slot
	last   int // the highest number given so far
	judged int // trials that count
}

func settle(h History) settled {
	s := settled{slots: map[slotKey]slot{}}
	for _, done := range h {
		s.last = max(s.last, done.Order.Number)
		if done.Outcome == pgassay.OutcomeInterrupted {
			continue
		}
		s.judged++
		at := s.slots[key(done.Order)]
		if done.Outcome == pgassay.OutcomeValid {
			at.valid = true
		} else {
			at.tried++
		}
		s.slots[key(done.Order)] = at
	}
	return s
}

// unfit stops a run on a host where too many trials have to be repeated.
func (s settled) unfit() *Stop {
	if s.judged < minTrialsToJudge {
		return nil
	}
	redone := 0
	for _, at := range s.slots {
		if at.tried > 0 {
			redone++
		}
	}
	share := float64(redone) / float64(len(s.slots))
	if share <= maxRedoneShare {
		return nil
	}
	return &Stop{Reason: fmt.Sprintf("host unfit: %d of %d trials (%.0f %%) had to be repeated, the limit is %.0f %%",
		redone, len(s.slots), 100*share, 100*maxRedoneShare)}
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
