package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/check"
	"github.com/pgassay/pgassay/internal/stats"
)

// Estimation says what a run will take and what it can show.
type Estimation struct {
	Arms, Loads, Blocks int
	// Trials counts those of the plan, Restarts the server's starts for them.
	Trials, Restarts int
	// Templates is the number of different starting states to load.
	Templates int
	// Load is the time to load the templates, PerTrial that of one trial with
	// everything around it, Wall all together without repeats. MeasureUnknown
	// says that trials run for a number of transactions or cycles at an unknown
	// rate: their length is not in these times then.
	Load, PerTrial, Wall time.Duration
	MeasureUnknown       bool
	// DiskBytes is the space needed at the worst moment, RowsUnknown says that
	// it does not hold the dataset because its size is not known.
	DiskBytes   int64
	RowsUnknown bool
	// Cells has one entry per arm and load level, arms outermost, when a
	// treated setting acts through vacuum and the scripts say what they do.
	Cells []CellEstimate
	// Detectable says what effects the planned blocks can see.
	Detectable []Detectable
	// Notes are sentences for the reader.
	Notes []string
}

// Detectable is what the planned number of blocks can see when the blocks'
// log ratios scatter with the standard deviation SD. Both are relative changes.
type Detectable struct {
	SD float64
	// HalfWidth is that of the 95 % interval, Effect what is seen with 90 %
	// power; both are infinite with fewer than two blocks.
	HalfWidth, Effect float64
}

// noise holds the scatter of a quiet host, of a usual one and of one bound by
// flushes, as measured for the method.
var noise = []float64{0.025, 0.06, 0.105}

// Estimate computes what the experiment will take on a host of which so much
// is known.
func Estimate(e *pgassay.Experiment, f Facts) Estimation {
	f = f.withDefaults()
	d := FromExperiment(e)
	out := Estimation{Arms: d.Arms, Loads: d.Loads, Blocks: d.Blocks, Trials: d.Arms * d.Loads * d.Blocks}
	out.Restarts = out.Trials
	out.Templates = templates(e)
	size := int64(emptyClusterBytes)
	if e.Dataset.Rows >= 0 {
		size += int64(float64(e.Dataset.Rows) * (f.HeapBytesPerRow + f.IndexBytesPerRow))
	} else {
		out.RowsUnknown = true
		out.Notes = append(out.Notes, "the dataset's size is not known: neither the disk space nor the time to load it is in the estimate")
	}
	out.times(e, f, float64(size)/1e9)
	out.disk(e, f, size)
	for _, sd := range noise {
		out.Detectable = append(out.Detectable, detectable(sd, d.Blocks, e.Design.Alpha))
	}
	cells, note := vacuumCells(e, f)
	out.Cells = cells
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	return out
}

func (out *Estimation) times(e *pgassay.Experiment, f Facts, gigabytes float64) {
	if f.RestoreS <= 0 {
		f.RestoreS = gigabytes * f.RestoreSPerGB
	}
	if e.Design.Reset == pgassay.ResetNone {
		f.RestoreS = 0
	}
	out.Load = seconds(float64(out.Templates) * gigabytes * f.LoadSPerGB)
	var total time.Duration
	for load := range e.Loads {
		measure, ok := measureS(e, f, load)
		out.MeasureUnknown = out.MeasureUnknown || !ok
		total += seconds(f.RestoreS+f.StartS+f.StopS+measure) + e.Workload.Warmup
	}
	if out.Loads > 0 {
		out.PerTrial = total / time.Duration(out.Loads)
	}
	out.Wall = out.Load + time.Duration(out.Arms*out.Blocks)*total
	if b := e.Design.Budget; b > 0 && out.Wall > b {
		out.Notes = append(out.Notes, fmt.Sprintf("the run takes about %v and the budget is %v: it will end before all %d blocks are done", out.Wall.Round(time.Second), b, out.Blocks))
	}
}

// measureS is the length of a trial's measurement in seconds; ok is false when
// it depends on an unknown rate.
func measureS(e *pgassay.Experiment, f Facts, load int) (s float64, ok bool) {
	m := e.Workload.Measure
	if m.ToChoose() {
		return 0, false
	}
	if m.Transactions == 0 {
		return m.Duration.Seconds(), true
	}
	if tps := f.tps(load); tps > 0 {
		return float64(m.Transactions) / tps, true
	}
	return 0, false
}

// growth is the bytes of the rows that a trial inserts, as far as its rate is
// known.
func growth(e *pgassay.Experiment, f Facts) int64 {
	table, ok := meanLoad(e.Workload.Scripts)
	if !ok {
		return 0
	}
	f = f.ofTable(table.table)
	most := 0.0
	for load := range e.Loads {
		if s, ok := measureS(e, f, load); ok {
			most = math.Max(most, f.tps(load)*table.inserts*(e.Workload.Warmup.Seconds()+s))
		}
	}
	return int64(most * (f.HeapBytesPerRow + f.IndexBytesPerRow))
}

// disk is all templates, one clone of the largest with what a trial adds to it,
// and the WAL of a trial.
func (out *Estimation) disk(e *pgassay.Experiment, f Facts, size int64) {
	wal := int64(0)
	for i := range e.Arms {
		w := int64(defaultMaxWALBytes)
		if mb, ok := check.Lookup(e.Arms[i].Settings)("max_wal_size"); ok {
			w = int64(mb) << 20
		}
		wal = max(wal, w)
	}
	out.DiskBytes = size*int64(out.Templates+1) + growth(e, f) + wal
	if f.FreeDiskBytes > 0 && out.DiskBytes > f.FreeDiskBytes {
		out.Notes = append(out.Notes, fmt.Sprintf("the run needs about %.1f GB of disk space and %.1f GB are free", float64(out.DiskBytes)/1e9, float64(f.FreeDiskBytes)/1e9))
	}
}

// storedParameters change the bytes of a template.
var storedParameters = []string{"fillfactor", "toast_tuple_target"}

// templates counts the different starting states of the arms.
func templates(e *pgassay.Experiment) int {
	var keys []string
	for _, arm := range e.Arms {
		parts := []string{arm.Postgres, arm.PgBin, arm.Dataset.Builtin, arm.Dataset.InitSQL, arm.Dataset.Schema, arm.Dataset.Load, arm.Dataset.Finish}
		for _, p := range arm.Dataset.Parameters {
			parts = append(parts, p.Name+"="+p.Value)
		}
		parts = append(parts, arm.SQL...)
		for _, s := range arm.Tables {
			if slices.Contains(storedParameters, s.Name) {
				parts = append(parts, s.Table+"."+s.Name+"="+s.Value)
			}
		}
		if key := strings.Join(parts, "\x00"); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return len(keys)
}

// power is the chance with which an effect is to be seen.
const power = 0.9

func detectable(sd float64, blocks int, alpha float64) Detectable {
	if alpha <= 0 {
		alpha = 0.05
	}
	out := Detectable{SD: sd, HalfWidth: math.Inf(1), Effect: math.Inf(1)}
	if blocks < 2 {
		return out
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(blocks - 1)}.Quantile(1 - alpha/2)
	out.HalfWidth = math.Expm1(t * sd / math.Sqrt(float64(blocks)))
	out.Effect = math.Expm1(stats.Detectable(sd, blocks, alpha, power))
	return out
}

// Refusals are the sentences of the cells that cannot show what they are for,
// each once.
func (out Estimation) Refusals() []string {
	var sentences []string
	for _, c := range out.Cells {
		if c.Verdict == CellRefuse && !slices.Contains(sentences, c.Sentence) {
			sentences = append(sentences, c.Sentence)
		}
	}
	return sentences
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
