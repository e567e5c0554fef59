// Command pgassay finds out what a PostgreSQL setting really does.
//
// This package is the rim: flags, wiring and exit codes. Each command is one
// file. A command loads what it needs, hands it to the packages under
// internal/, and prints; it decides nothing about experiments or statistics.
//
// Flow of `pgassay run`:
//
//  1. cmd_run.go reads the experiment and holds it against a server of the
//     chosen build (prepare.go).
//  2. rundir.go makes the run directory, internal/lab/store the run file.
//  3. target.go, attached.go, loader.go and watch.go adapt the server, the load
//     engine and the samplers to the interfaces of internal/lab, which does the
//     run; progress*.go shows it.
//  4. render.go makes the reports from the run file alone, as `pgassay report`
//     does.
package main
