package host

import (
	"errors"
	"fmt"
	"strings"

	"github.com/prometheus/procfs"
)

// ErrGone says that the postmaster has ended.
var ErrGone = errors.New("the server process has ended")

// ServerProcess is one process of a server.
type ServerProcess struct {
	Process
	Group Group
}

// Server follows the processes of one server. It is not safe for concurrent
// use.
type Server struct {
	host  *Host
	pid   int
	start uint64 // the postmaster's; 0 before the first look
	// mine are the groups of the children seen so far, by PID; "" while the
	// title is not set. others are processes that are not children: they are
	// read once, so that a look costs no more on a busy machine.
	mine   map[int]child
	others map[int]bool
}

type child struct {
	start uint64
	group Group
}

// Server follows the server whose postmaster has the given PID.
func (h *Host) Server(pid int) *Server {
	return &Server{host: h, pid: pid, mine: map[int]child{}, others: map[int]bool{}}
}

// Look returns the server's living processes, the postmaster first. The sum of
// OwnS over all and of ReapedS is the CPU time that the server has used since
// it started, whatever processes came and went: the postmaster waits for every
// child. The error is [ErrGone] when the postmaster is no more.
func (s *Server) Look() ([]ServerProcess, error) {
	post, err := s.host.Process(s.pid)
	if err != nil || s.start != 0 && post.Start != s.start {
		return nil, fmt.Errorf("read server process %d: %w", s.pid, ErrGone)
	}
	s.start = post.Start
	list := []ServerProcess{{Process: post, Group: GroupPostmaster}}
	procs, err := s.host.fs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	mine, others := make(map[int]child, len(s.mine)), make(map[int]bool, len(s.others))
	for _, p := range procs {
		if p.PID == s.pid {
			continue
		}
		if s.others[p.PID] {
			others[p.PID] = true
			continue
		}
		proc, err := stat(p)
		if err != nil {
			continue // it has just ended
		}
		if proc.Parent != s.pid {
			others[p.PID] = true
			continue
		}
		c := s.mine[p.PID]
		if c.start != proc.Start || c.group == "" {
			c = child{start: proc.Start, group: title(p)}
		}
		mine[p.PID] = c
		group := c.group
		if group == "" {
			group = GroupOther
		}
		list = append(list, ServerProcess{Process: proc, Group: group})
	}
	s.mine, s.others = mine, others
	return list, nil
}

// title classifies a process by its command line; "" when it is not set yet.
func title(p procfs.Proc) Group {
	words, err := p.CmdLine()
	if err != nil {
		return ""
	}
	g, ok := Classify(strings.Join(words, " "))
	if !ok {
		return ""
	}
	return g
}
