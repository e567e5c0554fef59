package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
)

// settleRounds is how often a template is vacuumed at most until its statistics
// are clean.
const settleRounds = 3

// settleStatistics vacuums and analyzes everything, until no table counts rows
// that await it. A template must begin like a table that is at rest; else the
// first autovacuum of a trial would work off the load.
func (t *Template) settleStatistics(ctx context.Context, r *running) error {
	var unsettled string
	for range settleRounds {
		if err := r.vacuumAll(ctx); err != nil {
			return err
		}
		err := r.session(ctx, Superuser, func(conn *pgx.Conn) (err error) {
			if err = alone(ctx, conn); err != nil {
				return err
			}
			if unsettled, err = unsettledTable(ctx, conn); err != nil || unsettled != "" {
				return err
			}
			t.Relations, err = readRelations(ctx, conn)
			return err
		})
		if err != nil || unsettled == "" {
			return err
		}
	}
	return pgassay.WithHint(fmt.Errorf("vacuum leaves rows behind: %s", unsettled),
		"Something holds back vacuum: a prepared transaction or a replication slot that the dataset's or the arm's SQL has made.")
}

// vacuumAll settles every database of the cluster: what initdb left to do in
// the others would keep autovacuum busy at the start of every trial.
//
// Each database has a session of its own, which waits for the ends of the
// earlier ones: what a session counted can reach the statistics as late as at
// its end, and after a VACUUM it would stand there as work to do (MECHANICS §12).
func (r *running) vacuumAll(ctx context.Context) error {
	for _, database := range []string{"template1", "postgres", Superuser} {
		if err := r.session(ctx, database, func(conn *pgx.Conn) error {
			if err := alone(ctx, conn); err != nil {
				return err
			}
			_, err := conn.Exec(ctx, "VACUUM (FREEZE, ANALYZE)")
			return err
		}); err != nil {
			return fmt.Errorf("vacuum %s: %w", database, err)
		}
	}
	return nil
}

// aloneLimit bounds the wait for the ends of sessions that we have closed.
const aloneLimit = 20 * time.Second

// alone waits until no other client session is left. A session leaves
// pg_stat_activity after it has handed over what it counted.
func alone(ctx context.Context, conn *pgx.Conn) error {
	return poll(ctx, aloneLimit, func() (bool, error) {
		var others int
		err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()").Scan(&others)
		return others == 0, err
	})
}

// collectorLimit is how long the statistics may lag behind: version 14 sends
// them to a collector, which writes them twice a second.
const collectorLimit = 2 * time.Second

// unsettledTable names a table that counts dead rows or rows not yet vacuumed,
// "" when there is none.
func unsettledTable(ctx context.Context, conn *pgx.Conn) (found string, err error) {
	err = poll(ctx, collectorLimit, func() (bool, error) {
		err := conn.QueryRow(ctx, `SELECT format('%s.%s (%s dead, %s inserted since the last vacuum)', schemaname, relname, n_dead_tup, n_ins_since_vacuum)
			FROM pg_stat_user_tables WHERE n_dead_tup > 0 OR n_ins_since_vacuum > 0 ORDER BY n_dead_tup + n_ins_since_vacuum DESC LIMIT 1`).Scan(&found)
		if errors.Is(err, pgx.ErrNoRows) {
			found = ""
			return true, nil
		}
		return false, err
	})
	if err != nil {
		return "", fmt.Errorf("read statistics: %w", err)
	}
	return found, nil
}

// A trial may start when less than settledBytes wait to be written on this
// host, or no more than before the copy. What other programs keep writing does
// not go away by waiting: the wait is over after settleLimit, or when the amount
// has not fallen by a tenth for settlePatience.
const (
	settledBytes   = 64 << 20
	settleLimit    = 10 * time.Second
	settlePatience = time.Second
)

// settle makes what was copied to the file system of dir durable and waits for
// the rest of the write-back, so that it does not overlap a trial. before is
// what waited to be written before the copy. dirty tells how much waits now; an
// error of it means that there is nothing to wait for.
//
// The copy's own pages are clean when the file system has been synced; what the
// wait is for are the writes that the sync has stirred up elsewhere, such as
// those of a loop device or of another file system on the same disk.
func settle(ctx context.Context, dir string, before int64, dirty func() (int64, error)) error {
	if err := syncTree(dir); err != nil {
		return err
	}
	least, progress := int64(math.MaxInt64), time.Now()
	return poll(ctx, settleLimit, func() (bool, error) {
		n, err := dirty()
		if err != nil || n <= max(before, settledBytes) {
			return true, nil
		}
		if n < least-least/10 {
			least, progress = n, time.Now()
		}
		return time.Since(progress) >= settlePatience, nil
	})
}

// poll calls f until it says true, fails, or the limit is over, which is no
// error.
func poll(ctx context.Context, limit time.Duration, f func() (bool, error)) error {
	deadline := time.Now().Add(limit)
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		done, err := f()
		if done || err != nil || time.Now().After(deadline) {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		}
	}
}
