package host_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/observe/host"
)

// member is the line that starts a file of the archive, as in txtar.
var member = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// fixture unpacks the archive and opens it; the directory may be changed.
func fixture(t *testing.T) (*host.Host, string) {
	t.Helper()
	b, err := os.ReadFile("testdata/host.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	names, texts := member.FindAllStringSubmatch(string(b), -1), member.Split(string(b), -1)
	for i, n := range names {
		path := filepath.Join(dir, n[1])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(texts[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h, err := host.Open(filepath.Join(dir, "proc"), filepath.Join(dir, "sys"))
	if err != nil {
		t.Fatal(err)
	}
	return h, dir
}

func rewrite(t *testing.T, path, before, after string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), before) {
		t.Fatalf("%s has no %q", path, before)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), before, after, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCPU(t *testing.T) {
	h, dir := fixture(t)
	before, err := h.CPU()
	if err != nil {
		t.Fatal(err)
	}
	if want := (host.CPUTimes{CPUs: 2, TotalS: 66, IdleS: 50, IOWaitS: 2, StealS: 0.4}); before != want {
		t.Errorf("got %+v, want %+v", before, want)
	}
	// 1 s of user time, 0.5 s of idle, 0.3 s of iowait, 0.2 s of steal.
	rewrite(t, filepath.Join(dir, "proc/stat"), "cpu  1000 20 300 5000 200 10 30 40", "cpu  1100 20 300 5050 230 10 30 60")
	after, err := h.CPU()
	if err != nil {
		t.Fatal(err)
	}
	got := after.Since(before)
	want := host.CPUShares{Busy: 0.5, IOWait: 0.15, Steal: 0.1, BusyS: 1}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("shares differ (-want +got):\n%s", diff)
	}
	if got := before.Since(after); got != (host.CPUShares{}) {
		t.Errorf("got %+v for a time that ran backwards, want nothing", got)
	}
}

func TestMemory(t *testing.T) {
	h, _ := fixture(t)
	m, err := h.Memory()
	if want := (host.Memory{TotalBytes: 1000 << 10, AvailableBytes: 600 << 10, DirtyBytes: 42 << 10}); err != nil || m != want {
		t.Errorf("got %+v, %v, want %+v", m, err, want)
	}
	if n, err := h.SwapIns(); err != nil || n != 37 {
		t.Errorf("got %d swap-ins, %v, want 37", n, err)
	}
	if got := h.BootID(); got != "11111111-2222-3333-4444-555555555555" {
		t.Errorf("got boot id %q", got)
	}
}

func TestRunQueue(t *testing.T) {
	h, _ := fixture(t)
	got, err := h.RunQueue(106)
	if want := (host.RunQueue{RunNS: 6000001000, WaitNS: 250002000, Slices: 4003}); err != nil || got != want {
		t.Errorf("got %+v, %v, want the sum over threads %+v", got, err, want)
	}
	if _, err := h.RunQueue(999); err == nil {
		t.Error("got no error for a process that does not exist")
	}
}

func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		title string
		want  host.Group
		ok    bool
	}{
		{"postgres: app appdb [local] idle", host.GroupBackend, true},
		{"postgres: app appdb 10.0.0.7(4711) SELECT", host.GroupBackend, true},
		{"postgres: main: app appdb ::1(4711) idle in transaction", host.GroupBackend, true},
		{"postgres: checkpointer appdb [local] idle", host.GroupBackend, true}, // a user of that name
		{"postgres: parallel worker for PID 12", host.GroupBackend, true},
		{"postgres: walsender repl 10.0.0.7(4711) streaming 0/3000148", host.GroupOther, true},
		{"postgres: checkpointer ", host.GroupCheckpoint, true},
		{"postgres: checkpointer performing shutdown checkpoint", host.GroupCheckpoint, true},
		{"postgres: background writer ", host.GroupCheckpoint, true},
		{"postgres: main: walwriter ", host.GroupWALWriter, true},
		{"postgres: autovacuum launcher ", host.GroupAutovacuum, true},
		{"postgres: autovacuum worker appdb", host.GroupAutovacuum, true},
		{"postgres: io worker 0", host.GroupIOWorker, true},
		{"postgres: logical replication launcher ", host.GroupOther, true},
		{"postgres: stats collector ", host.GroupOther, true},
		{"/usr/lib/postgresql/16/bin/postgres -D /data", host.GroupOther, false},
		{"", host.GroupOther, false},
	} {
		if got, ok := host.Classify(tt.title); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %s, %t, want %s, %t", tt.title, got, ok, tt.want, tt.ok)
		}
	}
}

func TestServer(t *testing.T) {
	h, dir := fixture(t)
	s := h.Server(100)
	look := func() (map[int]host.Group, float64) {
		t.Helper()
		list, err := s.Look()
		if err != nil {
			t.Fatal(err)
		}
		if list[0].PID != 100 || list[0].Group != host.GroupPostmaster {
			t.Errorf("got %+v first, want the postmaster", list[0])
		}
		groups, cpu := map[int]host.Group{}, 0.0
		for _, p := range list {
			groups[p.PID] = p.Group
			cpu += p.OwnS + p.ReapedS
		}
		return groups, cpu
	}
	groups, cpu := look()
	want := map[int]host.Group{
		100: host.GroupPostmaster, 101: host.GroupCheckpoint, 102: host.GroupCheckpoint, 103: host.GroupWALWriter, 104: host.GroupAutovacuum,
		105: host.GroupAutovacuum, 106: host.GroupBackend, 107: host.GroupOther, 108: host.GroupOther,
	}
	if diff := cmp.Diff(want, groups); diff != "" {
		t.Errorf("groups differ (-want +got):\n%s", diff)
	}
	if cpu < 11.3399 || cpu > 11.3401 {
		t.Errorf("got %v CPU seconds, want 11.34", cpu)
	}
	t.Run("a worker ends, another gets its title", func(t *testing.T) {
		if err := os.RemoveAll(filepath.Join(dir, "proc/105")); err != nil {
			t.Fatal(err)
		}
		rewrite(t, filepath.Join(dir, "proc/108/cmdline"), "/usr/lib/postgresql/16/bin/postgres -D /data", "postgres: autovacuum worker appdb")
		groups, _ := look()
		delete(want, 105)
		want[108] = host.GroupAutovacuum
		if diff := cmp.Diff(want, groups); diff != "" {
			t.Errorf("groups differ (-want +got):\n%s", diff)
		}
	})
	t.Run("the PID now belongs to another process", func(t *testing.T) {
		rewrite(t, filepath.Join(dir, "proc/100/stat"), " 50 1000 ", " 5000 1000 ")
		if _, err := s.Look(); !errors.Is(err, host.ErrGone) {
			t.Errorf("got %v, want %v", err, host.ErrGone)
		}
	})
	if _, err := h.Process(999); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want a missing process", err)
	}
}

func TestDescribe(t *testing.T) {
	h, _ := fixture(t)
	var got pgassay.Fingerprint
	h.Describe(&got, "/var/lib/data")
	want := pgassay.Fingerprint{
		Kernel: "6.1.0-test", CPUModel: "Test CPU @ 3.00GHz", CPUs: 2, Memory: 1000 << 10, BootID: "11111111-2222-3333-4444-555555555555",
		Virtual: "QEMU Standard PC", Clock: "kvm-clock", FileSystem: "ext4", Device: "/dev/vda", MountFlags: "discard,relatime,rw",
		Sysctl: map[string]string{"vm.swappiness": "60", "transparent_hugepage": "madvise", "block.scheduler": "mq-deadline"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fingerprints differ (-want +got):\n%s", diff)
	}
}

func TestMount(t *testing.T) {
	h, _ := fixture(t)
	for path, want := range map[string]string{"/": "ext4", "/database": "ext4", "/data": "xfs", "/data/pg": "xfs", "/my data/x": "tmpfs"} {
		if got, err := h.Mount(path); err != nil || got.FileSystem != want {
			t.Errorf("%s: got %s, %v, want %s", path, got.FileSystem, err, want)
		}
	}
}

// TestHere reads the machine that the test runs on.
func TestHere(t *testing.T) {
	f := host.Fingerprint(t.Context(), t.TempDir(), "1.2.3")
	if f.Tool != "1.2.3" || f.CPUs < 1 || f.Arch != runtime.GOARCH || f.OS == "" {
		t.Errorf("got %+v", f)
	}
	if runtime.GOOS != "linux" {
		return
	}
	if f.Kernel == "unknown" || f.Memory == 0 || f.BootID == "" || f.FileSystem == "unknown" {
		t.Errorf("got %+v, want kernel, memory, boot and file system", f)
	}
	if s := host.ThreadCPUS(); s < 0 {
		t.Errorf("got thread CPU %v, want a time", s)
	}
	h, err := host.Open("", "")
	if err != nil {
		t.Fatal(err)
	}
	if q, err := h.RunQueue(os.Getpid()); err != nil || q.Slices == 0 {
		t.Errorf("got %+v, %v, want this process's scheduling", q, err)
	}
	if _, err := host.Open(filepath.Join(t.TempDir(), "nothing"), ""); err == nil {
		t.Error("got no error for a mount point that does not exist")
	}
}
