package wire

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"
)

// connectsAtOnce bounds how many sessions are opened at the same time: a
// server forks for each, and its backlog is finite.
const connectsAtOnce = 16

// session is one connection.
type session interface {
	// prepare prepares the statements; an error means a broken connection.
	prepare(ctx context.Context, all []*Statement) error
	// roundTrip sends a statement and reads until ReadyForQuery. An error means
	// a broken connection.
	roundTrip(st *Statement, c Client, r *Reply) error
	// interrupt makes the pending and every later round trip fail. It may be
	// called from another goroutine.
	interrupt()
	// cancel asks the server to cancel what runs. It follows interrupt.
	cancel(ctx context.Context)
	// close ends the session.
	close()
}

// goroutines is an engine with a goroutine per client.
type goroutines struct {
	name  string
	o     Options
	open  func(*pgconn.PgConn, *Options) (session, error)
	slots []*slot
	gate  chan struct{} // bounds reconnects
}

// slot holds a client's session. mu guards it against interrupt; it is locked
// at a connect only.
type slot struct {
	mu      sync.Mutex
	session session
	stopped bool
}

// set puts a session in place; it is interrupted at once when the run is over.
func (s *slot) set(n session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = n
	if s.stopped && n != nil {
		n.interrupt()
	}
}

func (g *goroutines) Name() string { return g.name }

func (g *goroutines) Open(ctx context.Context, n int) error {
	g.gate = make(chan struct{}, connectsAtOnce)
	g.slots = make([]*slot, n)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(connectsAtOnce)
	for i := range g.slots {
		g.slots[i] = &slot{}
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			s, err := g.connect(ctx)
			if err == nil {
				g.slots[i].set(s)
			}
			return err
		})
	}
	err := group.Wait()
	if err != nil {
		g.Close()
	}
	return err
}

// connect opens and prepares one session.
func (g *goroutines) connect(ctx context.Context) (session, error) {
	conn, err := g.o.Connect(ctx)
	if err != nil {
		return nil, err
	}
	s, err := g.open(conn, &g.o)
	if err != nil {
		return nil, err
	}
	if g.o.Protocol == Prepared {
		if err := s.prepare(ctx, g.o.Statements); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

func (g *goroutines) Run(ctx context.Context, clients []Client) {
	stop := context.AfterFunc(ctx, g.interrupt)
	defer stop()
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() { g.drive(ctx, g.slots[i], c) })
	}
	wg.Wait()
}

// interrupt breaks all round trips and asks the server to cancel them, so that
// no statement runs on without its client.
func (g *goroutines) interrupt() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(connectsAtOnce)
	for _, s := range g.slots {
		s.mu.Lock()
		s.stopped = true
		current := s.session
		if current != nil {
			current.interrupt()
		}
		s.mu.Unlock()
		if current != nil {
			group.Go(func() error {
				current.cancel(ctx)
				return nil
			})
		}
	}
	_ = group.Wait() // cancel returns no error: it is a courtesy
}

// drive is one client's life.
func (g *goroutines) drive(ctx context.Context, at *slot, c Client) {
	var r Reply
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	s := at.session
	now := g.o.Now()
	for {
		a := c.Next(now)
		switch a.Kind {
		case Stop:
			return
		case Sleep:
			timer.Reset(a.Wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
			now = g.o.Now()
		case Send:
			r = Reply{}
			err := s.roundTrip(a.Statement, c, &r)
			now = g.o.Now()
			if err == nil {
				c.Done(now, &r)
				continue
			}
			if ctx.Err() != nil {
				return
			}
			c.Lost(now, err)
			if s, err = g.reconnect(ctx, at); err != nil {
				c.Gone(err)
				return
			}
			now = g.o.Now()
		}
	}
}

// reconnect replaces a broken session.
func (g *goroutines) reconnect(ctx context.Context, at *slot) (session, error) {
	at.mu.Lock()
	old := at.session
	at.session = nil
	at.mu.Unlock()
	old.close()
	for i := 0; ; i++ {
		s, err := g.reconnectOnce(ctx)
		if err == nil {
			at.set(s)
			return s, nil
		}
		if i == len(g.o.Waits) || ctx.Err() != nil {
			return nil, err
		}
		timer := time.NewTimer(g.o.Waits[i])
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

func (g *goroutines) reconnectOnce(ctx context.Context) (session, error) {
	select {
	case g.gate <- struct{}{}:
		defer func() { <-g.gate }()
		return g.connect(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g *goroutines) Close() {
	for _, s := range g.slots {
		s.mu.Lock()
		if s.session != nil {
			s.session.close()
			s.session = nil
		}
		s.mu.Unlock()
	}
}
