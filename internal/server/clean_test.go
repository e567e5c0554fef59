package server_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/internal/server"
)

// TestClean: what another process works with stays, and everything else that
// can be made again goes.
func TestClean(t *testing.T) {
	h := mustOwnHome(t)
	spec := server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(100)}
	tpl := mustTemplate(t, h, spec)
	half := filepath.Join(h.Dir(), "templates", ".new-half")
	if err := os.Mkdir(half, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(half, "owner.json"), []byte(`{"pid":999999999,"start":"x/1"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	mine := func() *server.Home { // another process's view
		other, err := openHome(h.Dir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = other.Close() })
		return other
	}
	clean := func(p server.CleanPolicy) (names []string) {
		t.Helper()
		removed, err := mine().Clean(limited(t), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range removed {
			if r.Why == "" || filepath.Base(r.Path) == tpl.Key && r.Bytes < 10<<20 {
				t.Errorf("removed without a reason or a size: %+v", r)
			}
			names = append(names, filepath.Base(r.Path))
		}
		return names
	}
	if got := clean(server.CleanPolicy{MaxBytes: -1, DryRun: true}); !slices.Equal(got, []string{".new-half"}) {
		t.Errorf("dry run: got %v, want the unfinished one", got)
	}
	if _, err := os.Stat(half); err != nil {
		t.Errorf("a dry run removed something: %v", err)
	}
	if got := clean(server.CleanPolicy{MaxBytes: 0, All: true}); !slices.Equal(got, []string{".new-half"}) {
		t.Errorf("while everything is in use: got %v, want the unfinished one", got)
	}
	in := mustInstance(t, h, tpl)
	if got := query(t, in, "SELECT count(*)::text FROM t"); got != "90" {
		t.Errorf("after a clean of another process: got %s rows, want 90", got)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	got := clean(server.CleanPolicy{MaxBytes: 0, All: true})
	if len(got) != 3 || !slices.Contains(got, tpl.Key) {
		t.Errorf("when nobody uses anything: got %v, want the template, the cluster and its catalogue", got)
	}
	if left := append(entries(t, h, "templates"), entries(t, h, "clusters")...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	// The process that has the template in hand can make it again.
	if again := mustTemplate(t, h, spec); again.Key != tpl.Key {
		t.Errorf("made again: got key %s, want %s", again.Key, tpl.Key)
	}
}

// TestSurplus: the longest unused templates go first, and none that is not
// whole stays.
func TestSurplus(t *testing.T) {
	sizes := []int64{10, 30, 5, 20} // a, b, c, d: the last used first
	for _, c := range []struct {
		sentence string
		policy   server.CleanPolicy
		want     string
	}{
		{"no limit keeps all", server.CleanPolicy{MaxBytes: -1}, ""},
		{"the longest unused goes", server.CleanPolicy{MaxBytes: 45}, "d"},
		{"what fits to the byte stays", server.CleanPolicy{MaxBytes: 40}, "c d"},
		{"a big one in the middle goes, a smaller older one stays", server.CleanPolicy{MaxBytes: 20}, "b d"},
		{"nothing may stay", server.CleanPolicy{MaxBytes: 0}, "a b c d"},
		{"all go", server.CleanPolicy{MaxBytes: -1, All: true}, "a b c d"},
	} {
		if got := strings.Join(server.Surplus(sizes, c.policy), " "); got != c.want {
			t.Errorf("%s: removed %q, want %q", c.sentence, got, c.want)
		}
	}
}

// TestOpenHome: a home that cannot be used says what to do, and one that a
// strict umask made is opened for the servers' account.
func TestOpenHome(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	user, err := server.ChooseUser("", os.Geteuid())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.OpenHome(filepath.Join(file, "home"), user); err == nil {
		t.Error("a home below a file: no error")
	}
	if os.Geteuid() != 0 {
		return // the rest is about the change of accounts
	}
	// t.TempDir's parent is for its owner only.
	_, err = server.OpenHome(filepath.Join(dir, "home"), user)
	if err == nil || !strings.Contains(err.Error(), "cannot enter") {
		t.Errorf("a home that the account cannot reach: got %v", err)
	}
	h := mustOwnHome(t)
	strict := filepath.Join(h.Dir(), "strict")
	if err := errors.Join(os.Mkdir(strict, 0o700), os.Mkdir(filepath.Join(strict, "instances"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := server.OpenHome(strict, user); err != nil {
		t.Errorf("a home that umask 077 has closed: %v", err)
	}
}

// TestHomeDir: where a home is.
func TestHomeDir(t *testing.T) {
	for _, c := range []struct {
		sentence string
		env      map[string]string
		uid      int
		want     string
	}{
		{"the variable wins", map[string]string{"PGASSAY_HOME": "/x", "HOME": "/h"}, 0, "/x"},
		{"root has a place that servers of another account can reach", map[string]string{"HOME": "/root"}, 0, "/var/lib/pgassay"},
		{"a user's cache", map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "/c"}, 1000, "/c/pgassay"},
		{"a relative cache directory does not count", map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "c"}, 1000, "/h/.cache/pgassay"},
		{"nothing is known", nil, 1000, ""},
	} {
		got, err := server.HomeDir(func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }, c.uid)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: got %q, %v, want %q", c.sentence, got, err, c.want)
		}
	}
}

// TestChooseUser: PostgreSQL does not run as root, so another account must be
// found, and only root can choose one.
func TestChooseUser(t *testing.T) {
	for _, c := range []struct {
		sentence, wanted string
		euid             int
		want             string
	}{
		{"an ordinary user is itself", "", 1000, "1000"},
		{"an ordinary user cannot choose", "postgres", 1000, ""},
		{"root cannot choose root", "root", 0, ""},
		{"an account that does not exist", "no-such-account", 0, ""},
		{"nobody is there everywhere", "nobody", 0, "nobody"},
	} {
		u, err := server.ChooseUser(c.wanted, c.euid)
		if (err == nil) != (c.want != "") || err == nil && u.Name != c.want {
			t.Errorf("%s: got %+v, %v, want %q", c.sentence, u, err, c.want)
		}
	}
}
