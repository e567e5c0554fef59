package wire

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Protocol is how statements are sent.
type Protocol string

// The protocols, named as pgbench's -M.
const (
	Simple   Protocol = "simple"
	Extended Protocol = "extended"
	Prepared Protocol = "prepared"
)

// Statement is one command of a script: what goes to the server in one round
// trip. It is shared by all sessions and not changed.
type Statement struct {
	// ID indexes Options.Statements.
	ID    int
	Parts []Part
}

// Part is one SQL statement.
type Part struct {
	// SQL has $1, $2, … for the parameters.
	SQL string
	// Pieces are the text around the parameters, one more than there are
	// parameters, for the simple protocol.
	Pieces []string
	// Name is the prepared statement's name, unique among all statements.
	Name string
}

// params is the number of parameters.
func (p *Part) params() int { return len(p.Pieces) - 1 }

// ActionKind says what a client wants.
type ActionKind uint8

// The kinds of actions.
const (
	Stop  ActionKind = iota // nothing any more
	Send                    // a round trip with Statement
	Sleep                   // time to pass
)

// Action is what a client wants next.
type Action struct {
	Kind      ActionKind
	Statement *Statement
	Wait      time.Duration
}

// Reply is what came of a round trip. It belongs to the engine and is valid
// during [Client.Done] only.
type Reply struct {
	// Rows counts the rows of INSERT, UPDATE, DELETE, MERGE and COPY.
	Rows int64
	// Status is the transaction status after it: 'I' (none), 'T' (open) or 'E'
	// (failed).
	Status byte
	// Code is the SQLSTATE of the first error, "" when all went well, and
	// Message the server's text for it.
	Code    string
	Message string
}

// Client is one client's state machine. An engine calls its methods from one
// goroutine at a time. Times are nanoseconds on the clock of Options.Now.
type Client interface {
	// AppendParam appends a parameter of the statement that Next asked to send,
	// as text, or says that it is NULL and appends nothing.
	AppendParam(dst []byte, statement, part, param int) (out []byte, null bool)
	// Next says what to do at the time now. It is called first, and after every
	// Done, Lost or sleep.
	Next(now int64) Action
	// Done tells what came of a round trip. now is when the answer was complete.
	Done(now int64, r *Reply)
	// Lost tells that the connection broke during a round trip; what became of
	// the statement is unknown. The engine connects again, then calls Next.
	Lost(now int64, err error)
	// Gone tells that no new connection could be had. No call follows.
	Gone(err error)
}

// Options make an engine.
type Options struct {
	// Connect opens a session.
	Connect  func(context.Context) (*pgconn.PgConn, error)
	Protocol Protocol
	// Statements are all that clients may ask to send.
	Statements []*Statement
	// Now is a monotonic clock in nanoseconds.
	Now func() int64
	// Waits are the pauses between the tries to connect again after a session
	// broke; there is one try more than pauses. Nil means DefaultWaits.
	Waits []time.Duration
}

// DefaultWaits give a server about ten seconds to come back.
var DefaultWaits = []time.Duration{500 * time.Millisecond, 2 * time.Second, 4 * time.Second}

// Engine is a data plane.
type Engine interface {
	// Name is what [New] calls it.
	Name() string
	// Open connects n sessions, a bounded number at a time, and prepares the
	// statements in each. A statement that cannot be prepared now (its table is
	// made by the script) is prepared when it is sent. After an error nothing is
	// left open.
	Open(ctx context.Context, n int) error
	// Run drives one client per session until each has stopped or is gone. When
	// ctx ends, statements that run are cancelled and Run returns soon.
	Run(ctx context.Context, clients []Client)
	// Close ends the sessions. It may be called twice.
	Close()
}

// Names lists the engines of this system.
var Names = append(slices.Clone(platform), "net", "pgconn")

// preferred is the engine that "" means where it exists and can be used.
const preferred = "epoll"

// New makes an engine by its name. "" is the fastest that this system has and
// the connections allow: epoll on Linux without TLS, otherwise net.
func New(name string, o Options) (Engine, error) {
	switch o.Protocol {
	case Simple, Extended, Prepared:
	default:
		return nil, fmt.Errorf("unknown protocol %q, want simple, extended or prepared", o.Protocol)
	}
	if o.Waits == nil {
		o.Waits = DefaultWaits
	}
	switch {
	case name == "" && slices.Contains(Names, preferred):
		first, err := New(preferred, o)
		return &automatic{Engine: first, o: o}, err
	case name == "" || name == "net":
		return newGoroutines("net", o, openNet), nil
	case name == "pgconn":
		return newGoroutines("pgconn", o, openPgconn), nil
	case slices.Contains(platform, name):
		return newPlatform(name, o), nil
	}
	return nil, fmt.Errorf("unknown engine %q, want one of %v", name, Names)
}
