// Package wire moves a client's statements to the server and back. Behind
// [Engine] live the data planes; a client ([Client]) is a state machine that
// never blocks, so that an engine may drive one from a goroutine of its own or
// thousands from one event loop.
//
//  1. [New] makes an engine: "epoll" (one event loop on bare sockets; Linux),
//     "net" (a goroutine per client, also through TLS) or "pgconn" (all of
//     pgconn, to compare with).
//  2. [Engine.Open] connects all sessions and prepares the statements. Without
//     a name New takes epoll; when the connections then turn out to be
//     encrypted, Open takes net.
//  3. [Engine.Run] asks each client for its next [Action], carries it out, and
//     tells it the [Reply]. A session that breaks is opened again; when that
//     fails for good the client is told so.
//  4. [Engine.Close] ends the sessions.
//
// What net and epoll send: for a prepared statement Bind, Execute, Sync in
// one write (parameters and results as text, no Describe, which libpq adds);
// for the extended protocol Parse before them; for the simple protocol Query
// with the values put into the text. The statements of a \; command travel in
// one write with one Sync, so they are one round trip and, outside of a
// transaction block, one transaction.
//
// How epoll works:
//
//  1. pgconn connects and authenticates, the net session prepares; then the
//     socket's descriptor is duplicated and Go's connection closed, so that the
//     socket leaves Go's poller: otherwise each message would wake two.
//  2. The loop waits for sockets (edge-triggered), a timerfd (the first of the
//     sleepers) and an eventfd (ctx has ended, or a reconnect has). It is a
//     system call that Go's scheduler knows of, so it holds up nobody.
//  3. An event of a line, a client with its socket, is read into a buffer that
//     all lines share; the beginning of a message whose rest is still to come is
//     kept in the line's own. At ReadyForQuery the time is taken, once, for the
//     end of this and the start of the next round trip; the client says what is
//     next, and it is sent at once. Read and write cannot block and go past the
//     scheduler.
//  4. What the socket does not take waits in the line, and the socket is watched
//     for becoming writable exactly as long.
//  5. A line that breaks is told so and gets a goroutine that connects, prepares
//     and hands the new socket to the loop.
//
// There is one loop, whatever the number of CPUs: on 2 CPUs a second one cost
// more client CPU per transaction at 16 and at 100 clients.
//
// Cost: net and epoll allocate nothing per round trip (TestAllocations; pgconn:
// 3 allocations). epoll does one write and one read per round trip and one wait
// per batch of answers; net one write and, as long as the answer fits its
// buffer, two reads, of which the first finds nothing: that is how Go's network
// poller works. Client CPU per transaction as a multiple of pgbench -j 1's, and
// throughput likewise (2 CPUs under heavy foreign load, PostgreSQL 15, prepared,
// medians of five interleaved rounds):
//
//	                 1 client      16 clients    100 clients
//	select   net     2.55  0.65    1.69  1.29    1.29  1.22
//	         epoll   1.01  1.01    0.94  1.08    1.14  1.18
//	simple   net     2.42  0.65    1.71  1.50    1.36  1.38
//	update   epoll   1.08  1.10    1.03  1.01    1.11  1.01
//
//	go test -run '^$' -bench AgainstPgbench -benchtime 1x -timeout 1h ./internal/load
package wire
