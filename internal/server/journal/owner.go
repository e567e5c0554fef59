package journal

import (
	"errors"
	"os"
	"syscall"
)

// Server says which server a journal is about. It never has a password.
type Server struct {
	// SystemIdentifier is pg_control_system().system_identifier: the same
	// cluster wherever it is reached. A copy of a cluster has the same one, so
	// the address counts too.
	SystemIdentifier string `json:"system_identifier"`
	// Address is host:port, or the socket's directory and the port.
	Address string `json:"address"`
}

// Owner is the process that wrote a journal.
type Owner struct {
	PID int `json:"pid"`
	// Started tells the process from a later one with the same number; "" where
	// the system does not say.
	Started string `json:"started,omitempty"`
}

// self is this process.
func self() Owner {
	pid := os.Getpid()
	started, _ := processStart(pid)
	return Owner{pid, started}
}

// Alive says whether the process is still there.
func (o Owner) Alive() bool {
	if o.PID <= 0 {
		return false
	}
	if err := syscall.Kill(o.PID, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	now, ended := processStart(o.PID)
	return !ended && (o.Started == "" || now == "" || now == o.Started)
}
