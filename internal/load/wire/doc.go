// Package wire moves a client's statements to the server and back. Behind
// [Engine] live the data planes; a client ([Client]) is a state machine that
// never blocks, so that an engine may drive one from a goroutine of its own or
// thousands from one event loop.
//
//  1. [New] makes an engine: "net" (messages encoded here, on the connection
//     that pgconn opened) or "pgconn" (all of pgconn).
//  2. [Engine.Open] connects all sessions and prepares the statements.
//  3. [Engine.Run] asks each client for its next [Action], carries it out, and
//     tells it the [Reply]. A session that breaks is opened again; when that
//     fails for good the client is told so.
//  4. [Engine.Close] ends the sessions.
//
// What the net engine sends: for a prepared statement Bind, Execute, Sync in
// one write (parameters and results as text, no Describe, which libpq adds);
// for the extended protocol Parse before them; for the simple protocol Query
// with the values put into the text. The statements of a \; command travel in
// one write with one Sync, so they are one round trip and, outside of a
// transaction block, one transaction.
//
// Cost: the net engine allocates nothing per round trip
// (BenchmarkRoundTrip; pgconn: 3 allocations, 1.5 times the time) and does one write
// and, as long as the answer fits its buffer, two reads, of which the first
// finds nothing: that is how Go's network poller works.
package wire
