package server_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server"
)

// TestUsableMemory: the least of the host's memory and every limit above us
// counts, in both versions of cgroups, and no limit is written in many ways.
func TestUsableMemory(t *testing.T) {
	const gb = 1 << 30
	host := "MemTotal:       16777216 kB\nMemFree: 1 kB\n"
	for _, c := range []struct {
		sentence string
		files    map[string]string
		want     int64
	}{
		{"without /proc nothing is known", nil, 0},
		{"a host without cgroups", map[string]string{"proc/meminfo": host}, 16 * gb},
		{"version 2, a limit of our own group", map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/user/x\n", "sys/fs/cgroup/user/x/memory.max": "2147483648\n"}, 2 * gb},
		{"version 2, a smaller limit above", map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/user/x\n", "sys/fs/cgroup/user/x/memory.max": "max\n", "sys/fs/cgroup/user/memory.max": "1073741824\n"}, gb},
		{"version 1", map[string]string{"proc/meminfo": host, "proc/self/cgroup": "5:cpu,memory:/d/1\n0::/z\n", "sys/fs/cgroup/memory/d/1/memory.limit_in_bytes": "3221225472\n"}, 3 * gb},
		{"version 1 in a container: the path is the host's", map[string]string{"proc/meminfo": host, "proc/self/cgroup": "5:memory:/docker/abc\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n"}, gb / 2},
		{"version 1 without a limit", map[string]string{"proc/meminfo": host, "proc/self/cgroup": "5:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 16 * gb},
		{"a limit above the host's memory", map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "68719476736\n"}, 16 * gb},
	} {
		root := t.TempDir()
		for name, text := range c.files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := server.UsableMemoryOf(root); got != c.want {
			t.Errorf("%s: got %d, want %d", c.sentence, got, c.want)
		}
	}
	if server.UsableMemory() <= 0 {
		t.Error("this host has no memory")
	}
}

// TestMemoryLimit: where the host can, every process of the server is in a
// group with the limit, also after a restart, and the group goes with the
// server; where it cannot, that is refused with the reason.
func TestMemoryLimit(t *testing.T) {
	h := mustHome(t)
	tpl := mustTemplate(t, h, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(100)})
	in, err := h.Instance(limited(t), tpl, server.InstanceOptions{MemoryLimitBytes: 512 << 20})
	if can := server.CanLimitMemory(); can != nil {
		if err == nil || !strings.Contains(err.Error(), "cannot limit") {
			t.Errorf("a host that cannot: got %v, want %v", err, can)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	group := func() string {
		t.Helper()
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", in.PID()))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if _, name, ok := strings.Cut(line, "/pgassay-"); ok {
				return "pgassay-" + name
			}
		}
		return ""
	}
	first := group()
	dirs, err := filepath.Glob("/sys/fs/cgroup/memory/" + first)
	if err != nil || first == "" {
		t.Fatalf("the server is in no group of ours: %q, %v", first, err)
	}
	if len(dirs) == 0 {
		dirs = []string{"/sys/fs/cgroup/" + first}
	}
	limit, err1 := os.ReadFile(filepath.Join(dirs[0], "memory.limit_in_bytes"))
	limit2, err2 := os.ReadFile(filepath.Join(dirs[0], "memory.max"))
	if got := strings.TrimSpace(string(limit) + string(limit2)); got != fmt.Sprint(512<<20) {
		t.Errorf("limit: got %q (%v, %v), want 512 MB", got, err1, err2)
	}
	if _, err := in.Apply(limited(t), []pgassay.Setting{{Name: "shared_buffers", Value: "16MB"}}); err != nil {
		t.Fatal(err)
	}
	if got := group(); got != first {
		t.Errorf("after a restart: group %q, want %q", got, first)
	}
	if _, err := in.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dirs[0]); !os.IsNotExist(err) {
		t.Errorf("%s is still there", dirs[0])
	}
}
