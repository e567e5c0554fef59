//go:build !linux

package host

// ThreadCPUS is negative: this system does not tell a thread's CPU time.
func ThreadCPUS() float64 { return -1 }
