package labtest_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pgassay/pgassay/internal/labtest"
)

// TestServer starts every version and looks at what tests rely on.
func TestServer(t *testing.T) {
	majors := labtest.Majors()
	if len(majors) == 0 {
		labtest.BinDir(t, 0)
	}
	for _, major := range majors {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			t.Parallel()
			var base string
			t.Run("life", func(t *testing.T) {
				in := labtest.Server(t, labtest.Options{Major: major, Database: `we"ird`, Settings: map[string]string{"work_mem": "5MB", "search_path": "it's"}})
				base = filepath.Dir(in.DataDir)
				if got := in.Query1(t, "SHOW server_version_num"); !strings.HasPrefix(got, strconv.Itoa(major)) {
					t.Errorf("server_version_num: got %s, want major %d", got, major)
				}
				if got, want := in.Query1(t, "SELECT current_database()"), `we"ird`; got != want {
					t.Errorf("database: got %s, want %s", got, want)
				}
				if got, want := in.Query1(t, "SHOW work_mem"), "5MB"; got != want {
					t.Errorf("work_mem: got %s, want %s", got, want)
				}
				in.Exec(t, "ALTER SYSTEM SET work_mem = '6MB'; ")
				in.Exec(t, "SELECT pg_reload_conf()")
				in.Stop(t, syscall.SIGKILL)
				in.Start(t)
				if got, want := in.Query1(t, "SHOW work_mem"), "6MB"; got != want {
					t.Errorf("work_mem after a crash: got %s, want %s (ALTER SYSTEM wins over Settings)", got, want)
				}
				if os.Getuid() == 0 {
					info, err := os.Stat(in.DataDir)
					if err != nil {
						t.Fatal(err)
					}
					if uid := info.Sys().(*syscall.Stat_t).Uid; uid == 0 {
						t.Error("the data directory belongs to root, want an unprivileged owner")
					}
				}
				var one int
				if err := in.Conn(t).QueryRow(t.Context(), "SELECT 1").Scan(&one); err != nil || one != 1 {
					t.Errorf("select 1: got %d, %v", one, err)
				}
			})
			if _, err := os.Stat(base); !os.IsNotExist(err) {
				t.Errorf("after the test %s is still there (%v)", base, err)
			}
		})
	}
}
