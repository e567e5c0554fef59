package wire

import (
	"fmt"
	"io"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lineState is what a line waits for.
type lineState uint8

const (
	stopped    lineState = iota // nothing: its client has stopped or is gone
	waiting                     // the answer to a request
	asleep                      // its time
	connecting                  // a new connection
)

// link is a connection taken out of Go's hands: a session whose socket is a
// descriptor that Go's own poller does not know.
type link struct {
	*netSession      // its net.Conn is closed; it still knows whom to ask for a cancel
	fd          int  // -1 when closed
	readable    bool // there may be bytes to read
	ended       bool // the other side has hung up: there is an end to read
}

// detach duplicates the session's socket and closes Go's connection, which
// thereby leaves Go's poller: no message wakes two.
func detach(s *netSession) (*link, error) {
	fd, err := duplicate(s)
	if err != nil {
		s.close()
		return nil, err
	}
	_ = s.hijacked.Conn.Close() // the duplicate keeps the connection
	return &link{netSession: s, fd: fd}, nil
}

func duplicate(s *netSession) (int, error) {
	conn, ok := s.hijacked.Conn.(syscall.Conn)
	if !ok {
		return -1, ErrNoSocket
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, fmt.Errorf("take over connection: %w", err)
	}
	fd := -1
	var failed error
	err = raw.Control(func(old uintptr) { fd, failed = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return -1, fmt.Errorf("take over connection: %w", err)
	}
	return fd, nil
}

// hangUp ends the session.
func (l *link) hangUp() {
	if l.fd < 0 {
		return
	}
	_, _ = write(l.fd, terminate) // a courtesy: a full or broken socket does without
	_ = unix.Close(l.fd)
	l.fd = -1
}

// line is one client and its connection.
type line struct {
	*link

	index     int32
	client    Client
	state     lineState
	statement *Statement // that is on its way
	unsent    []byte     // of its request
	watched   bool       // for becoming writable
	found     outcome
	reply     Reply
	wake      int64  // when asleep: until when
	own       []byte // holds the beginning of a message of which the rest is to come
}

// send sends as much of a statement as the socket takes.
func (l *line) send(st *Statement) error {
	l.statement, l.found, l.reply = st, outcome{}, Reply{}
	l.out = appendRequest(l.out[:0], l.o.Protocol, st, l.client, l.prepared[st.ID])
	l.unsent = l.out
	return l.flush()
}

// flush sends more of it.
func (l *line) flush() error {
	for len(l.unsent) > 0 {
		n, errno := write(l.fd, l.unsent)
		switch errno {
		case 0:
			l.unsent = l.unsent[n:]
		case unix.EINTR:
		case unix.EAGAIN:
			return nil
		default:
			return fmt.Errorf("send statement: %w", errno)
		}
	}
	return nil
}

// receive reads until the round trip is complete or nothing more is there now.
// It reads into shared, which all lines use, one after the other.
func (l *line) receive(shared []byte) (complete bool, err error) {
	in := &l.in
	for {
		if err := in.scan(&l.found, &l.reply); err != nil {
			return false, err
		}
		switch {
		case l.found.copyIn:
			return false, errCopyIn
		case l.found.ready && len(l.unsent) > 0: // it has answered what we have not yet said
			return false, errStream
		case l.found.ready || !l.readable:
			l.keep(shared)
			return l.found.ready, nil
		}
		if in.r == in.w {
			in.buf, in.r, in.w = shared, 0, 0
		}
		room := in.room()
		n, errno := read(l.fd, room)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			l.readable = false
		case errno != 0:
			return false, lostTo(errno, &l.reply)
		case n == 0:
			return false, lostTo(io.EOF, &l.reply)
		default:
			in.w += n
			// A socket that gave less than there was room for is empty, and what comes
			// later is an edge of its own; only the end may have come before.
			l.readable = n == len(room) || l.ended
		}
	}
}

// keep moves bytes that are left in the shared buffer to the line's own.
func (l *line) keep(shared []byte) {
	in := &l.in
	if in.r == in.w || &in.buf[0] != &shared[0] {
		return
	}
	rest := in.buf[in.r:in.w]
	if len(l.own) <= len(rest) {
		l.own = make([]byte, max(readerSize, 2*len(rest)))
	}
	in.buf, in.r, in.w = l.own, 0, copy(l.own, rest)
}

// read and write are system calls that cannot block, because the socket does
// not, so Go's scheduler need not hear of them: that saves its book-keeping.

func read(fd int, p []byte) (int, syscall.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	return int(n), errno
}

func write(fd int, p []byte) (int, syscall.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	return int(n), errno
}
