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

// liveScreen redraws a few lines at the bottom of a terminal. What is said and
// finished trials scroll away above them. It reads no input: ^C stays a signal.
type liveScreen struct {
	mu      sync.Mutex
	f       *os.File
	model   liveModel
	program *tea.Program // nil before the run begins and after it has ended
	ended   chan struct{}
}

func newLiveScreen(f *os.File, e *pgassay.Experiment, color bool) *liveScreen {
	return &liveScreen{f: f, model: newLiveModel(e, color)}
}

// start begins to draw. Until then lines are plain, so that the plan stays on
// the screen as it is.
func (s *liveScreen) start() {
	s.ended = make(chan struct{})
	program := tea.NewProgram(s.model, tea.WithInput(nil), tea.WithOutput(s.f), tea.WithoutSignalHandler())
	s.program = program
	go func() {
		defer close(s.ended)
		if _, err := program.Run(); err != nil {
			fmt.Fprintf(s.f, "pgassay: live progress ended: %v\n", err)
		}
	}()
}

func (s *liveScreen) progress(p lab.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.program == nil {
		s.start()
	}
	switch p.Kind {
	case lab.ProgressDecision:
		s.print(p.Text)
	case lab.ProgressDone:
		s.print(doneText(s.model.e, lab.Progress{Record: p.Record, Finished: p.Finished, Planned: p.Planned}))
	}
	s.program.Send(p)
}

func (s *liveScreen) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.print(text)
}

// print writes a line above the live ones, or just a line when there are none.
func (s *liveScreen) print(text string) {
	if s.program == nil {
		fmt.Fprintln(s.f, text)
		return
	}
	select {
	case <-s.ended: // it would never take the line
		fmt.Fprintln(s.f, text)
	default:
		s.program.Println(text)
	}
}

func (s *liveScreen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.program == nil {
		return
	}
	s.program.Send(endMsg{})
	<-s.ended
	s.program = nil
}

// endMsg has the lines cleared and the program end.
type endMsg struct{}

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
	options := []progress.Option{progress.WithWidth(40), progress.WithoutPercentage(), progress.WithFillCharacters('█', '░')}
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
	case endMsg:
		m.done = true
		return m, tea.Quit
	case lab.Progress:
		m = m.step(msg)
	}
	return m, nil
}

// step takes in one progress.
func (m liveModel) step(p lab.Progress) liveModel {
	switch p.Kind {
	case lab.ProgressPrepare, lab.ProgressPhase:
		m.phase, m.tick = p.Text, lab.Tick{}
	case lab.ProgressTrial:
		m.last, m.tick, m.tps, m.phase = p, lab.Tick{}, nil, "restore"
	case lab.ProgressTick:
		m.tick, m.phase = p.Tick, p.Tick.Phase
		m.tps = append(m.tps, p.Tick.TPS)
	case lab.ProgressDone:
		m.last = p
	}
	return m
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
	fmt.Fprintln(&b, m.fit(fmt.Sprintf("block %d: %s at %s", o.Block, oneLine(m.e.Arms[o.Arm].Name), m.e.Loads[o.Load].Name)))
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
