package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/server"
)

// TestKey: whatever changes stored bytes changes the key, and nothing else does.
func TestKey(t *testing.T) {
	h := mustHome(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "postgres")
	if err := os.WriteFile(program, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	key := func(change func(*server.TemplateSpec)) string {
		s := server.TemplateSpec{
			Build:   pgassay.Build{BinDir: dir, Version: "16.4", Major: 16},
			Dataset: pgassay.Dataset{Builtin: "events", Schema: "CREATE TABLE t ()", Load: "INSERT 1", Finish: "CREATE INDEX", Rows: 5},
			Storage: []pgassay.StorageSetting{{Table: "t", Name: "fillfactor", Value: "90"}, {Table: "t", Name: "autovacuum_enabled", Value: "off"}},
			SQL:     []string{"VACUUM FULL t"},
		}
		if change != nil {
			change(&s)
		}
		k, err := h.Key(s)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	base := key(nil)
	if base != key(nil) || !strings.HasPrefix(base, "16-") {
		t.Errorf("key %s is not stable, or does not begin with the major version", base)
	}
	for _, c := range []struct {
		sentence string
		differs  bool
		change   func(*server.TemplateSpec)
	}{
		{"another version", true, func(s *server.TemplateSpec) { s.Build.Version = "16.5" }},
		{"another schema", true, func(s *server.TemplateSpec) { s.Dataset.Schema += ";" }},
		{"another load", true, func(s *server.TemplateSpec) { s.Dataset.Load = "INSERT 2" }},
		{"another finish", true, func(s *server.TemplateSpec) { s.Dataset.Finish = "" }},
		{"another init file's content", true, func(s *server.TemplateSpec) { s.Dataset.InitSQL = "SELECT 1" }},
		{"another fillfactor", true, func(s *server.TemplateSpec) { s.Storage[0].Value = "70" }},
		{"another arm's SQL", true, func(s *server.TemplateSpec) { s.SQL = append(s.SQL, "CLUSTER t") }},
		{"a parameter that only autovacuum reads", false, func(s *server.TemplateSpec) { s.Storage[1].Value = "on" }},
		{"facts about the same build", false, func(s *server.TemplateSpec) { s.Build.JIT, s.Build.Complete = true, true }},
	} {
		if got := key(c.change) != base; got != c.differs {
			t.Errorf("%s: key differs: got %v, want %v", c.sentence, got, c.differs)
		}
	}
	if err := os.Chtimes(program, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if key(nil) == base {
		t.Error("a replaced server program: the key is the same")
	}
}

// TestTemplateOnce: a template is made once, whoever asks, also two processes
// at the same time.
func TestTemplateOnce(t *testing.T) {
	h := mustOwnHome(t)
	b := mustBuild(t, 0)
	type asked struct {
		cmd *exec.Cmd
		out *bufio.Reader
	}
	var helpers []asked
	for range 2 {
		cmd, out := mustHelper(t, "load", h.Dir(), b, nil)
		helpers = append(helpers, asked{cmd, out})
	}
	total := 0
	for _, a := range helpers {
		var loads int
		var key string
		if _, err := fmt.Fscan(a.out, &loads, &key); err != nil {
			t.Fatal(err)
		}
		if err := a.cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		total += loads
	}
	if total != 1 {
		t.Errorf("two processes loaded the data %d times, want once", total)
	}
	tpl, err := h.Template(limited(t), server.TemplateSpec{Build: b, Dataset: small(2000)}, func(text string) { t.Errorf("a stored template: %s", text) })
	if err != nil {
		t.Fatal(err)
	}
	if tpl.Bytes < 10<<20 || tpl.Seconds <= 0 || len(tpl.Relations) != 2 {
		t.Errorf("the stored description is not whole: %+v", tpl)
	}
	if left := slices.DeleteFunc(entries(t, h, "templates"), func(name string) bool { return name == tpl.Key }); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestTemplateConcurrent: goroutines that want the same at once, in a home
// where nothing is there yet, get one template, made once, and every one of
// them starts a server of its own on it. What is removed by force is made again.
func TestTemplateConcurrent(t *testing.T) {
	h := mustOwnHome(t)
	spec := server.TemplateSpec{Build: mustBuild(t, 0), Dataset: small(100)}
	var loads atomic.Int32
	start := func() error {
		tpl, err := h.Template(limited(t), spec, func(text string) {
			if strings.HasPrefix(text, "loaded:") {
				loads.Add(1)
			}
		})
		if err != nil {
			return err
		}
		in, err := h.Instance(limited(t), tpl, server.InstanceOptions{})
		if err != nil {
			return err
		}
		_, err = in.Stop(context.Background())
		return err
	}
	var both errgroup.Group
	both.Go(start)
	both.Go(start)
	if err := both.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := loads.Load(); got != 1 {
		t.Errorf("loaded %d times, want once", got)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(h.Dir(), "templates")), os.Mkdir(filepath.Join(h.Dir(), "templates"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := start(); err != nil {
		t.Fatal(err)
	}
	if got := loads.Load(); got != 2 {
		t.Errorf("removed by force: loaded %d times, want twice", got)
	}
}

// TestTemplateLayout: storage parameters act on the rows that are loaded, the
// arm's SQL runs statement by statement, and a file's rows are stored again.
func TestTemplateLayout(t *testing.T) {
	h := mustHome(t)
	b := mustBuild(t, 0)
	pages := func(d pgassay.Dataset, storage []pgassay.StorageSetting, sql ...string) int64 {
		t.Helper()
		tpl := mustTemplate(t, h, server.TemplateSpec{Build: b, Dataset: d, Storage: storage, SQL: sql})
		i := slices.IndexFunc(tpl.Relations, func(r pgassay.Relation) bool { return r.Name == "t" })
		if i < 0 {
			t.Fatalf("no table t in %+v", tpl.Relations)
		}
		return tpl.Relations[i].Pages
	}
	half := []pgassay.StorageSetting{{Table: "public.t", Name: "fillfactor", Value: "50"}}
	builtin := small(5000)
	file := pgassay.Dataset{Init: "x.sql", InitSQL: builtin.Schema + builtin.Load + builtin.Finish}
	full := pages(builtin, nil)
	if got := pages(builtin, half); got < full*17/10 {
		t.Errorf("fillfactor 50: got %d pages, want about twice %d", got, full)
	}
	if got := pages(file, half); got < full*15/10 {
		t.Errorf("fillfactor 50 on a file's rows: got %d pages, want about twice nine tenths of %d", got, full)
	}
	// A tenth of the rows was deleted: only a rewrite gives their pages back.
	if got := pages(builtin, nil, "VACUUM FULL t; ANALYZE t"); got >= full {
		t.Errorf("VACUUM FULL in the arm's SQL: got %d pages, want fewer than %d", got, full)
	}
}

// TestTemplateDump: a file of pg_dump loads as it is (comments before COPY and
// before its own commands, functions in SQL, rules of several statements), and
// the search_path that it empties is back for what comes after it.
func TestTemplateDump(t *testing.T) {
	dump, err := os.ReadFile("testdata/dump.sql")
	if err != nil {
		t.Fatal(err)
	}
	h := mustHome(t)
	in := mustInstance(t, h, mustTemplate(t, h, server.TemplateSpec{
		Build: mustBuild(t, 0), Dataset: pgassay.Dataset{Init: "dump.sql", InitSQL: string(dump)},
		Storage: []pgassay.StorageSetting{{Table: "t", Name: "fillfactor", Value: "60"}},
		SQL:     []string{"VACUUM FULL t", "BEGIN", "INSERT INTO t VALUES (3)", "COMMIT"},
	}))
	got := query(t, in, `SELECT string_agg(concat_ws('|', id, note, "from stdin"), ';' ORDER BY id) FROM t`)
	if want := "1|a;\tb|x\\.;2|two\nlines \\.;3"; got != want {
		t.Errorf("rows: got %q, want %q", got, want)
	}
	if got, want := query(t, in, "SELECT concat_ws(' ', f(), g(), (SELECT count(*) FROM pg_rules WHERE rulename = 'r'))"), "2 1 1"; got != want {
		t.Errorf("functions and rules: got %s, want %s", got, want)
	}
}

// TestTemplateErrors: a dataset that does not load says where it went wrong,
// and nothing is kept of it.
func TestTemplateErrors(t *testing.T) {
	h := mustHome(t)
	b := mustBuild(t, 0)
	before := entries(t, h, "templates")
	far, err := makeHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(far) })
	if err := os.Lchown(far, h.User().UID, h.User().GID); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sentence string
		dataset  pgassay.Dataset
		sql      []string
		table    string // whose fillfactor is set
		want     []string
	}{
		{"an error of the server has its line", pgassay.Dataset{Init: "a.sql", InitSQL: "CREATE TABLE t (i int);\n\nSELECT 1;\nINSERT INTO\n t VALUES (oops);"}, nil, "", []string{"a.sql: line 5", "oops"}},
		{"a command of psql is refused", pgassay.Dataset{Init: "a.sql", InitSQL: "SELECT 1;\n\\timing on\n"}, nil, "", []string{"line 2", `\timing`, "psql"}},
		{"the arm's SQL is named", small(10), []string{"SELECT 1", "SELECT 1/0"}, "", []string{"sql 2 of the arm", "division by zero"}},
		{"a bad row has its line in the data", pgassay.Dataset{Init: "a.sql", InitSQL: "CREATE TABLE t (i int);\n-- rows\nCOPY t FROM stdin;\n1\nx\n\\.\n"}, nil, "", []string{"a.sql: line 3", `"x"`, "COPY t, line 2"}},
		{"an open transaction would take all back", pgassay.Dataset{Init: "a.sql", InitSQL: "BEGIN; CREATE TABLE t (i int);"}, nil, "", []string{"a.sql", "does not end it"}},
		{"an open transaction of the arm's SQL", small(10), []string{"BEGIN", "DELETE FROM t"}, "", []string{"does not end it"}},
		{"a tablespace would be shared by all copies", small(10), []string{"CREATE TABLESPACE far LOCATION '" + far + "'"}, "", []string{"tablespace far", far}},
		{"a table whose storage parameter is set must exist", small(10), nil, "gone", []string{"storage parameter gone.fillfactor", "does not exist"}},
	} {
		spec := server.TemplateSpec{Build: b, Dataset: c.dataset, SQL: c.sql}
		if c.table != "" {
			spec.Storage = []pgassay.StorageSetting{{Table: c.table, Name: "fillfactor", Value: "50"}}
		}
		_, err := h.Template(limited(t), spec, func(string) {})
		if err == nil {
			t.Errorf("%s: no error", c.sentence)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %q, want it to say %q", c.sentence, err, w)
			}
		}
	}
	if got := entries(t, h, "templates"); len(got) != len(before) {
		t.Errorf("templates: got %v, want %v", got, before)
	}
}

// TestTemplateInterrupted: loading stops when the user has had enough, and
// nothing is left.
func TestTemplateInterrupted(t *testing.T) {
	h := mustHome(t)
	ctx, cancel := context.WithCancelCause(limited(t))
	enough := errors.New("enough")
	d := small(10)
	d.Load = "SELECT pg_sleep(600)"
	_, err := h.Template(ctx, server.TemplateSpec{Build: mustBuild(t, 0), Dataset: d}, func(text string) {
		if strings.HasPrefix(text, "loading") {
			cancel(enough)
		}
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range entries(t, h, "templates") {
		if strings.HasPrefix(name, ".") {
			t.Errorf("left behind: %s", name)
		}
	}
}
