package dial

import (
	"regexp"
	"strings"
)

// mask stands in the place of a secret.
const mask = "********"

// The places in which a secret can stand in a text. Group 1 is kept. They
// rather take too much than too little.
var secretPatterns = []*regexp.Regexp{
	// Up to the last "@" of the word, because a password that was not encoded
	// may hold any other character.
	regexp.MustCompile(`(?i)(\b[a-z][a-z0-9+.-]*://[^\s:/@'"]*:)[^\s'"]*@`),
	// key=value and key='value' with libpq's backslashes; key: "value" of JSON;
	// PGPASSWORD=…; a query parameter of a URI.
	regexp.MustCompile(`(?i)((?:password|passwd|passphrase|secret|secret_?key|access_?key|token|scram_client_key|scram_server_key)["']?\s*[=:]\s*)("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s&,;'"]+)`),
	// CREATE ROLE … PASSWORD 'x'
	regexp.MustCompile(`(?i)(\bpassword\s+)(E?'(?:[^'\\]|\\.|'')*'?)`),
	// Stored verifiers.
	regexp.MustCompile(`(SCRAM-SHA-256\$)\S+`),
	regexp.MustCompile(`\b(md5)[0-9a-fA-F]{32}\b`),
}

// Redact removes passwords, verifiers and other secrets from any text: a
// connection string, SQL, an error, a line of a log. It can take too much; it
// is idempotent.
func Redact(s string) string {
	for _, p := range secretPatterns {
		s = p.ReplaceAllStringFunc(s, func(m string) string {
			kept := p.FindStringSubmatch(m)[1]
			switch secret := strings.TrimPrefix(strings.TrimPrefix(m, kept), "E"); {
			case strings.HasPrefix(secret, `"`):
				return kept + `"` + mask + `"`
			case strings.HasPrefix(secret, "'"):
				return kept + "'" + mask + "'"
			case strings.HasSuffix(kept, ":") && strings.Contains(kept, "://"):
				return kept + mask + "@"
			}
			return kept + mask
		})
	}
	return s
}

// secretSettings are parameters whose whole value may hold a secret: commands
// with credentials in them, connection strings, keys.
var secretSettings = regexp.MustCompile(`(?i)^(primary_conninfo|archive_command|restore_command|archive_cleanup_command|recovery_end_command|ssl_passphrase_command)$|password|passphrase|secret|token|credential|api_?key|license_?key|access_?key|encryption_?key`)

// notSecret are parameters that only sound like one.
var notSecret = map[string]bool{"password_encryption": true, "ssl_passphrase_command_supports_reload": true, "md5_password_warnings": true}

// RedactSetting returns the value of a PostgreSQL parameter as it may be
// stored and shown: "" stays, the value of a parameter that can hold a secret
// is masked, and [Redact] cleans every other one.
func RedactSetting(name, value string) string {
	if value != "" && secretSettings.MatchString(name) && !notSecret[strings.ToLower(name)] {
		return mask
	}
	return Redact(value)
}
