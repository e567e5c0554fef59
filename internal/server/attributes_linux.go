package server

import (
	"os"
	"strings"
	"syscall"
)

// attributes runs a process as the account, in a process group of its own, and
// has it signalled when the thread that started it ends. In a user namespace
// where setgroups is denied, groups are left alone.
func (u *User) attributes(death syscall.Signal) *syscall.SysProcAttr {
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
