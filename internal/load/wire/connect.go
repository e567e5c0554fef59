package wire

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

// connectsAtOnce bounds how many sessions are opened at the same time: a
// server forks for each, and its backlog is finite.
const connectsAtOnce = 16

// connector opens sessions of kind S, a bounded number at a time.
type connector[S any] struct {
	open  func(context.Context) (S, error)
	waits []time.Duration
	gate  chan struct{} // bounds reconnects
}

func newConnector[S any](o *Options, open func(context.Context) (S, error)) connector[S] {
	return connector[S]{open: open, waits: o.Waits, gate: make(chan struct{}, connectsAtOnce)}
}

// all opens n sessions and hands each over, from several goroutines. It returns
// the first error, after all that began have ended.
func (c *connector[S]) all(ctx context.Context, n int, take func(i int, s S)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(connectsAtOnce)
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			s, err := c.open(ctx)
			if err == nil {
				take(i, s)
			}
			return err
		})
	}
	return group.Wait()
}

// again opens a session in place of one that broke, with pauses between the
// tries. It gives up after the last of them, or when ctx ends.
func (c *connector[S]) again(ctx context.Context) (S, error) {
	for i := 0; ; i++ {
		s, err := c.once(ctx)
		if err == nil || i == len(c.waits) || ctx.Err() != nil {
			return s, err
		}
		timer := time.NewTimer(c.waits[i])
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

func (c *connector[S]) once(ctx context.Context) (S, error) {
	select {
	case c.gate <- struct{}{}:
		defer func() { <-c.gate }()
		return c.open(ctx)
	case <-ctx.Done():
		var none S
		return none, ctx.Err()
	}
}

// connect opens one session and prepares the statements in it.
func connect[S session](ctx context.Context, o *Options, start opener[S]) (S, error) {
	var none S
	conn, err := o.Connect(ctx)
	if err != nil {
		return none, err
	}
	s, err := start(conn, o)
	if err != nil {
		return none, err
	}
	if o.Protocol == Prepared {
		if err := s.prepare(ctx, o.Statements); err != nil {
			s.close()
			return none, err
		}
	}
	return s, nil
}
