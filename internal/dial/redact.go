package dial

import "regexp"

var secretKeyword = regexp.MustCompile(`(?i)\b((?:ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s'"]+)`)
var secretURI = regexp.MustCompile(`(?i)(postgres(?:ql)?://[^\s:/@]*:)[^\s]*@`)

// Redact removes passwords from any text.
func Redact(s string) string {
	s = secretURI.ReplaceAllString(s, "${1}xxxxx@")
	return secretKeyword.ReplaceAllString(s, "${1}xxxxx")
}
