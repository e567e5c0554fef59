// Package host reads what the machine and its processes did, from /proc.
//
//  1. [Open] takes the mount points of /proc and /sys, so that tests read a
//     fixture tree.
//  2. [Host.CPU], [Host.Memory], [Host.SwapIns] and [Host.RunQueue] are counters
//     and levels of the whole machine and of one process; differences of two
//     readings are the caller's business ([CPUTimes.Since]).
//  3. [Host.Server] follows the processes of one PostgreSQL server, each in the
//     [Group] that its process title says.
//  4. [Fingerprint] says what must be equal for two runs to be comparable.
//
// Only Linux has the files. Elsewhere the package builds, [Open] fails, and
// [Fingerprint] says "unknown".
package host
