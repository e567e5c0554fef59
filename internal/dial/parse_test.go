package dial_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
)

// world is an environment with a home directory of its own.
type world struct {
	home string
	vars map[string]string
}

func newWorld(t *testing.T) *world {
	home := t.TempDir()
	return &world{home, map[string]string{"HOME": home, "PGSYSCONFDIR": filepath.Join(home, "etc")}}
}

func (w *world) env(name string) (string, bool) { v, ok := w.vars[name]; return v, ok }

func (w *world) write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(w.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	return path
}

// TestPrecedence: string > flags > service > variables > defaults.
func TestPrecedence(t *testing.T) {
	const services = "[one]\nhost=service.example\nport=7001\ndbname=servicedb\nuser=serviceuser\n[two]\nhost=two.example\n"
	tests := []struct {
		name  string
		flags dial.Flags
		vars  map[string]string
		want  string
	}{
		{"variables alone", dial.Flags{}, map[string]string{"PGHOST": "env.example", "PGPORT": "7000", "PGUSER": "u", "PGDATABASE": "d"}, "u@env.example:7000/d"},
		{"the user's name is the default database", dial.Flags{}, map[string]string{"PGHOST": "h", "PGUSER": "u"}, "u@h:5432/u"},
		{"flags win over variables", dial.Flags{Host: "flag", Port: "1", User: "fu", Database: "fd"}, map[string]string{"PGHOST": "env", "PGPORT": "2", "PGUSER": "eu", "PGDATABASE": "ed"}, "fu@flag:1/fd"},
		{"a URI wins over flags, which fill its gaps", dial.Flags{DSN: "postgresql://uri.example/urid", Host: "flag", Port: "77", User: "fu"}, nil, "fu@uri.example:77/urid"},
		{"key=value wins over flags", dial.Flags{DSN: "host=kv", Host: "flag", User: "u", Database: "d"}, nil, "u@kv:5432/d"},
		{"a word is a database's name", dial.Flags{DSN: "word", Host: "h", User: "u"}, nil, "u@h:5432/word"},
		{"-d may be a connection string", dial.Flags{Database: "host=h user=u dbname=d"}, nil, "u@h:5432/d"},
		{"a service wins over variables", dial.Flags{}, map[string]string{"PGSERVICE": "one", "PGHOST": "env", "PGPORT": "1"}, "serviceuser@service.example:7001/servicedb"},
		{"flags win over a service", dial.Flags{Host: "flag"}, map[string]string{"PGSERVICE": "one"}, "serviceuser@flag:7001/servicedb"},
		{"the string's service wins over PGSERVICE", dial.Flags{DSN: "service=two user=u dbname=d"}, map[string]string{"PGSERVICE": "one"}, "u@two.example:5432/d"},
		{"variables fill a service's gaps", dial.Flags{DSN: "service=two"}, map[string]string{"PGUSER": "eu", "PGPORT": "9"}, "eu@two.example:9/eu"},
		{"an empty variable is not given", dial.Flags{}, map[string]string{"PGHOST": "h", "PGUSER": "u", "PGPORT": "", "PGDATABASE": ""}, "u@h:5432/u"},
		{"several hosts, one port", dial.Flags{DSN: "host=a,b port=6000 user=u dbname=d sslmode=disable"}, nil, "u@a:6000,b:6000/d"},
		{"several hosts in a URI", dial.Flags{DSN: "postgres://u@a:1,b,[::1]:3/d"}, nil, "u@a:1,b:5432,[::1]:3/d"},
		{"a socket's directory in a URI", dial.Flags{DSN: "postgres://u@%2Ftmp%2Fx:99/d"}, nil, "u@/tmp/x:99/d"},
		{"hostaddr without host", dial.Flags{DSN: "hostaddr=127.0.0.9 user=u dbname=d"}, nil, "u@127.0.0.9:5432/d"},
		{"quotes and backslashes", dial.Flags{DSN: `host = h  user='it\'s \\me' dbname=a\ b`}, nil, `it's \me@h:5432/a b`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.write(t, ".pg_service.conf", services, 0o644)
			for k, v := range tt.vars {
				w.vars[k] = v
			}
			target, err := dial.Parse(tt.flags, w.env)
			if err != nil {
				t.Fatal(err)
			}
			if got := target.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestProcessEnvironment: only env counts, not the process's own variables,
// also where pgconn would look at them.
func TestProcessEnvironment(t *testing.T) {
	for name, v := range map[string]string{
		"PGHOST": "leak", "PGPORT": "1", "PGUSER": "leak", "PGDATABASE": "leak", "PGPASSWORD": "leak", "PGSERVICE": "leak",
		"PGSERVICEFILE": "/nonexistent", "PGOPTIONS": "-c leak=1", "PGTZ": "leak", "PGSSLMODE": "leak", "PGAPPNAME": "leak",
		"PGTARGETSESSIONATTRS": "leak", "PGCONNECT_TIMEOUT": "leak", "PGSSLCERT": "/nonexistent", "PGREQUIREAUTH": "leak",
		"PGMINPROTOCOLVERSION": "leak", "PGCHANNELBINDING": "leak", "PGSSLCERTMODE": "leak", "PGSSLROOTCERT": "/nonexistent",
	} {
		t.Setenv(name, v)
	}
	w := newWorld(t)
	target, err := dial.Parse(dial.Flags{Host: "h.example", User: "u"}, w.env)
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]*dial.Target{"Parse": target, "Socket": dial.Socket("/run/x", 7, "u", "d")} {
		c := target.Config()
		if c.Password != "" || len(c.RuntimeParams) != 1 || c.ValidateConnect != nil {
			t.Errorf("%s: password %q, parameters %v: the process environment leaked", name, c.Password, c.RuntimeParams)
		}
	}
	if got, want := target.String(), "u@h.example:5432/u"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPassword: where it comes from, in order, and when a file is not used.
func TestPassword(t *testing.T) {
	prompt := func() (string, error) { return "typed", nil }
	const passfile = "# comment\nother:*:*:*:wrong\nh:5432:d:u:from\\:file\\\\\n*:*:*:*:any\n"
	tests := []struct {
		name  string
		flags dial.Flags
		vars  map[string]string
		mode  os.FileMode
		want  string
		warn  string
	}{
		{"the first line that fits, unescaped", dial.Flags{Host: "h", User: "u", Database: "d"}, nil, 0o600, `from:file\`, ""},
		{"a line of stars fits a socket", dial.Flags{Host: "/s", User: "u", Database: "d"}, nil, 0o600, "any", ""},
		{"the default database takes part", dial.Flags{Host: "h", User: "d"}, nil, 0o600, "any", ""},
		{"a file that others can read is ignored", dial.Flags{Host: "h", User: "u", Database: "d"}, nil, 0o640, "", "can be read by others"},
		{"PGPASSWORD wins over the file", dial.Flags{Host: "h", User: "u"}, map[string]string{"PGPASSWORD": "var"}, 0o600, "var", ""},
		{"the string wins over PGPASSWORD", dial.Flags{DSN: "postgres://u:uri%40@h/d"}, map[string]string{"PGPASSWORD": "var"}, 0o600, "uri@", ""},
		{"-W wins over PGPASSWORD", dial.Flags{Host: "h", User: "u", Password: prompt}, map[string]string{"PGPASSWORD": "var"}, 0o600, "typed", ""},
		{"-w never asks", dial.Flags{Host: "h", User: "u", Password: prompt, NoPassword: true}, map[string]string{"PGPASSWORD": "var"}, 0o600, "var", ""},
		{"PGPASSFILE names another file", dial.Flags{Host: "h", User: "u", Database: "d"}, map[string]string{"PGPASSFILE": "/nonexistent"}, 0o600, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.write(t, ".pgpass", passfile, tt.mode)
			for k, v := range tt.vars {
				w.vars[k] = v
			}
			target, err := dial.Parse(tt.flags, w.env)
			if err != nil {
				t.Fatal(err)
			}
			if got := target.Config().Password; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := strings.Join(target.Warnings(), "\n"); !strings.Contains(got, tt.warn) || (tt.warn == "") != (got == "") {
				t.Errorf("warnings: got %q, want one with %q", got, tt.warn)
			}
			for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
				if s := fmt.Sprintf(verb, target); tt.want != "" && strings.Contains(s, tt.want) {
					t.Errorf("%s tells the password: %s", verb, s)
				}
			}
		})
	}
}

// TestServiceFiles: the user's file, then the system's; PGSERVICEFILE must exist.
func TestServiceFiles(t *testing.T) {
	w := newWorld(t)
	w.vars["PGUSER"] = "u"
	w.write(t, ".pg_service.conf", "[mine]\nhost=mine\n", 0o644)
	w.write(t, "etc/pg_service.conf", "# all\n[mine]\nhost=not-this\n[system]\nhost = system\nhost=second\n", 0o644)
	other := w.write(t, "other.conf", "[other]\nhost=other\noptions=-c work_mem=5MB\n[bad]\nhots=h\n[nested]\nservice=x\n[broken]\nno equals\n", 0o644)
	for service, want := range map[string]string{"mine": "mine", "system": "system"} {
		target, err := dial.Parse(dial.Flags{DSN: "service=" + service}, w.env)
		if err != nil {
			t.Fatal(err)
		}
		if target.Host() != want {
			t.Errorf("service %s: got host %s, want %s", service, target.Host(), want)
		}
	}
	w.vars["PGSERVICEFILE"] = other
	target, err := dial.Parse(dial.Flags{DSN: "service=other"}, w.env)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := target.Options()["options"], "-c work_mem=5MB"; target.Host() != "other" || got != want {
		t.Errorf("service other: got host %s and options %q, want other and %q", target.Host(), got, want)
	}
	for service, want := range map[string]string{
		"bad": `line 5: usage: invalid connection option "hots"`, "nested": "line 7: a service cannot refer to another one",
		"broken": "line 9 is not of the form keyword=value", "absent": `definition of service "absent" not found`,
	} {
		_, err := dial.Parse(dial.Flags{DSN: "service=" + service}, w.env)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, pgassay.ErrUsage) {
			t.Errorf("service %s: got %v, want an ErrUsage with %q", service, err, want)
		}
	}
	w.vars["PGSERVICEFILE"] = filepath.Join(w.home, "missing")
	if _, err := dial.Parse(dial.Flags{DSN: "service=system"}, w.env); err == nil || !strings.Contains(err.Error(), "read service file") {
		t.Errorf("missing PGSERVICEFILE: got %v", err)
	}
}

// TestParseErrors: each mistake is named, with advice where it helps, and no
// error tells the password.
func TestParseErrors(t *testing.T) {
	tests := []struct{ dsn, want, hint string }{
		{"hots=a password=s3cret", `invalid connection option "hots"`, `"host"`},
		{"postgres://u:s3cret@h/d?sslmod=require", `invalid connection option "sslmod"`, `"sslmode"`},
		{"database=d password=s3cret", `invalid connection option "database"`, `"dbname"`},
		{"search_path=x", `invalid connection option "search_path"`, "options='-c search_path=…'"},
		{"timezone=UTC", `invalid connection option "timezone"`, "options="},
		{"host='a password=s3cret", `unterminated quoted string after "host"`, ""},
		{"host=h s3cret", `without "=" at the end`, ""},
		{"host=h s3cret port=1", `missing "=" after word 2`, ""},
		{"=s3cret", `without a keyword`, ""},
		{"postgres://u:s3cret@h:port/d", "invalid port number", ""},
		{"postgres://u:s3/cret@h:5432/d", "invalid port number", ""},
		{"postgres://u:s3cret@h:70000/d", "invalid port number", ""},
		{"postgres://u:s3cret@[::1/d", `no "]"`, ""},
		{"postgres://u:s3cret@[]/d", "empty IPv6", ""},
		{"postgres://u:s3cret@[::1]x/d", "unexpected text after the IPv6", ""},
		{"postgres://u:s3cret%zz@h/d", "password of the connection URI: invalid percent-encoding", ""},
		{"postgres://u:s3cret@h/d?a", "not of the form key=value", ""},
		{"postgres://u:s3cret@h/d%00", "invalid percent-encoding", ""},
		{"host=a,b port=1,2,3 password=s3cret", "3 port numbers do not match 2 hosts", ""},
		{"host=a,b hostaddr=1.1.1.1 password=s3cret", "2 host names do not match 1 hostaddr", ""},
		{"host=h sslmode=sometimes password=s3cret", "sslmode is invalid", ""},
		{"host=h target_session_attrs=fast password=s3cret", "unknown target_session_attrs value: fast", ""},
		{"host=h connect_timeout=soon", `connect_timeout "soon" is not a whole number of seconds`, ""},
		{"host=h sslcrl=/x password=s3cret", `"sslcrl" is not supported`, ""},
		{"host=h gssencmode=require", "gssencmode=require is not supported", ""},
		{"host=h ssl_min_protocol_version=SSLv3", "is not one of TLSv1", ""},
		{"host=h sslrootcert=/nonexistent/root.crt password=s3cret", "unable to read CA file", ""},
	}
	for _, tt := range tests {
		t.Run(tt.dsn, func(t *testing.T) {
			w := newWorld(t)
			_, err := dial.Parse(dial.Flags{DSN: tt.dsn, User: "u"}, w.env)
			if err == nil {
				t.Fatal("got no error")
			}
			if !strings.Contains(err.Error(), tt.want) || !errors.Is(err, pgassay.ErrUsage) {
				t.Errorf("got %q, want an ErrUsage with %q", err, tt.want)
			}
			if strings.Count(err.Error(), "usage") != 1 || !strings.HasPrefix(err.Error(), "parse connection: ") {
				t.Errorf("got %q, want one prefix", err)
			}
			if !strings.Contains(pgassay.Hint(err), tt.hint) {
				t.Errorf("hint: got %q, want one with %q", pgassay.Hint(err), tt.hint)
			}
			if all := err.Error() + pgassay.Hint(err); strings.Contains(all, "s3cret") || strings.Contains(all, "s3") {
				t.Errorf("the error tells the password: %s", all)
			}
		})
	}
}

// TestTwoStrings: psql would take the last one; here nobody has to guess.
func TestTwoStrings(t *testing.T) {
	w := newWorld(t)
	if _, err := dial.Parse(dial.Flags{DSN: "host=a", Database: "host=b"}, w.env); !errors.Is(err, pgassay.ErrUsage) {
		t.Errorf("got %v, want ErrUsage", err)
	}
}

// TestImmutable: derived targets and copies do not change the original.
func TestImmutable(t *testing.T) {
	a := dial.Socket("/s", 1, "u", "d")
	b := a.WithOption("work_mem", "1MB").WithDatabase("e")
	b.Options()["work_mem"] = "2MB"
	b.Config().RuntimeParams["work_mem"] = "3MB"
	if got := a.Options()["work_mem"]; got != "" || a.Database() != "d" {
		t.Errorf("the original changed: work_mem %q, database %s", got, a.Database())
	}
	if got := b.Options()["work_mem"]; got != "1MB" || b.Database() != "e" {
		t.Errorf("derived: got work_mem %q and database %s, want 1MB and e", got, b.Database())
	}
}
