package pglog

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Prefix is the log_line_prefix that [Stderr] expects of a server of our own:
// time stamp with milliseconds and zone, process, backend type. The backend
// type may be absent.
const Prefix = "%m [%p] %b "

// maxRecord bounds the text kept of one record. Longer ones (a logged
// statement with megabytes of values) lose their end, not their meaning: the
// lines that we read are a few kilobytes.
const maxRecord = 1 << 20

// Stderr is the source for plain text as a server writes it to its standard
// error or, with the logging collector, to its log file. Memory is bounded
// whatever the input is. It is not safe for concurrent use.
type Stderr struct {
	in     *bufio.Reader
	zone   *time.Location
	line   []byte // the line in hand
	held   bool   // line was read ahead and starts the next record
	strays int
}

var _ Source = (*Stderr)(nil)

// NewStderr reads from r. zone is the server's log_timezone; nil is UTC. The
// zone's abbreviation in the line settles the hour that is there twice when
// summer time ends; numeric abbreviations (such as "+03") count as they stand.
func NewStderr(r io.Reader, zone *time.Location) *Stderr {
	if zone == nil {
		zone = time.UTC
	}
	return &Stderr{in: bufio.NewReaderSize(r, 64<<10), zone: zone}
}

// Strays counts the lines that belonged to no record.
func (s *Stderr) Strays() int { return s.strays }

// Next returns the next record.
//
// The format: a record starts with the prefix and "SEVERITY:  "; the server
// writes a TAB after every line break of its text, so a line that starts with a
// TAB continues what stands before it. DETAIL, HINT and CONTEXT are written in
// the same breath with a prefix of their own.
func (s *Stderr) Next() (Record, error) {
	head, err := s.start()
	if err != nil {
		return Record{}, err
	}
	rec := Record{Time: head.time, PID: head.pid, Backend: head.backend, Severity: head.severity}
	text, err := s.text(head.rest)
	rec.Message = text
	for err == nil {
		next, ok := s.parse(s.line)
		if !ok || !isPart(next.severity) || next.pid != rec.PID {
			break
		}
		s.held = false
		severity := next.severity // next.rest lies in the line that text overwrites
		text, err = s.text(next.rest)
		switch severity {
		case "DETAIL":
			rec.Detail = text
		case "HINT":
			rec.Hint = text
		case "CONTEXT":
			rec.Context = text
		}
	}
	if err == io.EOF {
		err = nil // the record is whole; the next call meets the end again
	}
	return rec, err
}

// start finds the first line of the next record.
func (s *Stderr) start() (heading, error) {
	for {
		if !s.held {
			if err := s.read(); err != nil {
				return heading{}, err
			}
		}
		s.held = false
		if h, ok := s.parse(s.line); ok && !isPart(h.severity) {
			return h, nil
		}
		s.strays++
	}
}

// text joins the rest of a first line with the lines that continue it. It
// leaves the line after them in hand, held.
func (s *Stderr) text(first []byte) (string, error) {
	text := append([]byte(nil), first...)
	for {
		if err := s.read(); err != nil {
			return string(text), err
		}
		if len(s.line) == 0 || s.line[0] != '\t' {
			s.held = true
			return string(text), nil
		}
		if room := maxRecord - len(text) - 1; room > 0 {
			text = append(text, '\n')
			text = append(text, s.line[1:min(len(s.line), room+1)]...)
		}
	}
}

// read puts the next line in hand, without its line break and cut to
// maxRecord bytes. It returns io.EOF when there is none.
func (s *Stderr) read() error {
	s.line = s.line[:0]
	for {
		part, err := s.in.ReadSlice('\n')
		if room := maxRecord - len(s.line); room > 0 {
			s.line = append(s.line, part[:min(len(part), room)]...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(s.line) == 0:
			return io.EOF
		case err != nil && err != io.EOF:
			return fmt.Errorf("read server log: %w", err)
		}
		s.line = bytes.TrimSuffix(s.line, []byte("\n"))
		return nil
	}
}

// heading is what stands before a message.
type heading struct {
	time     time.Time
	pid      int
	backend  string
	severity string
	rest     []byte
}

// stampLayout is what %m prints, without the zone.
const stampLayout = "2006-01-02 15:04:05.000"

// parse reads the prefix and the severity of a line.
func (s *Stderr) parse(line []byte) (heading, bool) {
	var h heading
	n := len(stampLayout)
	if len(line) < n+1 || line[4] != '-' || line[n] != ' ' {
		return h, false
	}
	zone, after, ok := bytes.Cut(line[n+1:], []byte(" ["))
	if !ok || len(zone) == 0 || len(zone) > 32 {
		return h, false
	}
	pid, after, ok := bytes.Cut(after, []byte("] "))
	if !ok {
		return h, false
	}
	var err error
	if h.pid, err = strconv.Atoi(string(pid)); err != nil || h.pid < 0 {
		return h, false
	}
	if h.backend, h.severity, h.rest, ok = cutSeverity(after); !ok {
		return h, false
	}
	h.time, ok = s.stamp(string(line[:n]), string(zone))
	return h, ok
}

// severities are the words before ":  ", those of a record's parts at the end.
var severities = []string{
	"LOG", "ERROR", "WARNING", "FATAL", "PANIC", "NOTICE", "INFO",
	"DEBUG", "DEBUG1", "DEBUG2", "DEBUG3", "DEBUG4", "DEBUG5",
	"DETAIL", "HINT", "CONTEXT", "QUERY", "STATEMENT", "LOCATION", "BACKTRACE",
}

// isPart says that the severity marks a part of the record before it.
func isPart(severity string) bool {
	switch severity {
	case "DETAIL", "HINT", "CONTEXT", "QUERY", "STATEMENT", "LOCATION", "BACKTRACE":
		return true
	}
	return false
}

// cutSeverity cuts "backend type SEVERITY:  rest".
func cutSeverity(b []byte) (backend, severity string, rest []byte, ok bool) {
	colon := bytes.Index(b, []byte(":  "))
	if colon < 0 {
		return "", "", nil, false
	}
	word := bytes.LastIndexByte(b[:colon], ' ') + 1
	for _, s := range severities {
		if string(b[word:colon]) == s {
			return string(bytes.TrimSpace(b[:word])), s, b[colon+3:], true
		}
	}
	return "", "", nil, false
}

// stamp reads a time stamp in the zone that its abbreviation names.
func (s *Stderr) stamp(clock, zone string) (time.Time, bool) {
	switch {
	case zone == "UTC" || zone == "GMT" || zone == "Z":
		t, err := time.ParseInLocation(stampLayout, clock, time.UTC)
		return t, err == nil
	case zone[0] == '+' || zone[0] == '-':
		for _, layout := range []string{"-07", "-0700", "-07:00", "-07:00:00"} {
			if t, err := time.Parse(stampLayout+" "+layout, clock+" "+zone); err == nil {
				return t, true
			}
		}
		return time.Time{}, false
	}
	// An abbreviation that the zone knows picks its offset; with another one Go
	// invents a zone without an offset, and the zone alone is the better guess.
	t, err := time.ParseInLocation(stampLayout+" MST", clock+" "+zone, s.zone)
	if err != nil || t.Location() != s.zone {
		t, err = time.ParseInLocation(stampLayout, clock, s.zone)
	}
	return t, err == nil
}
