package pglog

import (
	"strings"
	"time"

	"github.com/pgassay/pgassay"
)

// Vacuum is a finished automatic vacuum of one table. Counts that its line
// does not hold are -1.
type Vacuum struct {
	At         time.Time // when it ended
	PID        int
	Relation   Relation
	Aggressive bool
	Wraparound bool // "to prevent wraparound"

	IndexScans      float64
	PagesRemoved    float64
	PagesRemain     float64
	PagesScanned    float64 // 15+
	PagesEager      float64 // eagerly scanned, 18+
	TuplesRemoved   float64
	TuplesRemain    float64
	NotRemovable    float64 // dead but not yet removable
	TuplesMissed    float64 // not removed for want of a cleanup lock, 15+
	FrozenPages     float64 // 16+
	FrozenTuples    float64 // 16+
	VisiblePages    float64 // set all-visible, 18+
	AllFrozenPages  float64 // set all-frozen, 18+
	DeadItems       float64 // dead item identifiers found
	DeadItemPages   float64
	CutoffAge       float64 // XIDs that the removable cutoff was old at the end, 15+
	MemoryResets    float64 // times the store of dead items was full, 19+
	ParallelWorkers float64 // launched for index vacuuming, 19+
	// IndexScan is "needed", "not needed", "bypassed" or "bypassed by failsafe";
	// "" when the line does not say.
	IndexScan string
	Indexes   []IndexPages
	Usage     Usage
	// Unknown are the lines of the body that no version up to 19 writes.
	Unknown []string
}

// IndexPages is what a vacuum says about one index.
type IndexPages struct {
	Name                                       string
	Pages, NewlyDeleted, Deleted, ReusablePage float64
}

// parseVacuum reads "automatic [aggressive ]vacuum [to prevent wraparound ]of
// table "db.schema.table": index scans: N" and the body below it.
func parseVacuum(rec Record) (Entry, bool) {
	rest, ok := strings.CutPrefix(rec.Message, "automatic ")
	if !ok {
		return nil, false
	}
	v := &Vacuum{At: rec.Time, PID: rec.PID, Usage: unknownUsage()}
	for _, n := range v.optional() {
		*n = -1
	}
	rest, v.Aggressive = cutWord(rest, "aggressive ")
	if rest, ok = strings.CutPrefix(rest, "vacuum "); !ok {
		return nil, false
	}
	rest, v.Wraparound = cutWord(rest, "to prevent wraparound ")
	if rest, ok = strings.CutPrefix(rest, `of table "`); !ok {
		return nil, false
	}
	name, body, ok := cutHead(rest, `": index scans: `)
	if !ok {
		return nil, false
	}
	v.Relation = Relation(name)
	first, body, _ := strings.Cut(body, "\n")
	if !words(first, "#", &v.IndexScans) {
		return nil, false
	}
	for _, l := range bodyLines(body) {
		if !v.line(l) && !v.Usage.line(l) {
			v.Unknown = append(v.Unknown, l)
		}
	}
	return v, true
}

// optional are the counts that not every version's line holds.
func (v *Vacuum) optional() []*float64 {
	return []*float64{
		&v.PagesRemoved, &v.PagesRemain, &v.PagesScanned, &v.PagesEager, &v.TuplesRemoved, &v.TuplesRemain,
		&v.NotRemovable, &v.TuplesMissed, &v.FrozenPages, &v.FrozenTuples, &v.VisiblePages, &v.AllFrozenPages,
		&v.DeadItems, &v.DeadItemPages, &v.CutoffAge, &v.MemoryResets, &v.ParallelWorkers,
	}
}

// line takes in one line of the body other than those of usage.
func (v *Vacuum) line(l string) bool {
	var pages, items float64
	switch {
	case words(l, "pages: # removed, # remain", &v.PagesRemoved, &v.PagesRemain):
		find(l, "remain, # scanned", &v.PagesScanned)
		find(l, "total), # eagerly scanned", &v.PagesEager)
	case words(l, "tuples: # removed, # remain, # are dead but not yet removable", &v.TuplesRemoved, &v.TuplesRemain, &v.NotRemovable):
	case words(l, "tuples missed: # dead from # pages", &v.TuplesMissed):
	case words(l, "removable cutoff: #, which was # XIDs old", nil, &v.CutoffAge):
	case strings.HasPrefix(l, "new relfrozenxid: "), strings.HasPrefix(l, "new relminmxid: "):
	case words(l, "frozen: # pages from table (#% of total) had # tuples frozen", &v.FrozenPages, nil, &v.FrozenTuples):
	case words(l, "visibility map: # pages set all-visible, # pages set all-frozen", &v.VisiblePages, &v.AllFrozenPages):
	case strings.HasPrefix(l, "index scan "):
		verdict, rest, ok := strings.Cut(l[len("index scan "):], ": ")
		if !ok || !words(rest, "# pages from table (*) ha", &pages) || !find(rest, ") ha* # dead item identifiers", &items) {
			return false
		}
		v.IndexScan, v.DeadItemPages, v.DeadItems = verdict, pages, items
	case strings.HasPrefix(l, `index "`):
		return v.index(l[len(`index "`):])
	case words(l, "parallel workers: index vacuum: # planned, # launched", nil, &v.ParallelWorkers):
	case strings.HasPrefix(l, "parallel workers: "), strings.HasPrefix(l, "index cleanup: "):
	case words(l, "memory usage: dead item storage # MB accumulated across # reset", nil, &v.MemoryResets):
	default:
		return false
	}
	return true
}

// index reads `name": pages: T in total, …`.
func (v *Vacuum) index(l string) bool {
	const mark = `": pages: `
	i := strings.LastIndex(l, mark)
	if i < 0 {
		return false
	}
	x := IndexPages{Name: l[:i]}
	if !words(l[i+len(mark):], "# in total, # newly deleted, # currently deleted, # reusable", &x.Pages, &x.NewlyDeleted, &x.Deleted, &x.ReusablePage) {
		return false
	}
	v.Indexes = append(v.Indexes, x)
	return true
}

// Event converts to an autovacuum event; see [Entry].
func (v *Vacuum) Event(zero time.Time, database string) (pgassay.Event, bool) {
	n := numbers{}
	n.put("index_scans", v.IndexScans)
	n.put("pages_removed", v.PagesRemoved)
	n.put("pages_remain", v.PagesRemain)
	n.put("pages_scanned", v.PagesScanned)
	n.put("tuples_removed", v.TuplesRemoved)
	n.put("tuples_remain", v.TuplesRemain)
	n.put("tuples_not_removable", v.NotRemovable)
	n.put("frozen_pages", v.FrozenPages)
	n.put("dead_items", v.DeadItems)
	n.flag("aggressive", v.Aggressive)
	n.flag("wraparound", v.Wraparound)
	n.usage(v.Usage)
	text := "automatic vacuum"
	switch {
	case v.Aggressive && v.Wraparound:
		text = "automatic aggressive vacuum to prevent wraparound"
	case v.Aggressive:
		text = "automatic aggressive vacuum"
	case v.Wraparound:
		text = "automatic vacuum to prevent wraparound"
	}
	if v.IndexScan != "" {
		text += ", index scan " + v.IndexScan
	}
	return pgassay.Event{
		At: v.At.Sub(zero).Nanoseconds(), Duration: nanoseconds(v.Usage.ElapsedS), Kind: pgassay.EventAutovacuum,
		Object: v.Relation.objectIn(database), Text: text, Numbers: n,
	}, true
}
