package main

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"charm.land/bubbles/v2/progress"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/lab"
)

// liveScreen redraws a few lines at the bottom of a terminal. Finished trials
// scroll away above them. It reads no input: ^C stays a signal.
type liveScreen struct {
	program *tea.Program
	ended   chan struct{}
	once    sync.Once
}

func newLiveScreen(f *os.File, e *pgassay.Experiment, color bool) *liveScreen {
	m := newLiveModel(e, color)
	s := &liveScreen{ended: make(chan struct{})}
	s.program = tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(f), tea.WithoutSignalHandler())
	go func() {
		defer close(s.ended)
		if _, err := s.program.Run(); err != nil {
			fmt.Fprintf(f, "pgassay: live progress ended: %v\n", err)
		}
	}()
	return s
}

func (s *liveScreen) progress(p lab.Progress) { s.program.Send(p) }
func (s *liveScreen) say(text string)         { s.program.Send(sayMsg(text)) }

func (s *liveScreen) close() {
	s.once.Do(func() {
		s.program.Send(tea.Quit())
		<-s.ended
	})
}

type sayMsg string

// liveModel is the state behind the live lines; Update and View are pure.
type liveModel struct {
	e     *pgassay.Experiment
	bar   progress.Model
	last  lab.Progress
	tick  lab.Tick
	phase string
	tps   []float64 // of the trial in hand, one per tick
	color bool
	width int
	done  bool
}

func newLiveModel(e *pgassay.Experiment, color bool) liveModel {
	options := []progress.Option{progress.WithWidth(40), progress.WithoutPercentage()}
	if color {
		options = append(options, progress.WithColors(lipgloss.Color("#2a78d6")))
	}
	return liveModel{e: e, bar: progress.New(options...), color: color, width: 80}
}

// Init starts nothing: everything comes from the run.
func (m liveModel) Init() tea.Cmd { return nil }

// Update takes in one step of the run.
func (m liveModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width = msg.Width
	case tea.QuitMsg:
		m.done = true
		return m, tea.Quit
	case sayMsg:
		return m, tea.Println(string(msg))
	case lab.Progress:
		return m.step(msg)
	}
	return m, nil
}

func (m liveModel) step(p lab.Progress) (tea.Model, tea.Cmd) {
	switch p.Kind {
	case lab.ProgressPrepare:
		m.phase = p.Text
	case lab.ProgressDecision:
		return m, tea.Println(p.Text)
	case lab.ProgressTrial:
		m.last, m.tick, m.tps, m.phase = p, lab.Tick{}, nil, "restore"
	case lab.ProgressPhase:
		m.phase = p.Text
	case lab.ProgressTick:
		m.tick, m.phase = p.Tick, p.Tick.Phase
		m.tps = append(m.tps, p.Tick.TPS)
	case lab.ProgressDone:
		m.last = p
		return m, tea.Println(m.fit(doneText(m.e, lab.Progress{Record: p.Record, Finished: p.Finished, Planned: p.Planned})))
	}
	return m, nil
}

// View draws the lines.
func (m liveModel) View() tea.View {
	if m.done {
		return tea.NewView("")
	}
	if m.last.Planned == 0 {
		return tea.NewView(m.fit(m.phase) + "\n")
	}
	var b strings.Builder
	share := float64(m.last.Finished) / float64(m.last.Planned)
	fmt.Fprintf(&b, "\n%s  %d of %d trials%s\n", m.bar.ViewAs(share), m.last.Finished, m.last.Planned, left(m.last.Remaining))
	o := m.last.Order
	fmt.Fprintln(&b, m.fit(fmt.Sprintf("block %d: %s at %s", o.Block, m.e.Arms[o.Arm].Name, m.e.Loads[o.Load].Name)))
	line := m.phase
	if m.tick.Phase != "" {
		line = tickText(m.tick) + "  " + sparkline(m.tps, 30)
	}
	fmt.Fprintln(&b, m.fit(line))
	return tea.NewView(b.String())
}

// fit cuts a line to the terminal's width.
func (m liveModel) fit(s string) string {
	r := []rune(s)
	if len(r) <= m.width || m.width < 10 {
		return s
	}
	return string(r[:m.width-1]) + "…"
}

// sparkline draws the last n values between 0 and their maximum.
func sparkline(values []float64, n int) string {
	const bars = "▁▂▃▄▅▆▇█"
	values = values[max(0, len(values)-n):]
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	var b strings.Builder
	for _, v := range values {
		i := 0
		if top > 0 {
			i = int(v / top * 7)
		}
		b.WriteRune([]rune(bars)[i])
	}
	return b.String()
}
