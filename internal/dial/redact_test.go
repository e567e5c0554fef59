package dial_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgassay/pgassay/internal/dial"
)

func TestRedact(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a URI", "dial postgres://me:s3cret@h:5432/d?x=y failed", "dial postgres://me:********@h:5432/d?x=y failed"},
		{"a URI whose password was not encoded", "postgresql://me:s3/c@r:et@h/d", "postgresql://me:********@h/d"},
		{"a URI without password stays", "postgresql://me@h/d", "postgresql://me@h/d"},
		{"key=value", "host=h password=s3cret user=u", "host=h password=******** user=u"},
		{"a quoted value with a quote in it", `password = 's3\' cret' user=u`, "password = '********' user=u"},
		{"a quoted value that does not end", "password='s3 cret", "password='********'"},
		{"sslpassword and query parameters", "?sslpassword=s3&password=cret&x=1", "?sslpassword=********&password=********&x=1"},
		{"a variable", "PGPASSWORD=s3cret psql", "PGPASSWORD=******** psql"},
		{"JSON", `{"password": "s3\"cret", "user": "u"}`, `{"password": "********", "user": "u"}`},
		{"SQL", "ALTER ROLE r PASSWORD 's3''cret' VALID UNTIL 'x'", "ALTER ROLE r PASSWORD '********' VALID UNTIL 'x'"},
		{"verifiers", "SCRAM-SHA-256$4096:abc$def:ghi md5" + strings.Repeat("ab", 16), "SCRAM-SHA-256$******** md5********"},
		{"a cloud key", "aws_secret_access_key=s3cret", "aws_secret_access_key=********"},
		{"ordinary text stays", `password authentication failed for user "u"`, `password authentication failed for user "u"`},
		{"ordinary addresses stay", "see https://www.postgresql.org/docs and write to a@b.c", "see https://www.postgresql.org/docs and write to a@b.c"},
	}
	for _, tt := range tests {
		if got := dial.Redact(tt.in); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestRedactSetting(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"primary_conninfo", "host=h", "********"},
		{"archive_command", "curl -u a:b x", "********"},
		{"Restore_Command", "x", "********"},
		{"myext.api_key", "abc", "********"},
		{"pgsodium.secret", "abc", "********"},
		{"archive_command", "", ""},
		{"password_encryption", "scram-sha-256", "scram-sha-256"},
		{"work_mem", "4MB", "4MB"},
		{"cluster_name", "postgres://u:p@h/", "postgres://u:********@h/"},
	}
	for _, tt := range tests {
		if got := dial.RedactSetting(tt.name, tt.value); got != tt.want {
			t.Errorf("%s = %q: got %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
}

// TestRedactProperties: no password survives in a connection string of either
// form, and a second pass changes nothing.
func TestRedactProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := "S" + rapid.StringMatching(`[a-zA-Z0-9_.!?/:;@*+-]{6,20}`).Draw(t, "secret") + "S"
		quoted := "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(secret+` '\x`) + "'"
		for _, text := range []string{
			"could not use postgres://user:" + secret + "@host:5432/db?sslmode=require",
			"host=h password=" + quoted + " dbname=d",
			"CREATE USER u PASSWORD '" + secret + "'",
			`{"password":"` + secret + `"}`,
		} {
			got := dial.Redact(text)
			if strings.Contains(got, secret) {
				t.Fatalf("%s: the secret %s survived: %s", text, secret, got)
			}
			if again := dial.Redact(got); again != got {
				t.Fatalf("not idempotent: %s became %s", got, again)
			}
		}
	})
}
