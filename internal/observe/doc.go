// Package observe watches one trial: the server's statistics, the host and the
// server's log, on one clock.
//
// A trial's watching:
//
//  1. [Start] opens a session of its own ("pgassay/observer") and notes where
//     the server's log ends. Two samplers begin: one look at the statistics and
//     one at /proc every [Config].Interval.
//  2. [Observer.Begin] and [Observer.End] mark the measurement interval. Each
//     reads the counters of the host and of every server process at once, and
//     asks for an extra look at the statistics. After End the samplers rest and
//     the session is closed, so that they are not in the way of a shutdown.
//  3. [Observer.Collect], after the server has stopped, reads the log to its end
//     and puts everything together: see accounts.go for how CPU is divided.
//  4. What could not be seen is named in [Seen].Missing and costs only itself.
//
// [Snapshot] and [Settings] read a database's statistics and a server's
// settings over a connection of the caller.
package observe
