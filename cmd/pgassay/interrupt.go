package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// errInterrupted is why a context ended after the second signal.
var errInterrupted = errors.New("interrupted")

// interrupts turns SIGINT and SIGTERM into two steps: the first closes finish
// (end after the trial in hand), the second cancels the context (stop now,
// cleaning up). SIGTERM and SIGHUP go straight to the second: whoever sends them
// will not send another. A reader of our output that has gone away does not end
// a run: SIGPIPE is ignored. Call stop when nothing is left to interrupt.
type interrupts struct {
	finish chan struct{}
	ctx    context.Context
	stop   func()
	// was says whether any signal came.
	was func() bool
}

func watchInterrupts(parent context.Context, say func(string)) *interrupts {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE)
	in := &interrupts{finish: make(chan struct{}), ctx: ctx}
	done := make(chan struct{})
	var mu sync.Mutex
	seen := 0
	in.was = func() bool {
		mu.Lock()
		defer mu.Unlock()
		return seen > 0
	}
	in.stop = sync.OnceFunc(func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	})
	go func() {
		for {
			select {
			case <-done:
				return
			case sig := <-signals:
				mu.Lock()
				seen++
				first := seen == 1
				mu.Unlock()
				if first && sig == os.Interrupt {
					say("finishing the trial in hand; ^C again stops now. Everything measured is kept.")
					close(in.finish)
					continue
				}
				say("stopping; the server is shut down and settings are put back")
				cancel(errInterrupted)
			}
		}
	}()
	return in
}
