package journal

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pgassay/pgassay"
)

var server = Server{SystemIdentifier: "7300000000000000001", Address: "/run/postgresql:5432"}

// at is a moment for all changes: the journal has no clock of its own.
var at = time.Date(2026, 12, 1, 2, 3, 4, 0, time.UTC)

func change(name string) Change {
	return Change{Kind: AlterSystem, Name: name, Before: Value{Source: "default"}, After: Value{Present: true, Text: "8MB"}, At: at}
}

// TestMain doubles as a pgassay that records a change and waits for its end.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PGASSAY_JOURNAL_TEST"); dir != "" {
		j, err := Open(dir, server)
		if err == nil {
			_, err = j.Record(change("work_mem"))
		}
		fmt.Println(j.Path(), err)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		return
	}
	os.Exit(m.Run())
}

func TestLife(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "journals")
	j, err := Open(dir, server)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := List(dir); err != nil || len(entries) != 0 {
		t.Errorf("before a change: got %v, %v, want nothing on the disk", entries, err)
	}
	var made []Change
	for _, name := range []string{"work_mem", "maintenance_work_mem", "autovacuum_naptime"} {
		c, err := j.Record(change(name))
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, c)
	}
	if err := j.Done(made[1]); err != nil {
		t.Fatal(err)
	}
	want := []Change{made[0], made[2]}
	if diff := cmp.Diff(want, j.Pending()); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
	if err := j.Done(made[1]); err == nil {
		t.Error("a change was put back twice without an error")
	}
	if err := j.Remove(); !errors.Is(err, pgassay.ErrRefused) {
		t.Errorf("remove with pending changes: got %v, want ErrRefused", err)
	}
	entries, err := List(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("list: got %v, %v", entries, err)
	}
	wantEntry := Entry{Path: j.Path(), Server: server, Owner: self(), Opened: at, Pending: want, Alive: true}
	if diff := cmp.Diff(wantEntry, entries[0]); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(j.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: got %v, %v, want 0600 (values can be secret)", info.Mode(), err)
	}
	if _, err := Resume(j.Path()); !errors.Is(err, pgassay.ErrRefused) {
		t.Errorf("resume of an open journal: got %v, want ErrRefused", err)
	}
	// Closed without putting back: another part of the same process goes on.
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Record(change("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("record after close: got %v", err)
	}
	r, err := Resume(wantEntry.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Pending() {
		if err := r.Done(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Remove(); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 0 {
		t.Errorf("after remove: %v, %v", names, err)
	}
}

// TestKill: a process that is killed leaves what is needed; as long as it
// lives, nobody takes its journal.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PGASSAY_JOURNAL_TEST="+dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(stdout).ReadString('\n')
	path := strings.TrimSuffix(strings.TrimSpace(said), " <nil>")
	if err != nil || !filepath.IsAbs(path) {
		t.Errorf("the child said %q, %v", said, err)
	}
	entries, err := List(dir)
	if err != nil || len(entries) != 1 || !entries[0].Alive || entries[0].Owner.PID != cmd.Process.Pid {
		t.Errorf("while it lives: got %+v, %v", entries, err)
	}
	if _, err := Resume(path); !errors.Is(err, pgassay.ErrRefused) {
		t.Errorf("resume while it lives: got %v, want ErrRefused", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as it should be
	entries, err = List(dir)
	if err != nil || len(entries) != 1 || entries[0].Alive || entries[0].Pending[0].Name != "work_mem" {
		t.Errorf("after its end: got %+v, %v", entries, err)
	}
	r, err := Resume(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Resume(path); !errors.Is(err, pgassay.ErrRefused) {
		t.Errorf("two at once: got %v, want ErrRefused", err)
	}
	if err := errors.Join(r.Done(r.Pending()[0]), r.Remove()); err != nil {
		t.Error(err)
	}
}

// TestAlive: a number alone does not make a process the same one.
func TestAlive(t *testing.T) {
	me := self()
	if !me.Alive() {
		t.Error("this process is not alive")
	}
	if me.Started != "" {
		if (Owner{me.PID, me.Started + "0"}).Alive() {
			t.Error("a process that started at another time counts as the same")
		}
	}
	if (Owner{}).Alive() || (Owner{PID: -1}).Alive() {
		t.Error("no process counts as alive")
	}
}

// TestFailingDisk: after a failed write the change must not be made, and it is
// not pending.
func TestFailingDisk(t *testing.T) {
	j, err := Open(t.TempDir(), server)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Record(change("a")); err != nil {
		t.Fatal(err)
	}
	good := j.f
	if j.f, err = os.Open(j.path); err != nil { // cannot be written to
		t.Fatal(err)
	}
	defer good.Close()
	if _, err := j.Record(change("b")); err == nil || !strings.HasPrefix(err.Error(), "record change of b: ") {
		t.Errorf("got %v, want an error", err)
	}
	if _, err := j.Record(change("c")); err == nil || !strings.Contains(err.Error(), "after an earlier failure") {
		t.Errorf("got %v, want that nothing more can be recorded", err)
	}
	if got := j.Pending(); len(got) != 1 || got[0].Name != "a" {
		t.Errorf("pending: got %v", got)
	}
}

func TestInvalid(t *testing.T) {
	if _, err := Open(t.TempDir(), Server{SystemIdentifier: "../x"}); err == nil {
		t.Error("an identifier with a path was taken")
	}
	dir := t.TempDir()
	j, err := Open(dir, server)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Change{{Kind: AlterSystem}, {Kind: "other", Name: "x"}, {Kind: StorageParameter, Name: "x", Table: "t"}, {Kind: DatabaseSetting, Name: "x"}} {
		if _, err := j.Record(c); err == nil {
			t.Errorf("%+v was recorded and could not be undone", c)
		}
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
	if err := j.Remove(); err != nil {
		t.Errorf("remove of an empty journal: %v", err)
	}
}

// TestCrashAtEveryByte: whatever was on the disk when the host stopped, the
// journal can be read, and what is pending is what the whole lines say.
func TestCrashAtEveryByte(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		j, err := Open(dir, server)
		if err != nil {
			rt.Fatal(err)
		}
		defer j.Close()
		// states[n] is what is pending after n lines.
		states := [][]Change{nil, nil}
		for range rapid.IntRange(1, 8).Draw(rt, "operations") {
			if p := j.Pending(); len(p) > 0 && rapid.Bool().Draw(rt, "undo") {
				err = j.Done(p[rapid.IntRange(0, len(p)-1).Draw(rt, "which")])
			} else {
				c := change("p")
				c.Before = Value{Present: true, Text: rapid.String().Draw(rt, "value")}
				_, err = j.Record(c)
			}
			if err != nil {
				rt.Fatal(err)
			}
			states = append(states, j.Pending())
		}
		if j.seq == 0 {
			return
		}
		text, err := os.ReadFile(j.path)
		if err != nil {
			rt.Fatal(err)
		}
		for n := range len(text) + 1 {
			c, err := decode(text[:n])
			if err != nil {
				rt.Fatalf("cut at byte %d: %v", n, err)
			}
			want := states[strings.Count(string(text[:n]), "\n")]
			if diff := cmp.Diff(append([]Change{}, want...), append([]Change{}, c.pending...)); diff != "" {
				rt.Fatalf("cut at byte %d (-want +got):\n%s", n, diff)
			}
		}
		resumeCut(rt, filepath.Join(dir, "cut"+suffix), text[:rapid.IntRange(0, len(text)).Draw(rt, "cut")])
	})
}

// resumeCut resumes a cut file and goes on writing: the rest of the cut line
// must not spoil the next one.
func resumeCut(t *rapid.T, path string, text []byte) {
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Resume(path)
	if err != nil {
		if strings.IndexByte(string(text), '\n') < 0 && strings.Contains(err.Error(), "it has no header") {
			return
		}
		t.Fatal(err)
	}
	before := len(r.Pending())
	if _, err := r.Record(change("later")); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := decode(written)
	if err != nil || len(c.pending) != before+1 || c.whole != len(written) {
		t.Fatalf("after going on: %d pending, %v, want %d", len(c.pending), err, before+1)
	}
}

// TestCorrupt: damage before the end is an error that names the line, and does
// not hide other journals.
func TestCorrupt(t *testing.T) {
	const head = `{"journal_version":1,"server":{"system_identifier":"1","address":"a"},"owner":{"pid":1},"opened":"2026-12-01T00:00:00Z"}` + "\n"
	one := `{"change":{"seq":1,"kind":"alter-system","name":"x","before":{"present":false},"after":{"present":true},"at":"2026-12-01T00:00:00Z"}}` + "\n"
	tests := []struct{ name, text, want string }{
		{"a damaged line", head + "\x00\x00\n" + one, "line 2: "},
		{"a damaged header", "{\n" + one, "line 1: no header of a journal"},
		{"a later version", strings.Replace(head, `:1,`, `:2,`, 1), "line 1: journal version 2 is not known"},
		{"a lost change", head + strings.Replace(one, `"seq":1`, `"seq":2`, 1), "line 2: change 2 follows change 0"},
		{"a change put back that was not made", head + `{"done":1}` + "\n", "line 2: change 1 was put back but is not pending"},
		{"both at once", head + one + strings.Replace(one, `{"change"`, `{"done":1,"change"`, 1), "line 3: neither"},
		{"nothing", head + "{}\n", "line 2: neither"},
		{"an unknown field", head + `{"undone":1}` + "\n", `line 2: json: unknown field "undone"`},
		{"two objects", head + `{"done":1} {"done":1}` + "\n", "line 2: text after the object"},
		{"a change that cannot be undone", head + strings.Replace(one, "alter-system", "storage-parameter", 1), "line 2: storage parameter x without its table"},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		path := filepath.Join(dir, "bad"+suffix)
		for p, text := range map[string]string{path: tt.text, filepath.Join(dir, "good"+suffix): head + one, filepath.Join(dir, "empty"+suffix): "", filepath.Join(dir, "other.txt"): "x"} {
			if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		entries, err := List(dir)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %q with the path", tt.name, err, tt.want)
		}
		if len(entries) != 1 {
			t.Errorf("%s: got %d other journals, want 1", tt.name, len(entries))
		}
		if _, err := Resume(path); err == nil || !strings.Contains(err.Error(), tt.want) || pgassay.Hint(err) == "" {
			t.Errorf("%s: resume: got %v, want %q and a hint", tt.name, err, tt.want)
		}
	}
}

// FuzzDecode: no text makes it panic, and what is whole decodes the same alone.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"journal_version":1,"server":{"system_identifier":"1","address":"a"},"owner":{"pid":1},"opened":"2026-12-01T00:00:00Z"}` + "\n" + `{"done":1}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := decode(text)
		if err != nil {
			return
		}
		again, err := decode(text[:c.whole])
		if err != nil || cmp.Diff(c.pending, again.pending) != "" || again.whole != c.whole {
			t.Errorf("%q: the whole lines alone differ: %v", text, err)
		}
	})
}
