package autovacuum

import "math"

// Work describes one vacuum of a table before it has been done. Dead rows are
// taken to be scattered evenly.
type Work struct {
	HeapPages float64
	// IndexPages is the sum over all Indexes.
	IndexPages float64
	Indexes    int
	// DeadRows leave a dead line pointer that the vacuum removes; NewPages were
	// filled since the last vacuum, at the table's end.
	DeadRows float64
	NewPages float64
	// Cached is the share of pages found in shared buffers, 0 to 1; Clean the
	// share of pages to change that are not dirty already.
	Cached float64
	Clean  float64
}

// Units is what a vacuum is charged for, in pages, and what that costs.
type Units struct {
	Hits, Misses, Dirtied float64
	Cost                  float64
	// Bypassed says that the indexes are left alone because too few pages have
	// dead line pointers.
	Bypassed bool
}

// The constants of lazy vacuum: it skips all-visible pages only in runs of
// skipRun or more, and leaves the indexes alone when fewer than bypassShare of
// the pages have dead line pointers.
const (
	skipRun     = 32
	bypassShare = 0.02
)

// Units predicts a vacuum's charges:
//
//  1. The heap pages it scans: all but those in runs of 32 or more clean pages.
//     A page touched is dirtied when it is pruned.
//  2. Each index once, dirtied where entries go.
//  3. The pages with dead line pointers a second time, dirtied again.
//
// Each page read is a hit or a miss; about one hit more is charged per heap
// page scanned, for the visibility map and the second pin. Steps 2 and 3 are
// left out for a bypass.
func (w Work) Units(p Parameters) Units {
	if w.HeapPages <= 0 {
		return Units{}
	}
	touched := touchedPages(w.HeapPages, w.DeadRows)
	changed := min(touched+w.NewPages, w.HeapPages)
	scanned := w.HeapPages * (1 - skippedShare(1-changed/w.HeapPages))
	u := Units{Bypassed: w.Indexes > 0 && touched < bypassShare*w.HeapPages}
	read, dirtied := scanned, changed
	if w.DeadRows > 0 && w.Indexes > 0 && !u.Bypassed {
		perIndex := w.IndexPages / float64(w.Indexes)
		read += w.IndexPages + touched
		dirtied += float64(w.Indexes)*touchedPages(perIndex, w.DeadRows) + touched
	}
	u.Hits = read*w.Cached + scanned
	u.Misses = read * (1 - w.Cached)
	u.Dirtied = dirtied * w.Clean
	u.Cost = u.Hits*float64(p.PageHit) + u.Misses*float64(p.PageMiss) + u.Dirtied*float64(p.PageDirty)
	return u
}

// Unthrottled estimates the seconds of work without any sleep: about 50,000
// pages a second when they are cached (measured: 48,000 to 62,000).
func (u Units) Unthrottled() float64 {
	return (u.Hits + u.Misses) / pagesPerSecond
}

const pagesPerSecond = 50_000

// touchedPages is the expected number of pages with at least one of so many
// rows scattered evenly over them.
func touchedPages(pages, rows float64) float64 {
	if pages <= 0 {
		return 0
	}
	return pages * -math.Expm1(-rows/pages)
}

// skippedShare is the expected share of pages in runs of skipRun or more clean
// ones, when each page is clean with probability c: c^k (k (1−c) + c).
func skippedShare(c float64) float64 {
	return math.Pow(c, skipRun) * (skipRun*(1-c) + c)
}
