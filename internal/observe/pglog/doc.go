// Package pglog reads the log of a PostgreSQL server (14 to 19) and says what
// maintenance it did. It is pure: bytes in, typed entries and events out.
//
// How a log flows through it:
//
//  1. A [Source] cuts a transport into [Record]s: one message with its time,
//     process and severity, its line breaks restored, and the DETAIL, HINT and
//     CONTEXT that belong to it. [Stderr] is the source for a server that writes
//     plain text with the prefix of [Prefix].
//  2. [Parse] recognises a record's message: [Vacuum], [Analyze],
//     [CheckpointStart], [Checkpoint], [CheckpointsOften], [Cancel], [Fault].
//     Everything else is nobody's business here.
//  3. [Read] does both for a whole log, names the cause of each checkpoint from
//     the line that started it, and counts what it met.
//  4. [Entry].Event turns an entry into a [pgassay.Event] on a trial's clock.
//
// The words of the messages are those of lc_messages = C or English.
package pglog
