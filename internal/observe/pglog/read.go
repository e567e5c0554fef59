package pglog

import "io"

// Counts is what [Read] met.
type Counts struct {
	Records int // messages of any kind
	Entries int // messages that were understood
	Strays  int // lines that belong to no message
	// UnknownLines are the lines within vacuum and analyze messages that no
	// version up to 19 writes: numbers that we did not understand.
	UnknownLines int
}

// Read reads a log to its end and gives each entry, in the log's order, to
// yield. A checkpoint gets its cause from the start line of the same process.
// The error is the source's.
func Read(src Source, yield func(Entry)) (Counts, error) {
	var c Counts
	causes := map[int]string{}
	for {
		rec, err := src.Next()
		c.Strays = src.Strays()
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return c, err
		}
		c.Records++
		entry, ok := Parse(rec)
		if !ok {
			continue
		}
		c.Entries++
		switch e := entry.(type) {
		case *CheckpointStart:
			causes[e.PID] = e.Cause
		case *Checkpoint:
			if e.Cause == "" {
				e.Cause = causes[e.PID]
			}
			delete(causes, e.PID)
		case *Vacuum:
			c.UnknownLines += len(e.Unknown)
		case *Analyze:
			c.UnknownLines += len(e.Unknown)
		}
		yield(entry)
	}
}
