// Package load pushes: clients × scripts × pace → counts and histograms.
//
//  1. [Run] parses and compiles the scripts, and asks the server over one
//     session to prepare every statement: a fault is an error that names script
//     and line, before any load.
//  2. It connects all clients, a bounded number at a time, then starts them
//     together. They warm up, are measured, and stop.
//  3. A client (client.go) is a state machine that an engine of load/wire
//     drives. When a transaction ends it adds to the counters of its group of
//     clients: a few atomic additions, no lock, no channel, no allocation.
//  4. About once a second the monitor (monitor.go) looks at the counters and
//     makes a point of each series and a [Tick]; the difference of two looks is
//     the second.
//
// Which transactions count. Measured by time: those that end within
// [start, start + duration), with their whole response time, wherever they
// began. So committed + failed over the interval is the rate at which
// transactions end, and rate × mean time in the system is the number of
// clients (Little's law) up to the transactions cut by the two edges, which
// cancel in the mean. Measured by number: those that begin after the start; N
// begin and N end, each committed or failed, and nothing else begins, so the
// counts equal what the server has done. A transaction that failed counts its
// rows as none and has no latency in the histograms.
//
// A transaction is one run of a script, as in pgbench: its sleeps belong to it.
// A statement that fails ends it; if a block is open it is rolled back, and the
// time of that belongs to it too. Failures are counted by SQLSTATE, or as
// "connection" when the connection broke: what then became of the transaction
// is unknown. An expression that cannot be computed, or a script that leaves a
// block open, is a fault of the script and ends the run.
//
// Randomness: client i draws from PCG(Seed, i), so trials with one seed see the
// same keys in the same order, client by client.
//
// Benchmarks: go test -bench . -benchmem ./internal/load/... (BenchmarkLoad runs
// the whole path against a real server and reports allocations per
// transaction; the comparison with pgbench is BenchmarkAgainstPgbench).
package load
