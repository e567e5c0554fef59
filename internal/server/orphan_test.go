package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server"
)

// mustHelper starts this test binary as a helper process.
func mustHelper(tb testing.TB, mode, home string, b pgassay.Build, attr *syscall.SysProcAttr) (*exec.Cmd, *bufio.Reader) {
	tb.Helper()
	return mustHelperWith(tb, attr, "PGASSAY_TEST_HELPER="+mode, "PGASSAY_TEST_HOME="+home, "PGASSAY_TEST_BIN="+b.BinDir)
}

// mustHelperWith starts a helper with variables.
func mustHelperWith(tb testing.TB, attr *syscall.SysProcAttr, env ...string) (*exec.Cmd, *bufio.Reader) {
	tb.Helper()
	// Another user may not be able to reach the test binary: it comes from a
	// file that is open already.
	cmd := exec.Command("/proc/self/fd/3")
	exe, err := os.Open("/proc/self/exe")
	if err != nil {
		tb.Fatal(err)
	}
	defer exe.Close()
	cmd.ExtraFiles = []*os.File{exe}
	cmd.Args = []string{"helper"}
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = attr
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd, bufio.NewReader(out)
}

// until polls for something that another process brings about.
func until(tb testing.TB, what string, f func() bool) {
	tb.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ctx := limited(tb); !f(); {
		select {
		case <-ctx.Done():
			tb.Fatalf("waited in vain: %s", what)
		case <-tick.C:
		}
	}
}

// TestKilled: after a kill -9 of the process that made a server no process of
// the server is left, and the next one to open the home removes its files, but
// not those of others.
func TestKilled(t *testing.T) {
	h := mustHome(t)
	b := mustBuild(t, 0)
	other := mustInstance(t, h, mustTemplate(t, h, server.TemplateSpec{Build: b, Dataset: small(2000)}))
	cmd, out := mustHelper(t, "hold", h.Dir(), b, nil)
	var pid int
	var dir, socket string
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &pid, &dir, &socket); err != nil {
		t.Fatal(err)
	}
	if removed, err := h.RemoveOrphans(); err != nil || len(removed) > 0 {
		t.Errorf("while all owners live: removed %v, %v", removed, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// Not yet waited for: the helper is a zombie, as in a container without an
	// init, and must count as dead.
	until(t, "the postmaster ends with its owner", func() bool { _, alive := server.ProcessStart(pid); return !alive })
	until(t, "every process of the server ends", func() bool { return len(processesOn(t, dir)) == 0 })
	again, err := openHome(h.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	for _, path := range []string{dir, socket} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was not removed", path)
		}
	}
	if got := query(t, other, "SELECT count(*)::text FROM t"); got != "1800" {
		t.Errorf("the other instance: got %s rows, want 1800", got)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the helper ended by itself")
	}
}

// processesOn lists processes whose working directory is below dir.
func processesOn(tb testing.TB, dir string) []string {
	tb.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		tb.Fatal(err)
	}
	return slices.DeleteFunc(links, func(link string) bool {
		to, err := os.Readlink(link)
		return err != nil || !strings.HasPrefix(to, dir)
	})
}

// TestOrphanRuns: a server that outlived its owner is stopped before its files
// are removed.
func TestOrphanRuns(t *testing.T) {
	h := mustHome(t)
	in, err := h.Instance(limited(t), mustTemplate(t, h, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(2000)}), server.InstanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Abandon(); err != nil {
		t.Fatal(err)
	}
	removed, err := h.RemoveOrphans()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(removed, in.Dir()) {
		t.Errorf("removed %v, want %s among them", removed, in.Dir())
	}
	in.Ended()
	if _, err := os.Stat(in.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there", in.Dir())
	}
}

// TestOrphanBackends: backends that outlived their postmaster are the only ones
// that are ended: not the process whose number postmaster.pid now holds, not one
// that merely works in the directory, and not another server.
func TestOrphanBackends(t *testing.T) {
	h := mustHome(t)
	tpl := mustTemplate(t, h, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(2000)})
	other := mustInstance(t, h, tpl)
	in, err := h.Instance(limited(t), tpl, server.InstanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := send(t, in, "DO $$ BEGIN LOOP END LOOP; END $$"); err != nil {
		t.Fatal(err)
	}
	bystander := exec.Command("sleep", "600")
	bystander.Dir = in.DataDir()
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(bystander.Process.Kill(), bystander.Wait()) }()
	if err := errors.Join(in.Signal(syscall.SIGKILL), in.Abandon()); err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(in.DataDir(), "postmaster.pid")
	if err := os.WriteFile(pidFile, fmt.Appendf(nil, "%d\n%s\n", bystander.Process.Pid, in.DataDir()), 0o600); err != nil {
		t.Fatal(err)
	}
	if removed, err := h.RemoveOrphans(); err != nil || !slices.Equal(removed, []string{in.Dir()}) {
		t.Errorf("removed %v, %v, want %s", removed, err, in.Dir())
	}
	in.Ended()
	if _, alive := server.ProcessStart(bystander.Process.Pid); !alive {
		t.Error("a process that is not the server's was killed")
	}
	if got := query(t, other, "SELECT count(*)::text FROM t"); got != "1800" {
		t.Errorf("the other instance: got %s rows, want 1800", got)
	}
}

// TestForeignDirectories: what may belong to somebody is left alone.
func TestForeignDirectories(t *testing.T) {
	h := mustOwnHome(t)
	parts := filepath.Join(h.Dir(), "instances")
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		t.Fatal(err)
	}
	start, _ := server.ProcessStart(os.Getpid())
	old := time.Now().Add(-time.Hour)
	for _, c := range []struct {
		name, owner string
		modified    time.Time
		removed     bool
	}{
		{"new", "", time.Now(), false}, // its owner may be about to write the file
		{"forgotten", "", old, true},
		{"alive", fmt.Sprintf(`{"pid":%d,"start":%q,"namespace":%q}`, os.Getpid(), start, namespace), old, false},
		{"number-used-again", fmt.Sprintf(`{"pid":%d,"start":"x/1","namespace":%q}`, os.Getpid(), namespace), old, true},
		{"dead", fmt.Sprintf(`{"pid":999999999,"start":"x/1","namespace":%q}`, namespace), old, true},
		{"other-container", `{"pid":999999999,"start":"x/1","namespace":"pid:[1]"}`, old, false},
		{"other-container-ended", `{"pid":999999999,"start":"x/1","namespace":"pid:[1]","locked":true}`, old, true},
	} {
		dir := filepath.Join(parts, c.name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if c.owner != "" {
			if err := os.WriteFile(filepath.Join(dir, "owner.json"), []byte(c.owner), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, c.modified, c.modified); err != nil {
			t.Fatal(err)
		}
	}
	removed, err := h.RemoveOrphans()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, dir := range removed {
		got = append(got, filepath.Base(dir))
	}
	slices.Sort(got)
	if want := []string{"dead", "forgotten", "number-used-again", "other-container-ended"}; !slices.Equal(got, want) {
		t.Errorf("removed %v, want %v", got, want)
	}
}

// TestLeftoverSocket: an orphan's socket elsewhere is removed, and a link that
// leads somewhere else is not followed.
func TestLeftoverSocket(t *testing.T) {
	h := mustOwnHome(t)
	precious := filepath.Join(h.Dir(), "pgassay-precious")
	socket, err := os.MkdirTemp("/tmp", "pgassay-")
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"a": socket, "b": precious} {
		dir := filepath.Join(h.Dir(), "instances", name)
		owner := []byte(`{"pid":999999999,"start":"x/1"}`)
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.MkdirAll(to, 0o700), os.Symlink(to, filepath.Join(dir, "socket")),
			os.WriteFile(filepath.Join(dir, "owner.json"), owner, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.RemoveOrphans(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there", socket)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
}

// TestOrdinaryUser: an ordinary user makes, uses and removes a server without
// any help of root's.
func TestOrdinaryUser(t *testing.T) {
	b := mustBuild(t, 0)
	dir, err := makeHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var attr *syscall.SysProcAttr
	uid := os.Geteuid()
	if uid == 0 {
		uid = 65534
		if err := os.Chown(dir, uid, uid); err != nil {
			t.Fatal(err)
		}
		attr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	cmd, out := mustHelper(t, "visit", dir, b, attr)
	text, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the helper failed: %v", err)
	}
	var pid int
	var instance string
	if _, err := fmt.Sscan(string(text), &pid, &instance); err != nil {
		t.Fatalf("the helper said %q", text)
	}
	if _, err := os.Stat(instance); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there", instance)
	}
	info, err := os.Stat(filepath.Join(dir, "templates"))
	if err != nil {
		t.Fatal(err)
	}
	if got := int(info.Sys().(*syscall.Stat_t).Uid); got != uid {
		t.Errorf("templates belong to user %d, want %d", got, uid)
	}
}
