package lab_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pgassay/pgassay/internal/lab"
)

// TestCalibrate: the rate over the measured time, the tables as they were at
// the start, what the phases took, and nothing recorded or left running.
func TestCalibrate(t *testing.T) {
	r, e := newRig(), twoArms(1)
	var said []string
	local := &lab.Local{Experiment: e, Target: target{r.world}, Loader: loader{r.world}, Sink: func(p lab.Progress) { said = append(said, string(p.Kind)) }, Now: r.world.clock}
	got, err := local.Calibrate(t.Context(), &e.Arms[1], &e.Loads[0], 4*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if got.TPS != 5000 || len(got.Relations) != 1 || got.Relations[0].Tuples != 1000 || got.Phases.RestoreS != 0.25 || got.Phases.StopS != 0.125 {
		t.Errorf("got %+v, want 20,000 transactions in 4 s, one table, and the phases", got)
	}
	if r.world.running != 0 || len(r.memory.begun) != 0 {
		t.Errorf("%d servers left, %d trials recorded, want none", r.world.running, len(r.memory.begun))
	}
}

// TestCalibrateFails: whatever fails is told with its place, and the server is
// stopped.
func TestCalibrateFails(t *testing.T) {
	for place, want := range map[string]string{
		"prepare": "prepare arm large", "instance": "start server", "checkpoint": "checkpoint", "snapshot": "read statistics", "load": "load", "stop": "broken pipe",
	} {
		r, e := newRig(), twoArms(1)
		r.world.faults[place] = []error{errors.New("broken pipe")}
		local := &lab.Local{Experiment: e, Target: target{r.world}, Loader: loader{r.world}, Now: r.world.clock}
		_, err := local.Calibrate(t.Context(), &e.Arms[1], &e.Loads[0], time.Second)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "broken pipe") || r.world.running != 0 {
			t.Errorf("%s: got %v with %d servers left", place, err, r.world.running)
		}
	}
}
