//go:build !linux

package server

import "syscall"

// attributes runs a process as the account in a process group of its own.
// There is no parent-death signal here: a server of a killed pgassay is found
// by its owner file and stopped by the next run or by `pgassay clean`.
func (u *User) attributes(syscall.Signal) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if u.switched {
		a.Credential = &syscall.Credential{Uid: uint32(u.UID), Gid: uint32(u.GID)}
	}
	return a
}
