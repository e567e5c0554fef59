package load

import (
	"fmt"
	"time"

	"github.com/pgassay/pgassay/internal/load/pace"
	"github.com/pgassay/pgassay/internal/load/script"
	"github.com/pgassay/pgassay/internal/load/wire"
)

// client is one client's state machine: it runs scripts one after the other
// and counts what comes of them.
type client struct {
	run     *run
	group   *group
	machine *script.Client
	pacer   pace.Pacer
	begun   int64 // transactions
	tickets int64 // of the quota, not yet used

	// The transaction that runs.
	running  bool
	measured bool // it has a ticket
	waited   bool // it has done something that takes time
	rolling  bool // its ROLLBACK is on the way
	script   int
	start    int64 // ns
	rows     int64
	status   byte // of the server's transaction block
	code     string
	message  string
}

var _ wire.Client = (*client)(nil)

// AppendParam encodes a variable.
func (c *client) AppendParam(dst []byte, statement, part, param int) ([]byte, bool) {
	return c.machine.AppendParam(dst, statement, part, param)
}

// Next goes on with the transaction, or begins one.
func (c *client) Next(now int64) wire.Action {
	if c.rolling {
		return wire.Action{Kind: wire.Send, Statement: c.run.rollback}
	}
	if !c.running && !c.begin(now) {
		return wire.Action{Kind: wire.Stop}
	}
	step, err := c.machine.Next()
	if err != nil {
		c.run.fail(fmt.Errorf("run script: %w", err))
		return wire.Action{Kind: wire.Stop}
	}
	switch step.Kind {
	case script.StepSQL:
		c.waited = true
		return wire.Action{Kind: wire.Send, Statement: c.run.statements[step.Statement]}
	case script.StepSleep:
		c.waited = true
		return wire.Action{Kind: wire.Sleep, Wait: step.Wait}
	}
	if c.status == 'T' {
		c.run.fail(fmt.Errorf("run script %s: it ends within a transaction block; it needs a COMMIT or END", c.run.program.ScriptName(c.script)))
		return wire.Action{Kind: wire.Stop}
	}
	c.end(now, false)
	if !c.waited {
		// A script that did nothing must not keep the client here for ever.
		return wire.Action{Kind: wire.Sleep, Wait: time.Microsecond}
	}
	return c.Next(now)
}

// begin starts a transaction, or says that there is none to start.
func (c *client) begin(now int64) bool {
	r := c.run
	arrival := c.pacer.Next(time.Duration(now-r.started), c.begun)
	if arrival.Last || r.stopped.Load() {
		return false
	}
	c.measured = false
	if r.quota != nil && now >= r.from {
		if c.tickets == 0 {
			if c.tickets = r.quota.take(); c.tickets == 0 {
				return false
			}
		}
		c.tickets--
		c.measured = true
	}
	c.begun++
	c.group.begun.Add(1)
	c.running, c.waited, c.rows, c.start = true, false, 0, now
	c.script = c.machine.Choose()
	c.machine.Start(c.script)
	return true
}

// end counts the transaction.
func (c *client) end(now int64, failed bool) {
	c.running, c.rolling = false, false
	r, g := c.run, c.group
	g.ended.Add(1)
	var t *tally
	switch {
	case r.quota != nil && c.measured:
		t = &g.measured[c.script]
		r.noteEnd(now)
	case now < r.from:
		t = &g.warm
	case r.quota == nil && now < r.to.Load():
		t = &g.measured[c.script]
	default:
		return
	}
	t.add(now-c.start, c.rows, failed)
	if failed && t != &g.warm {
		r.faults.add(c.script, c.code, c.message)
	}
}

// Done takes the answer to a statement or to the ROLLBACK.
func (c *client) Done(now int64, reply *wire.Reply) {
	c.status = reply.Status
	switch {
	case c.rolling:
		c.end(now, true)
	case reply.Code != "":
		c.code, c.message = reply.Code, reply.Message
		if reply.Status != 'I' {
			c.rolling = true
			return
		}
		c.end(now, true)
	default:
		c.rows += reply.Rows
	}
}

// Lost counts the transaction as failed: whether the server committed it is
// unknown.
func (c *client) Lost(now int64, err error) {
	c.status = 'I'
	if !c.rolling {
		c.code, c.message = "connection", err.Error()
	}
	c.end(now, true)
}

// Gone gives back what this client will not begin.
func (c *client) Gone(err error) {
	if c.run.quota != nil {
		c.run.quota.giveBack(c.tickets)
	}
	c.run.clientGone(err)
}
