package wire

import (
	"context"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// epoll is an engine with one event loop for all clients.
type epoll struct {
	o       Options
	connect connector[*link]
	lines   []*line
	poller  *poller
	shared  []byte

	// Of a run.
	live       int // lines whose client has neither stopped nor gone
	sleepers   sleepers
	alarm      int64 // the timer is set to it; 0 when it is not
	connecting sync.WaitGroup
	mu         sync.Mutex
	arrived    []arrival
}

// arrival is the outcome of a reconnect.
type arrival struct {
	line *line
	link *link
	err  error
}

// yieldNS is how often the loop yields on its own. Go's system monitor preempts
// a goroutine that runs for 10 ms, and then wakes every 20 µs for a while to
// look for more of that kind. Measured with one client, select, CPU per
// transaction: 8.4 µs so, 14.4 µs without yielding, 12.7 µs with a thread of the
// loop's own (on which to yield is to switch threads).
const yieldNS = int64(4 * time.Millisecond)

// sharedSize holds many answers' bytes; a long one takes fewer reads.
const sharedSize = 64 << 10

func newEpoll(o Options) *epoll {
	e := &epoll{o: o, shared: make([]byte, sharedSize)}
	e.connect = newConnector(&e.o, func(ctx context.Context) (*link, error) {
		s, err := connect(ctx, &e.o, openNet)
		if err != nil {
			return nil, err
		}
		return detach(s)
	})
	return e
}

func (e *epoll) Name() string { return "epoll" }

func (e *epoll) Open(ctx context.Context, n int) (err error) {
	if e.poller, err = newPoller(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			e.Close()
		}
	}()
	e.lines = make([]*line, n)
	for i := range e.lines {
		e.lines[i] = &line{index: int32(i)}
	}
	if err := e.connect.all(ctx, n, func(i int, k *link) { e.lines[i].link = k }); err != nil {
		return err
	}
	for _, l := range e.lines {
		if err := e.attach(l, l.link); err != nil {
			return err
		}
	}
	return nil
}

// attach gives a line a connection.
func (e *epoll) attach(l *line, k *link) error {
	l.link, l.watched, l.unsent = k, false, nil
	l.own = k.in.buf
	return e.poller.add(k.fd, l.index, 0)
}

func (e *epoll) Run(ctx context.Context, clients []Client) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, e.poller.wake)
	defer stop()
	e.live, e.sleepers, e.alarm = len(clients), sleepers{}, 0
	now := e.o.Now()
	for i, c := range clients {
		l := e.lines[i]
		l.client = c
		e.proceed(ctx, l, now)
	}
	var err error
	for e.live > 0 && ctx.Err() == nil {
		if err = e.turn(ctx); err != nil { // the system refuses to wait
			cancel()
		}
		if t := e.o.Now(); t-now > yieldNS {
			now = t
			runtime.Gosched()
		}
	}
	if ctx.Err() != nil {
		e.abandon(err)
	}
	e.connecting.Wait()
	e.takeArrivals(ctx)
}

// turn waits once and handles what has come.
func (e *epoll) turn(ctx context.Context) error {
	if at, ok := e.sleepers.first(); ok && at != e.alarm {
		if err := e.poller.alarm(time.Duration(at - e.o.Now())); err != nil {
			return err
		}
		e.alarm = at
	}
	events, err := e.poller.wait()
	if err != nil {
		return err
	}
	for i := range events {
		switch mark := events[i].Fd; mark {
		case calledMark:
			if ctx.Err() != nil {
				return nil
			}
			e.takeArrivals(ctx)
		case timerMark:
			e.alarm = 0
		default:
			e.hear(ctx, e.lines[mark], events[i].Events)
		}
	}
	if _, ok := e.sleepers.first(); ok {
		now := e.o.Now()
		for l := e.sleepers.due(now); l != nil; l = e.sleepers.due(now) {
			e.proceed(ctx, l, now)
		}
	}
	return nil
}

// hear handles an event of a line's socket. While no answer is awaited it is
// only noted, since it will not be told again.
func (e *epoll) hear(ctx context.Context, l *line, events uint32) {
	if events&(unix.EPOLLHUP|unix.EPOLLRDHUP|unix.EPOLLERR) != 0 {
		l.ended = true
	}
	if events&^unix.EPOLLOUT != 0 {
		l.readable = true
	}
	if l.state != waiting {
		return
	}
	if len(l.unsent) > 0 {
		if err := e.push(l, l.flush()); err != nil {
			e.lose(ctx, l, err)
			return
		}
	}
	e.listen(ctx, l)
}

// push looks after what a send left over: the socket is watched for becoming
// writable exactly as long as there is something to write.
func (e *epoll) push(l *line, err error) error {
	if rest := len(l.unsent) > 0; err == nil && rest != l.watched {
		l.watched = rest
		extra := uint32(0)
		if rest {
			extra = unix.EPOLLOUT
		}
		err = e.poller.change(l.fd, l.index, extra)
	}
	return err
}

// listen reads a line's answer and, when it is complete, lets its client go on,
// for as long as there is something to read.
func (e *epoll) listen(ctx context.Context, l *line) {
	for l.state == waiting && l.readable {
		complete, err := l.receive(e.shared)
		if err != nil {
			e.lose(ctx, l, err)
			return
		}
		if !complete {
			return
		}
		l.learn(l.statement, l.found.parsed, &l.reply)
		now := e.o.Now()
		l.client.Done(now, &l.reply)
		e.step(ctx, l, now)
	}
}

// proceed lets a line's client go on.
func (e *epoll) proceed(ctx context.Context, l *line, now int64) {
	e.step(ctx, l, now)
	e.listen(ctx, l)
}

// step does what a line's client wants next.
func (e *epoll) step(ctx context.Context, l *line, now int64) {
	switch a := l.client.Next(now); a.Kind {
	case Stop:
		l.state = stopped
		e.live--
	case Sleep:
		l.state, l.wake = asleep, now+int64(a.Wait)
		e.sleepers.add(l)
	case Send:
		l.state = waiting
		if err := e.push(l, l.send(a.Statement)); err != nil {
			e.lose(ctx, l, err)
		}
	}
}

// lose tells the client that its connection broke, and has a goroutine make a
// new one: the loop does not wait for it.
func (e *epoll) lose(ctx context.Context, l *line, err error) {
	if ctx.Err() != nil { // the loop ends now, and nobody is interested any more
		return
	}
	l.client.Lost(e.o.Now(), err)
	l.state = connecting
	e.poller.remove(l.fd)
	l.hangUp()
	e.connecting.Go(func() {
		k, err := e.connect.again(ctx)
		e.mu.Lock()
		e.arrived = append(e.arrived, arrival{l, k, err})
		e.mu.Unlock()
		e.poller.wake()
	})
}

// takeArrivals puts new connections into their lines.
func (e *epoll) takeArrivals(ctx context.Context) {
	e.mu.Lock()
	arrived := e.arrived
	e.arrived = nil
	e.mu.Unlock()
	for _, a := range arrived {
		if a.err == nil {
			a.err = e.attach(a.line, a.link)
		}
		switch {
		case a.err != nil:
			e.gone(a.line, a.err)
		case ctx.Err() == nil:
			e.proceed(ctx, a.line, e.o.Now())
		}
	}
}

func (e *epoll) gone(l *line, err error) {
	l.state = stopped
	e.live--
	l.client.Gone(err)
}

// abandon hangs up on all statements that run and asks the server to cancel
// them, so that none runs on without its client. With an error the clients are
// gone for it.
func (e *epoll) abandon(err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(connectsAtOnce)
	for _, l := range e.lines {
		if l.state == waiting {
			group.Go(func() error {
				l.cancel(ctx)
				l.hangUp()
				return nil
			})
		}
		if err != nil && (l.state == waiting || l.state == asleep) {
			e.gone(l, err)
		}
	}
	_ = group.Wait() // cancel returns no error: it is a courtesy
}

func (e *epoll) Close() {
	for _, l := range e.lines {
		if l.link != nil {
			l.hangUp()
		}
	}
	e.lines = nil
	if e.poller != nil {
		e.poller.close()
	}
}
