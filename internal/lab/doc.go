// Package lab puts the rooms together. It knows no PostgreSQL, no socket and
// no file: servers, load, samplers and storage reach it through the small
// interfaces of lab.go. The flow of [Execute]:
//
//  1. Ask the plan for the next step, given the history so far.
//  2. Note in the recorder that its trials were ordered.
//  3. Have the runner carry it out ([Local]: restore, start, verify,
//     checkpoint, warm up, measure, stop, collect).
//  4. Hold each record against the checks of one trial; they see evidence
//     about the host and the server, never results, and decide whether the
//     trial counts.
//  5. Commit the record, add it to the history, and go back to 1.
//
// Everything that happened up to a crash is in the recorder, so the same loop
// over the stored history goes on where it stopped.
package lab
