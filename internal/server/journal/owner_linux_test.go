package journal

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestZombie: a process that was killed and not waited for has ended.
func TestZombie(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started, _ := processStart(cmd.Process.Pid)
	o := Owner{cmd.Process.Pid, started}
	if !o.Alive() {
		t.Error("a child that runs is not alive")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if o.Alive() {
		t.Error("a zombie is alive")
	}
	_ = cmd.Wait() // killed, as it should be
	if o.Alive() {
		t.Error("a process that has ended is alive")
	}
}
