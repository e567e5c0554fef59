package dial

import "time"

// Hurry makes the pauses between the tries short; it returns what undoes it.
func Hurry() func() {
	old := waits
	waits = []time.Duration{time.Millisecond, time.Millisecond}
	return func() { waits = old }
}

// WithTimeout returns the same target with another limit for each try.
func (t *Target) WithTimeout(d time.Duration) *Target {
	u := t.clone()
	u.timeout = d
	return u
}
