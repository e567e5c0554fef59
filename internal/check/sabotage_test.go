package check_test

import "github.com/pgassay/pgassay"

// insertOnly turns a trial into one of an insert-only load: 100,000 rows, and
// vacuums by the insert trigger (21,000).
func insertOnly(rec *pgassay.TrialRecord) {
	a := &rec.After.Relations[0]
	a.Inserted, a.LiveRows, a.Updated, a.DeadRows = 200_000, 200_000, 0, 0
	rec.Events = nil
	for i := int64(1); i <= 4; i++ {
		rec.Events = append(rec.Events, vacuumAt(i*14*second, second/2, 0))
	}
}
