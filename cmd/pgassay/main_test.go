package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pgassay": func() {
		a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv}
		os.Exit(a.main(context.Background(), os.Args[1:]))
	}})
}

// home is one PGASSAY_HOME for all scripts of the test binary, so that clusters
// and templates are made once.
func home(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgassay-test-home-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestScripts runs the files of testdata/script against the real command and,
// where they run experiments, real servers.
func TestScripts(t *testing.T) {
	pgassayHome := home(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: false,
		Setup: func(e *testscript.Env) error {
			// scripts run side by side: each looks for servers in a home of its own
			e.Setenv("PGASSAY_HOME", filepath.Join(pgassayHome, strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")))
			e.Setenv("CI", "true")
			for _, name := range []string{"PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD", "PGSERVICE"} {
				e.Setenv(name, "")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"noservers": noServers,
		},
	})
	left, err := filepath.Glob(filepath.Join(pgassayHome, "*", "instances", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("instances left behind: %v, %v", left, err)
	}
}

// noServers fails when a process still works on a data directory of the home:
// "noservers".
func noServers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: noservers")
	}
	if pids := serversBelow(ts.Getenv("PGASSAY_HOME")); len(pids) > 0 {
		ts.Fatalf("servers left running: %v", pids)
	}
}

// serversBelow lists processes whose command line names a data directory
// below dir.
func serversBelow(dir string) []string {
	var pids []string
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is valid
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		if strings.Contains(string(text), "\x00-D\x00"+dir) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}
