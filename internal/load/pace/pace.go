// Package pace says when a client's next transaction begins. A pace has no
// clock: the caller says how much time has passed and how many transactions it
// has begun.
//
//  1. Each client owns a [Pacer].
//  2. When a client is free it asks [Pacer.Next].
//  3. It waits until the answer's Start, then begins. Response time counts from
//     Start, service time from the moment the transaction really began.
//
// The closed model ([Closed]) is the pace of pgbench without a rate: a client
// begins its next transaction as soon as the last one has ended.
package pace

import "time"

// Arrival is one transaction's place in the schedule.
type Arrival struct {
	// Start is when the transaction is scheduled to begin, from the start of
	// the load.
	Start time.Duration
	// Last says that no transaction begins any more; Start means nothing then.
	Last bool
}

// Pacer plans one client's transactions. Next is called when the client is
// free: elapsed is the time since the load started, n the number of
// transactions this client has begun. elapsed never falls, n grows by one with
// each call whose Arrival was not the last.
type Pacer interface {
	Next(elapsed time.Duration, n int64) Arrival
}

// Closed begins each transaction when the last one has ended, for For (0 means
// for ever) from the start of the load.
type Closed struct {
	For time.Duration
}

var _ Pacer = Closed{}

// Next schedules the transaction for now.
func (c Closed) Next(elapsed time.Duration, _ int64) Arrival {
	return Arrival{Start: elapsed, Last: c.For > 0 && elapsed >= c.For}
}
