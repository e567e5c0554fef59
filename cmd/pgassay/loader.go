package main

import (
	"context"
	"time"

	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/lab"
	"github.com/pgassay/pgassay/internal/load"
)

// reachable is what the load engine and the samplers need of an instance.
type reachable interface {
	lab.Instance
	Target() *dial.Target
	PID() int // of the postmaster, 0 when it is not on this host
	LogPath() string
}

// loader adapts the load engine to the lab.
type loader struct{}

var _ lab.Loader = loader{}

// Run pushes the job's load on in.
func (loader) Run(ctx context.Context, in lab.Instance, job lab.Job, begin, end func(time.Time), tick func(lab.Tick)) (lab.LoadResult, error) {
	res, err := load.Run(ctx, load.Config{
		Target: in.(reachable).Target(), Scripts: job.Scripts, Variables: job.Variables, Clients: job.Clients,
		Warmup: job.Warmup, Measure: job.Measure, Seed: job.Seed, Begin: begin, End: end,
		Tick: func(t load.Tick) { tick(lab.Tick(t)) },
	})
	return lab.LoadResult{
		MeasuredNS: res.MeasuredNS, ConnectS: res.ConnectS, Scripts: res.Scripts, Histograms: res.Histograms, Series: res.Series,
		ClientCPUS: res.ClientCPUS, GCPauseNS: res.GCPauseNS, RunQueueP99NS: res.RunQueueP99NS,
	}, err
}
