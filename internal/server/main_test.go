package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/server"
	"github.com/pgassay/pgassay/internal/server/binaries"
)

// TestMain also is the helper process of tests that need another process: one
// that holds a server and is killed, or one that runs as another user.
func TestMain(m *testing.M) {
	if mode := os.Getenv("PGASSAY_TEST_HELPER"); mode != "" {
		if err := helper(mode); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if sharedDir != "" {
		if err := os.RemoveAll(sharedDir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// sharedDir is the home that most tests share, so that initdb runs once per
// build.
var sharedDir string

var sharedHome = sync.OnceValues(func() (*server.Home, error) {
	dir, err := makeHomeDir()
	if err != nil {
		return nil, err
	}
	sharedDir = dir
	return openHome(dir)
})

// makeHomeDir makes a directory that every user can reach: in memory where
// there is plenty, because the tests make a hundred copies of small clusters.
func makeHomeDir() (string, error) {
	parent := "/tmp"
	var st unix.Statfs_t
	const plenty = 8 << 30
	if unix.Statfs("/dev/shm", &st) == nil && st.Bavail*uint64(st.Bsize) > plenty && server.UsableMemory() > plenty {
		parent = "/dev/shm"
	}
	dir, err := os.MkdirTemp(parent, "pgassay-test-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

func openHome(dir string) (*server.Home, error) {
	user, err := server.ChooseUser("", os.Geteuid())
	if err != nil {
		return nil, err
	}
	return server.OpenHome(dir, user)
}

// mustHome opens the shared home.
func mustHome(tb testing.TB) *server.Home {
	tb.Helper()
	h, err := sharedHome()
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// mustOwnHome opens a home for one test only.
func mustOwnHome(tb testing.TB) *server.Home {
	tb.Helper()
	dir, err := makeHomeDir()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	h, err := openHome(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := h.Close(); err != nil {
			tb.Error(err)
		}
	})
	return h
}

// limited is a context that ends before the test's own limit.
func limited(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

// mustBuild describes a build; major 0 is any.
func mustBuild(tb testing.TB, major int) pgassay.Build {
	tb.Helper()
	b, err := buildIn(labtest.BinDir(tb, major))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func buildIn(bin string) (pgassay.Build, error) {
	return binaries.Describe(context.Background(), pgassay.Build{BinDir: bin})
}

// eachBuild runs a test for every major version that is there.
func eachBuild(t *testing.T, f func(t *testing.T, b pgassay.Build)) {
	t.Helper()
	forBuilds(t, labtest.Majors(), f)
}

// oldAndNew runs a test for the oldest and the newest major version: for what
// does not differ between neighbours.
func oldAndNew(t *testing.T, f func(t *testing.T, b pgassay.Build)) {
	t.Helper()
	majors := labtest.Majors()
	if len(majors) > 2 {
		majors = []int{majors[0], majors[len(majors)-1]}
	}
	forBuilds(t, majors, f)
}

func forBuilds(t *testing.T, majors []int, f func(t *testing.T, b pgassay.Build)) {
	t.Helper()
	if len(majors) == 0 {
		labtest.BinDir(t, 0) // skips, or fails in CI
	}
	for _, major := range majors {
		t.Run(fmt.Sprint(major), func(t *testing.T) { f(t, mustBuild(t, major)) })
	}
}

// small is a dataset with an index, a TOASTed column and a few thousand rows.
func small(rows int) pgassay.Dataset {
	return pgassay.Dataset{
		Builtin: "small",
		Schema:  "CREATE TABLE t (id bigint, v int, pad text); CREATE TABLE empty (id int);",
		Load:    fmt.Sprintf("INSERT INTO t SELECT i, i %% 7, repeat('x', 40) FROM generate_series(1, %d) i; DELETE FROM t WHERE id %% 10 = 0;", rows),
		Finish:  "ALTER TABLE t ADD PRIMARY KEY (id);",
		Rows:    int64(rows),
	}
}

// mustTemplate makes a template in a home.
func mustTemplate(tb testing.TB, h *server.Home, spec server.TemplateSpec) *server.Template {
	tb.Helper()
	t, err := h.Template(limited(tb), spec, func(string) {})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// mustInstance starts an instance and stops it at the test's end.
func mustInstance(tb testing.TB, h *server.Home, t *server.Template, settings ...pgassay.Setting) *server.Instance {
	tb.Helper()
	in, err := h.Instance(limited(tb), t, server.InstanceOptions{Settings: settings})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if _, err := in.Stop(context.Background()); err != nil {
			tb.Errorf("stop: %v", err)
		}
		if _, err := os.Stat(in.Dir()); !errors.Is(err, os.ErrNotExist) {
			tb.Errorf("%s is still there after Stop", in.Dir())
		}
	})
	return in
}

// query returns a row's columns as one text.
func query(tb testing.TB, in *server.Instance, sql string) string {
	tb.Helper()
	conn := mustConnect(tb, in)
	defer conn.Close(context.Background())
	var out string
	if err := conn.QueryRow(limited(tb), sql).Scan(&out); err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
	return out
}

func mustConnect(tb testing.TB, in *server.Instance) *pgx.Conn {
	tb.Helper()
	conn, err := in.Target().Connect(limited(tb), "test")
	if err != nil {
		tb.Fatal(err)
	}
	return conn
}

// entries lists the names in a part of a home.
func entries(tb testing.TB, h *server.Home, part string) []string {
	tb.Helper()
	list, err := os.ReadDir(filepath.Join(h.Dir(), part))
	if err != nil {
		tb.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
