package wire

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// poller waits for sockets, for a timer and for a call from other goroutines.
// All but wake belong to one goroutine.
type poller struct {
	fd, timer int
	events    [256]unix.EpollEvent

	mu   sync.Mutex // wake may come after close
	call int        // an eventfd, -1 when closed
}

// What an event's Fd says when it is not the number of a line.
const (
	calledMark = -1
	timerMark  = -2
)

func newPoller() (p *poller, err error) {
	p = &poller{fd: -1, timer: -1, call: -1}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.fd, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("create epoll instance: %w", err)
	}
	if p.call, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, fmt.Errorf("create eventfd: %w", err)
	}
	if p.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK); err != nil {
		return nil, fmt.Errorf("create timerfd: %w", err)
	}
	if err = p.add(p.call, calledMark, 0); err != nil {
		return nil, err
	}
	return p, p.add(p.timer, timerMark, 0)
}

// wanted are the events of a socket. Edge-triggered: each is told once.
// A hang-up must be told apart, because it may come with the last bytes.
const wanted = unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET

// add begins to watch a descriptor; mark comes back with its events. extra may
// be EPOLLOUT. Nothing that happened before is missed.
func (p *poller) add(fd int, mark int32, extra uint32) error {
	return p.control(unix.EPOLL_CTL_ADD, fd, mark, extra)
}

// change sets whether a socket's becoming writable is told. It is asked for
// only while a request waits for that, or each answer would tell it too.
func (p *poller) change(fd int, mark int32, extra uint32) error {
	return p.control(unix.EPOLL_CTL_MOD, fd, mark, extra)
}

func (p *poller) control(op, fd int, mark int32, extra uint32) error {
	if err := unix.EpollCtl(p.fd, op, fd, &unix.EpollEvent{Events: wanted | extra, Fd: mark}); err != nil {
		return fmt.Errorf("watch socket: %w", err)
	}
	return nil
}

// remove ends the watch. A descriptor that a child process holds between fork
// and exec would otherwise go on telling events after its close.
func (p *poller) remove(fd int) {
	_ = unix.EpollCtl(p.fd, unix.EPOLL_CTL_DEL, fd, nil) // fails only when it is not watched
}

// wait returns the events that have come; it blocks, known to Go's scheduler,
// until there is one.
func (p *poller) wait() ([]unix.EpollEvent, error) {
	for {
		n, err := unix.EpollWait(p.fd, p.events[:], -1)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("wait for sockets: %w", err)
		}
		return p.events[:n], nil
	}
}

// alarm sets the timer, which is then told as timerMark once; an earlier
// setting is forgotten. It needs no read: setting it anew clears it.
func (p *poller) alarm(after time.Duration) error {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(after, 1)))} // 0 would switch it off
	if err := unix.TimerfdSettime(p.timer, 0, &spec, nil); err != nil {
		return fmt.Errorf("set timer: %w", err)
	}
	return nil
}

// wake lets wait return calledMark. Any goroutine may call it at any time. The
// count is never read: each write is an edge of its own.
func (p *poller) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.call >= 0 {
		_, _ = unix.Write(p.call, binary.NativeEndian.AppendUint64(nil, 1)) // fails only after 2^64 calls
	}
}

func (p *poller) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fd := range []*int{&p.fd, &p.call, &p.timer} {
		if *fd >= 0 {
			_ = unix.Close(*fd) // nothing was written that could be lost
			*fd = -1
		}
	}
}
