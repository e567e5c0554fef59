package host

import "golang.org/x/sys/unix"

// ThreadCPUS is the CPU time of the calling OS thread in seconds; a caller who
// wants that of a goroutine has locked it to its thread. It is negative where
// it cannot be read.
func ThreadCPUS() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return -1
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
