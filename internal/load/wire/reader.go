package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// reader cuts what a server sends into messages and keeps what a client needs
// to know. It has no socket: an event loop can feed it just as well.
type reader struct {
	buf  []byte
	r, w int // unread bytes are buf[r:w]
	skip int // bytes of an uninteresting message still to come
}

const (
	readerSize = 4 << 10
	// longest is the longest message of interest; anything above it is no
	// error text or command tag but a broken stream.
	longest = 1 << 20
)

var errStream = errors.New("the server's answer is no PostgreSQL protocol")

// outcome is what scan found.
type outcome struct {
	ready  bool // ReadyForQuery: the round trip is complete
	copyIn bool // the server waits for COPY data
	parsed int  // ParseComplete messages
}

// interesting are the messages whose contents matter. The rest is skipped,
// however long.
func interesting(kind byte) bool { return kind == 'C' || kind == 'E' || kind == 'Z' }

// scan handles the messages that are complete in the buffer. It returns when
// the round trip is complete, when the server waits for data, or when more
// bytes are needed.
func (b *reader) scan(o *outcome, r *Reply) error {
	for {
		if b.skip > 0 {
			n := min(b.skip, b.w-b.r)
			b.r += n
			b.skip -= n
			if b.skip > 0 {
				b.r, b.w = 0, 0
				return nil
			}
		}
		if b.w-b.r < 5 {
			return nil
		}
		kind := b.buf[b.r]
		size := int(binary.BigEndian.Uint32(b.buf[b.r+1:])) + 1
		if size < 5 || kind < 'A' && (kind < '1' || kind > '3') {
			return errStream
		}
		switch {
		case !interesting(kind):
			b.r += 5
			b.skip = size - 5
		case size > longest:
			return errStream
		case b.w-b.r < size:
			b.grow(size)
			return nil
		default:
			if err := o.handle(kind, b.buf[b.r+5:b.r+size], r); err != nil {
				return err
			}
			b.r += size
		}
		switch kind {
		case '1':
			o.parsed++
		case 'G', 'W':
			o.copyIn = true
		}
		if o.ready || o.copyIn {
			return nil
		}
	}
}

// grow makes room for a message of size bytes at the start of the buffer.
func (b *reader) grow(size int) {
	if size > len(b.buf) {
		bigger := make([]byte, size)
		b.w = copy(bigger, b.buf[b.r:b.w])
		b.buf, b.r = bigger, 0
	}
}

// fill reads once from the socket.
func (b *reader) fill(from io.Reader) error {
	n, err := from.Read(b.room())
	b.w += n
	if n > 0 {
		return nil // an error comes again
	}
	return err
}

// room is where the next bytes go; it is not empty after scan asked for more.
func (b *reader) room() []byte {
	if b.r == b.w {
		b.r, b.w = 0, 0
	} else if b.w == len(b.buf) {
		b.w = copy(b.buf, b.buf[b.r:b.w])
		b.r = 0
	}
	return b.buf[b.w:]
}

func (o *outcome) handle(kind byte, body []byte, r *Reply) error {
	switch kind {
	case 'Z':
		if len(body) != 1 {
			return errStream
		}
		r.Status, o.ready = body[0], true
	case 'C':
		if len(body) > 0 {
			r.Rows += rowsWritten(body[:len(body)-1])
		}
	case 'E':
		if r.Code == "" {
			r.Code, r.Message = errorFields(body)
		}
	}
	return nil
}

// rowsWritten reads a command tag: INSERT oid n, and UPDATE, DELETE, MERGE and
// COPY n. Other tags wrote none.
func rowsWritten(tag []byte) int64 {
	switch {
	case hasWord(tag, "INSERT"), hasWord(tag, "UPDATE"), hasWord(tag, "DELETE"), hasWord(tag, "MERGE"), hasWord(tag, "COPY"):
	default:
		return 0
	}
	i := len(tag)
	for i > 0 && '0' <= tag[i-1] && tag[i-1] <= '9' {
		i--
	}
	var n int64
	for _, c := range tag[i:] {
		n = n*10 + int64(c-'0')
	}
	return n
}

func hasWord(tag []byte, word string) bool {
	return len(tag) > len(word) && string(tag[:len(word)]) == word && tag[len(word)] == ' '
}

// errorFields reads an ErrorResponse: its SQLSTATE, and severity and message
// as one text.
func errorFields(body []byte) (code, text string) {
	code = "XX000"
	var severity, message string
	for len(body) > 1 {
		kind := body[0]
		end := 1
		for end < len(body) && body[end] != 0 {
			end++
		}
		value := string(body[1:end])
		switch kind {
		case 'S':
			severity = value
		case 'C':
			code = value
		case 'M':
			message = value
		}
		body = body[min(end+1, len(body)):]
	}
	return code, fmt.Sprintf("%s: %s", severity, message)
}
