package dial

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// FuzzConnString: our parser accepts nothing that pgconn's refuses, both
// understand the same, and no error quotes the text.
func FuzzConnString(f *testing.F) {
	for _, s := range []string{
		"", "db", "host=h port=1", "postgres://u:p@h:1,[::1]:2/d?connect_timeout=3", `user='it\'s' dbname=a\ b`, "postgresql:///d?host=/tmp&ssl=true",
		"host = h\tport\n=\n5", "postgres://%2Ftmp/d", "user=a user=b", "=x", "a", "postgres://@/", "host=a,b port=1,2",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ours, err := parseForm(text)
		if err != nil {
			return
		}
		for name := range ours {
			if checkKeyword(name) != nil {
				return // pgconn takes unknown ones for run-time parameters
			}
		}
		if !isConnString(text) || ours["service"] != "" || ours["servicefile"] != "" {
			return
		}
		ends, err := ours.endpoints()
		if err != nil {
			return
		}
		for _, name := range []string{"sslrootcert", "sslcert", "sslkey", "hostaddr", "passfile"} {
			if _, ok := ours[name]; ok {
				return // files
			}
		}
		theirs, err := pgconn.ParseConfig(text)
		if err != nil {
			if strings.Contains(err.Error(), "failed to parse as") {
				t.Fatalf("%q: we understand %v, pgconn says %v", text, ours, err)
			}
			return // a value that both refuse, but at different places
		}
		if ours["host"] != "" && !strings.Contains(ours["host"], ",") && strings.TrimSpace(ours["host"]) != "" && ends[0].host != strings.TrimSpace(theirs.Host) {
			t.Errorf("%q: host: got %q, pgconn %q", text, ends[0].host, theirs.Host)
		}
		if v, ok := ours["dbname"]; ok && v != theirs.Database {
			t.Errorf("%q: database: got %q, pgconn %q", text, v, theirs.Database)
		}
		if v := ours["user"]; v != "" && v != theirs.User {
			t.Errorf("%q: user: got %q, pgconn %q", text, v, theirs.User)
		}
		if v := ours["password"]; v != "" && v != theirs.Password {
			t.Errorf("%q: password: got %q, pgconn %q", text, v, theirs.Password)
		}
	})
}

// FuzzQuoteValue: what we write for pgconn is read back as it was.
func FuzzQuoteValue(f *testing.F) {
	f.Add("plain")
	f.Add(`it's \ "x" =`)
	f.Fuzz(func(t *testing.T, v string) {
		if strings.IndexByte(v, 0) >= 0 {
			return
		}
		s, err := parseKeyValue("dbname=" + quoteValue(v) + " user=u")
		if err != nil || s["dbname"] != v || s["user"] != "u" {
			t.Errorf("%q: got %v, %v", v, s, err)
		}
	})
}

// FuzzPassfile: a password that was escaped as the manual says is found, in
// any text around it that fits nothing.
func FuzzPassfile(f *testing.F) {
	f.Add("h", "d", "u", "p:w\\", "# x\n")
	f.Fuzz(func(t *testing.T, host, database, user, password, before string) {
		if strings.ContainsAny(host+database+user+password, "\n\r\x00") || host == "" || strings.HasPrefix(host, "#") {
			return
		}
		key := passKey{host, "5432", database, user}
		if _, ok := findPassword(before, key); ok {
			return
		}
		escape := strings.NewReplacer(`\`, `\\`, `:`, `\:`).Replace
		line := escape(host) + ":5432:" + escape(database) + ":" + escape(user) + ":" + escape(password)
		got, ok := findPassword(before+"\n"+line+"\n", key)
		if !ok || got != password {
			t.Errorf("%q: got %q, %v, want %q", line, got, ok, password)
		}
	})
}

// FuzzService: a section is found by its name only, and its keywords are known.
func FuzzService(f *testing.F) {
	f.Add("[a]\nhost=h\n#c\n[b]\nport = 5\n", "b")
	f.Fuzz(func(t *testing.T, text, name string) {
		s, found, err := parseService(text, name)
		if err != nil {
			return
		}
		if found && !strings.Contains(text, "["+name+"]") {
			t.Errorf("found %q in %q", name, text)
		}
		for k := range s {
			if checkKeyword(k) != nil {
				t.Errorf("unknown keyword %q was taken", k)
			}
		}
	})
}
