//go:build unix && !linux

package labtest

import "syscall"

// attr runs a process as the account, in its own process group.
func (o owner) attr() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if o.change {
		a.Credential = &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.gid)}
	}
	return a
}
