package plan

import (
	"slices"

	"github.com/pgassay/pgassay"
)

// Facts is what is known of the host and of the data before a run. The zero
// value of a field means unknown: a default that is on the safe side is used.
type Facts struct {
	// Major is the server's major version (default 16).
	Major int
	// FreeDiskBytes is what the file system of the data has left.
	FreeDiskBytes int64
	// TPS is the transactions per second to expect, by index of the load level;
	// a level that is missing or 0 is unknown.
	TPS []float64
	// RestoreS, StartS and StopS are seconds per trial; RestoreSPerGB is used
	// for RestoreS when that is 0 (default 3, a plain copy), LoadSPerGB is the
	// time to load a template (default 60).
	RestoreS, StartS, StopS   float64
	RestoreSPerGB, LoadSPerGB float64
	// HeapBytesPerRow and IndexBytesPerRow describe the table that is written
	// to (defaults 300 and 75), Indexes is their number (default 3).
	HeapBytesPerRow, IndexBytesPerRow float64
	Indexes                           int
	// Relations are the tables as a trial starts with them; what they say of the
	// table that is written to replaces the three fields above.
	Relations []pgassay.Relation
}

// The defaults of Facts. A new cluster is about 40 MB before any data.
const (
	defaultMajor         = 16
	defaultStartS        = 1
	defaultStopS         = 0.5
	defaultRestoreSPerGB = 3
	defaultLoadSPerGB    = 60
	defaultHeapPerRow    = 300
	defaultIndexPerRow   = 75
	defaultIndexes       = 3
	emptyClusterBytes    = 40 << 20
	defaultMaxWALBytes   = 1 << 30
)

// withDefaults fills in what is unknown, for a dataset of so many bytes.
func (f Facts) withDefaults() Facts {
	or := func(v *float64, d float64) {
		if *v <= 0 {
			*v = d
		}
	}
	if f.Major == 0 {
		f.Major = defaultMajor
	}
	if f.Indexes == 0 {
		f.Indexes = defaultIndexes
	}
	or(&f.StartS, defaultStartS)
	or(&f.StopS, defaultStopS)
	or(&f.RestoreSPerGB, defaultRestoreSPerGB)
	or(&f.LoadSPerGB, defaultLoadSPerGB)
	or(&f.HeapBytesPerRow, defaultHeapPerRow)
	or(&f.IndexBytesPerRow, defaultIndexPerRow)
	return f
}

// ofTable takes the bytes per row and the indexes of a table from Relations.
func (f Facts) ofTable(name string) Facts {
	i := slices.IndexFunc(f.Relations, func(r pgassay.Relation) bool { return r.Name == name || r.Schema+"."+r.Name == name })
	if i < 0 || f.Relations[i].Tuples <= 0 {
		return f
	}
	r := f.Relations[i]
	f.HeapBytesPerRow, f.IndexBytesPerRow = float64(r.HeapBytes)/r.Tuples, float64(r.IndexBytes)/r.Tuples
	f.Indexes = r.Indexes
	return f
}

// tps is what to expect at a load level, 0 when unknown.
func (f Facts) tps(load int) float64 {
	if load < len(f.TPS) {
		return f.TPS[load]
	}
	return 0
}
