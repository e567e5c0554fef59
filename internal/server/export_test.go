package server

import (
	"syscall"
	"time"
)

// What tests need of the inside.
var (
	UsableMemoryOf = usableMemory
	SameValue      = sameValue
	Quote          = quote
	LayoutSplit    = split
	ProcessStart   = processStart
	MadeByUs       = madeByUs
	Settle         = settle
	CopyTree       = copyTree
)

// Key is the key of a spec's template.
func (h *Home) Key(s TemplateSpec) (string, error) { return h.key(s) }

// User is the account that servers run as.
func (h *Home) User() *User { return h.user }

// RemoveOrphans removes what dead owners left.
func (h *Home) RemoveOrphans() ([]string, error) { return h.removeOrphans() }

// Dir is the instance's directory.
func (i *Instance) Dir() string { return i.dir }

// Signal signals the postmaster.
func (i *Instance) Signal(s syscall.Signal) error { return i.running.cmd.Process.Signal(s) }

// WriteFile writes a small file into a directory of the servers' account.
func (h *Home) WriteFile(path, text string) error { return h.writeFile(path, text) }

// Ended waits for the end of all processes of the server.
func (i *Instance) Ended() { <-i.running.done }

// StopWithin makes fast and immediate stops give up early.
func StopWithin(limit time.Duration) (restore func()) {
	old := stopLimits
	stopLimits.fast, stopLimits.immediate = limit, limit
	return func() { stopLimits = old }
}

// ReloadWithin makes the wait for a reload short.
func ReloadWithin(limit time.Duration) (restore func()) {
	old := reloadLimit
	reloadLimit = limit
	return func() { reloadLimit = old }
}

// Statements splits SQL and returns each statement's line, text and data.
func Statements(text string) (lines []int, texts, data []string, err error) {
	all, err := splitSQL(text)
	for _, s := range all {
		lines, texts, data = append(lines, s.line), append(texts, s.text), append(data, string(s.data))
	}
	return lines, texts, data, err
}

// Abandon forgets to stop an instance but lets go of its lock, as the death of
// this process would.
func (i *Instance) Abandon() error { return i.claim.file.Close() }

// Surplus chooses which of templates of the given sizes, the last used first,
// must go.
func Surplus(sizes []int64, p CleanPolicy) (doomed []string) {
	var all []stored
	for k, n := range sizes {
		all = append(all, stored{Removed{Path: string(rune('a' + k)), Bytes: n}, time.Unix(int64(1000-k), 0)})
	}
	for _, r := range surplus(all, p) {
		doomed = append(doomed, r.Path)
	}
	return doomed
}

// Pretend makes a setting of an attached server come from another source.
func Pretend(a *Attached, name, source string) {
	for i := range a.settings {
		if a.settings[i].Name == name {
			a.settings[i].Source = source
		}
	}
}
