// Package journal remembers what we changed on somebody's server, so that it
// is put back even after a crash of pgassay or of the host.
//
//  1. [Open] starts a journal for one server: a file of its own for this
//     process, in a directory that the caller names.
//  2. [Journal.Record] writes a [Change] and returns when it is on the disk.
//     Only then may the change be made.
//  3. [Journal.Done] notes that a change was put back; [Journal.Pending] are
//     the others. [Journal.Remove] deletes a journal without pending changes.
//  4. After a crash, [List] finds the journals with pending changes, and
//     [Resume] opens one whose process has ended. [Change.Undo] is the SQL.
//
// The file has one JSON object per line: a header, then changes and what was
// done, in the order of writing. A line that the crash cut off is the last one
// and counts as not written: its change had not been made yet.
package journal
