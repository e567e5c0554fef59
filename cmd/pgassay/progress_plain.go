package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/lab"
)

// plainScreen writes a line per change of state, and one every ten seconds
// while a load runs.
type plainScreen struct {
	mu   sync.Mutex
	w    io.Writer
	e    *pgassay.Experiment
	last time.Time // of the last line about a load that runs
}

const plainTick = 10 * time.Second

func newPlainScreen(w io.Writer, e *pgassay.Experiment) *plainScreen { return &plainScreen{w: w, e: e} }

func (s *plainScreen) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.w, text)
}

func (*plainScreen) close() {}

func (s *plainScreen) progress(p lab.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch p.Kind {
	case lab.ProgressPrepare, lab.ProgressDecision:
		fmt.Fprintln(s.w, p.Text)
	case lab.ProgressTrial:
		s.last = p.At
	case lab.ProgressTick:
		if p.At.Sub(s.last) >= plainTick {
			s.last = p.At
			fmt.Fprintf(s.w, "           %s\n", tickText(p.Tick))
		}
	case lab.ProgressDone:
		fmt.Fprintln(s.w, doneText(s.e, p))
	}
}

// doneText is one line about a finished trial.
func doneText(e *pgassay.Experiment, p lab.Progress) string {
	r := p.Record
	text := fmt.Sprintf("[%*d/%d] block %d  %s  %s", len(fmt.Sprint(p.Planned)), p.Finished, p.Planned, r.Order.Block,
		oneLine(e.Arms[r.Order.Arm].Name), e.Loads[r.Order.Load].Name)
	if r.MeasuredNS > 0 {
		text += fmt.Sprintf("  %s tps", thousands(float64(r.TotalTransactions())*1e9/float64(r.MeasuredNS)))
	}
	if r.Outcome != pgassay.OutcomeValid {
		text += fmt.Sprintf("  %s: %s", strings.ToUpper(string(r.Outcome)), r.Reason)
	}
	return text + left(p.Remaining)
}

// oneLine replaces what would break a line or steer the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

func tickText(t lab.Tick) string {
	text := fmt.Sprintf("%s %.0f s  %s tps", t.Phase, t.Elapsed.Seconds(), thousands(t.TPS))
	if t.P99NS > 0 {
		text += fmt.Sprintf("  P99 %.2f ms", float64(t.P99NS)/1e6)
	}
	if t.Failed > 0 {
		text += fmt.Sprintf("  %d failed", t.Failed)
	}
	return text
}

// left says how much time is left, "" when nothing is or nobody knows.
func left(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return "  " + duration(d) + " left"
}

// duration writes a time for people: 45 s, 3 min 20 s, 2 h 05 min.
func duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// thousands writes a number with no decimals and a separator: 12,345.
func thousands(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
