package load

import (
	"maps"
	"sync"

	"github.com/pgassay/pgassay/internal/dial"
)

// faults counts the measured failures by script and class. Failures are rare,
// so a lock is good enough.
type faults struct {
	mu     sync.Mutex
	counts []map[string]int64 // by script
	first  []string
}

func newFaults(scripts int) *faults {
	return &faults{counts: make([]map[string]int64, scripts), first: make([]string, scripts)}
}

func (f *faults) add(script int, code, message string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts[script] == nil {
		f.counts[script] = map[string]int64{}
		f.first[script] = dial.Redact(message)
		if code != "connection" {
			f.first[script] += " (SQLSTATE " + code + ")"
		}
	}
	f.counts[script][code]++
}

// of returns a copy of a script's counts and its first error.
func (f *faults) of(script int) (map[string]int64, string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.counts[script]), f.first[script]
}
