package autovacuum

import "math"

// Table is what pg_class says of a table, as of its last vacuum or analyze.
type Table struct {
	// Tuples is reltuples; -1 (never counted) works like 0.
	Tuples float64
	Pages  int64
	// AllFrozen is relallfrozen (18 and later), 0 or less when unknown.
	AllFrozen int64
}

// Thresholds are the triggers of one table in rows. A counter has to exceed a
// trigger, not only to reach it.
type Thresholds struct {
	Dead    float64
	Insert  float64 // infinite when inserts never trigger a vacuum
	Analyze float64
}

// Thresholds computes a table's triggers:
//
//	dead    = threshold + scale factor × reltuples, from 18 on at most the maximum threshold
//	insert  = insert threshold + insert scale factor × reltuples (× the unfrozen share from 18 on)
//	analyze = analyze threshold + analyze scale factor × reltuples
//
// The server computes in single precision, and so does this: with billions of
// rows a trigger is off by hundreds of rows, in the same way as the server's.
func (r Rules) Thresholds(t Table, p Parameters) Thresholds {
	tuples := float32(max(t.Tuples, 0))
	out := Thresholds{
		Dead:    scaled(p.VacuumThreshold, p.VacuumScale, tuples),
		Insert:  math.Inf(1),
		Analyze: scaled(p.AnalyzeThreshold, p.AnalyzeScale, tuples),
	}
	if r.CappedDead && p.MaxThreshold >= 0 {
		out.Dead = min(out.Dead, p.MaxThreshold)
	}
	if p.InsertThreshold >= 0 {
		out.Insert = float64(float32(p.InsertThreshold) + float32(float32(float32(p.InsertScale)*tuples)*r.unfrozen(t)))
	}
	return out
}

// scaled is base + scale × tuples; each step is rounded to single precision, so
// that no compiler fuses the two.
func scaled(base, scale float64, tuples float32) float64 {
	return float64(float32(base) + float32(float32(scale)*tuples))
}

// unfrozen is the share of the table's pages that the insert trigger counts.
func (r Rules) unfrozen(t Table) float32 {
	if !r.UnfrozenInserts || t.Pages <= 0 || t.AllFrozen <= 0 {
		return 1
	}
	return 1 - float32(min(t.AllFrozen, t.Pages))/float32(t.Pages)
}

// Counts are the rows counted in the cumulative statistics since the table's
// last vacuum (Dead, Inserted) and its last analyze (Modified).
type Counts struct {
	Dead, Inserted, Modified float64
}

// Due says which triggers have been exceeded.
type Due struct {
	Dead, Insert, Analyze bool
}

// Due holds the counts against the triggers.
func (t Thresholds) Due(c Counts) Due {
	return Due{Dead: c.Dead > t.Dead, Insert: c.Inserted > t.Insert, Analyze: c.Modified > t.Analyze}
}
