package server_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/internal/server"
)

// TestOddHome: nothing that a path may hold on a file system disturbs: not
// configuration files, not shells, not patterns, not lists of directories.
func TestOddHome(t *testing.T) {
	top, err := makeHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	h, err := openHome(filepath.Join(top, `'"c, $[*?\ü日%`+"`"))
	if err != nil {
		t.Fatal(err)
	}
	tpl := mustTemplate(t, h, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(10)})
	in, err := h.Instance(limited(t), tpl, server.InstanceOptions{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := query(t, in, "SELECT count(*)::text FROM t"); got != "9" {
		t.Errorf("rows: got %s, want 9", got)
	}
	if !strings.HasPrefix(in.Target().Host(), h.Dir()) {
		t.Errorf("the socket is in %s, want it below the home", in.Target().Host())
	}
	if _, err := in.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, err = in.Leave(limited(t))
	if err := errors.Join(err, in.Discard()); err != nil {
		t.Errorf("a kept server: %v", err)
	}
	if left := processesOn(t, in.Dir()); len(left) > 0 {
		t.Errorf("after Discard: processes %v", left)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	removed, err := h.Clean(limited(t), server.CleanPolicy{All: true})
	if err != nil || len(removed) != 3 {
		t.Errorf("Clean: removed %v, %v, want the template, the cluster and its catalogue", removed, err)
	}
}

// TestLinksNotFollowed: the servers' account owns the directories of its
// servers and could put links into them; as root we write into none of them.
func TestLinksNotFollowed(t *testing.T) {
	h := mustHome(t)
	tpl := mustTemplate(t, h, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(100)})
	dir := t.TempDir()
	precious, link := filepath.Join(dir, "precious"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(precious, []byte("x"), 0o600), os.Symlink(precious, link)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Instance(limited(t), tpl, server.InstanceOptions{LogPath: link}); err == nil || !strings.Contains(err.Error(), "log") {
		t.Errorf("a log that is a link: got %v, want an error", err)
	}
	if err := h.WriteFile(link, "y"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(precious); err != nil || !bytes.Equal(got, []byte("x")) {
		t.Errorf("the link's target: got %q, %v, want it untouched", got, err)
	}
	if got, err := os.ReadFile(link); err != nil || !bytes.Equal(got, []byte("y")) {
		t.Errorf("the file: got %q, %v, want y", got, err)
	}
}
