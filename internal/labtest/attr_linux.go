package labtest

import (
	"os"
	"strings"
	"syscall"
)

// attr runs a process as the account, in its own process group (so that ^C on
// a terminal reaches us first), and stops it when the thread that started it
// dies.
func (o owner) attr() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	if o.change {
		// A user namespace can forbid setgroups, and then it must not be called.
		denied, _ := os.ReadFile("/proc/self/setgroups")
		a.Credential = &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.gid), NoSetGroups: strings.TrimSpace(string(denied)) == "deny"}
	}
	return a
}
