package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/lab"
)

// screen shows how a run goes. Its methods may be called from any goroutine.
type screen interface {
	progress(lab.Progress)
	say(text string)
	close()
}

// newScreen chooses how to show progress: a live view only when stderr is a
// terminal that can show it.
func (a *app) newScreen(mode string, e *pgassay.Experiment) screen {
	switch mode {
	case "json":
		return &jsonScreen{w: json.NewEncoder(a.stderr)}
	case "plain":
		return newPlainScreen(a.stderr, e)
	case "none":
		return quietScreen{w: a.stderr}
	}
	f, ok := a.stderr.(*os.File)
	termName, _ := a.env("TERM")
	ci, _ := a.env("CI")
	if ok && mode == "tui" || ok && mode == "auto" && term.IsTerminal(int(f.Fd())) && termName != "dumb" && termName != "" && ci == "" {
		_, noColor := a.env("NO_COLOR")
		return newLiveScreen(f, e, !noColor)
	}
	return newPlainScreen(a.stderr, e)
}

// quietScreen shows what must be said and nothing else.
type quietScreen struct{ w io.Writer }

func (quietScreen) progress(lab.Progress) {}
func (s quietScreen) say(text string)     { fmt.Fprintln(s.w, text) }
func (quietScreen) close()                {}

// jsonScreen writes one JSON object per step.
type jsonScreen struct{ w *json.Encoder }

type jsonProgress struct {
	SchemaVersion int                 `json:"schema_version"`
	Kind          string              `json:"kind"`
	At            time.Time           `json:"at"`
	Text          string              `json:"text,omitempty"`
	Order         *pgassay.TrialOrder `json:"order,omitempty"`
	Outcome       pgassay.Outcome     `json:"outcome,omitempty"`
	Finished      int                 `json:"finished,omitempty"`
	Planned       int                 `json:"planned,omitempty"`
	RemainingS    float64             `json:"remaining_s,omitempty"`
	TPS           float64             `json:"tps,omitempty"`
	P99MS         float64             `json:"p99_ms,omitempty"`
}

func (s *jsonScreen) progress(p lab.Progress) {
	j := jsonProgress{SchemaVersion: 1, Kind: string(p.Kind), At: p.At, Text: p.Text, Finished: p.Finished, Planned: p.Planned,
		RemainingS: p.Remaining.Seconds(), TPS: p.Tick.TPS, P99MS: float64(p.Tick.P99NS) / 1e6}
	if p.Order.Number > 0 {
		j.Order = &p.Order
	}
	if p.Record != nil {
		j.Outcome, j.Text = p.Record.Outcome, p.Record.Reason
	}
	s.write(j)
}

func (s *jsonScreen) say(text string) {
	s.write(jsonProgress{SchemaVersion: 1, Kind: "message", At: time.Now().UTC(), Text: text})
}

// write passes an object on. When stderr is gone there is nobody to tell.
func (s *jsonScreen) write(j jsonProgress) { _ = s.w.Encode(j) }
func (*jsonScreen) close()                 {}
