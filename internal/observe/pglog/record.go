package pglog

import "time"

// Record is one message of a server log.
type Record struct {
	// Time is when the server wrote the message (its end, for work that took
	// time), in milliseconds.
	Time time.Time
	PID  int
	// Backend is the backend type, such as "autovacuum worker"; "" when the
	// prefix does not say.
	Backend string
	// Severity is LOG, ERROR, FATAL and so on.
	Severity string
	// Message is the text after the severity, with the server's own line breaks:
	// the TAB that the server puts after each is taken away again.
	Message string
	// Hint, Detail and Context are "" when the record has none.
	Hint, Detail, Context string
}

// Source cuts a transport into records.
type Source interface {
	// Next returns the next record, and io.EOF after the last one. Any other
	// error is of the reader below and ends the log.
	Next() (Record, error)
	// Strays is how many lines so far belonged to no record: output of programs
	// that share the server's standard error, or another prefix.
	Strays() int
}
