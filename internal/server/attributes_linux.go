package server

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// attributes runs a process as the account, in a process group of its own, and
// has it signalled when the thread that started it ends. In a user namespace
// where setgroups is denied, groups are left alone.
func (u *User) attributes(death syscall.Signal) *syscall.SysProcAttr {
	keepDescriptors()
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	if u.switched {
		a.Credential = &syscall.Credential{Uid: uint32(u.UID), Gid: uint32(u.GID), NoSetGroups: setgroupsDenied()}
	}
	return a
}

func setgroupsDenied() bool {
	text, err := os.ReadFile("/proc/self/setgroups")
	return err == nil && strings.TrimSpace(string(text)) == "deny"
}

// keepDescriptors keeps what our own parent left open from the processes that
// we start: a server that outlives us would hold it for good, and whoever waits
// for the end of a pipe would wait for the server's end. What Go opens is kept
// anyway.
var keepDescriptors = sync.OnceFunc(func() {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // no /proc: nothing that we can do
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
})
