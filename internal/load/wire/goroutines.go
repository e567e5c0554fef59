package wire

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"
)

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

// opener makes a session of a connection that pgconn has opened.
type opener[S session] func(*pgconn.PgConn, *Options) (S, error)

// goroutines is an engine with a goroutine per client.
type goroutines struct {
	name    string
	o       Options
	connect connector[session]
	slots   []*slot
}

func newGoroutines[S session](name string, o Options, start opener[S]) *goroutines {
	g := &goroutines{name: name, o: o}
	g.connect = newConnector(&g.o, func(ctx context.Context) (session, error) { return connect(ctx, &g.o, start) })
	return g
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
	g.slots = make([]*slot, n)
	for i := range g.slots {
		g.slots[i] = &slot{}
	}
	err := g.connect.all(ctx, n, func(i int, s session) { g.slots[i].set(s) })
	if err != nil {
		g.Close()
	}
	return err
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
	s, err := g.connect.again(ctx)
	if err == nil {
		at.set(s)
	}
	return s, err
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
