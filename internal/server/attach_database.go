package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
)

// madeByUs marks a database that we created, in its comment.
const madeByUs = "made by pgassay for an experiment; pgassay drops it"

// Load makes the experiment's database new and fills it. A database of that
// name which we did not make is left alone and refused.
func (a *Attached) Load(ctx context.Context, d pgassay.Dataset, storage []pgassay.StorageSetting, sql []string, progress func(string)) error {
	if err := a.drop(ctx); err != nil {
		return err
	}
	if err := a.session(ctx, a.target, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "CREATE DATABASE "+Superuser); err != nil {
			return pgassay.WithHint(fmt.Errorf("create database %s: %w", Superuser, err), "The role needs the right to create databases: ALTER ROLE … CREATEDB.")
		}
		a.made = true
		_, err := conn.Exec(ctx, "COMMENT ON DATABASE "+Superuser+" IS '"+madeByUs+"'")
		return err
	}); err != nil {
		return err
	}
	guard, err := a.Target().Connect(ctx, guardName)
	if err != nil {
		return err
	}
	a.guard = guard
	layout, other := split(storage)
	if err := a.session(ctx, a.Target(), func(conn *pgx.Conn) error {
		if err := load(ctx, conn, d, layout, sql, progress); err != nil {
			return err
		}
		for _, s := range other {
			if err := script(ctx, conn, "storage parameter "+s.Table+"."+s.Name, alterStorage(s)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	progress("vacuum and analyze")
	return a.settle(ctx)
}

// settle vacuums and analyses the experiment's database until no row is left
// to do, so that trials start alike. As in a template, each session waits for
// the ends of the earlier ones, whose counts would come after the VACUUM.
func (a *Attached) settle(ctx context.Context) error {
	unsettled := ""
	for range 3 {
		if err := a.session(ctx, a.Target(), func(conn *pgx.Conn) error {
			if err := aloneHere(ctx, conn); err != nil {
				return err
			}
			_, err := conn.Exec(ctx, "VACUUM (FREEZE, ANALYZE)")
			return err
		}); err != nil {
			return fmt.Errorf("vacuum: %w", err)
		}
		err := a.session(ctx, a.Target(), func(conn *pgx.Conn) (err error) {
			if err = aloneHere(ctx, conn); err != nil {
				return err
			}
			unsettled, err = unsettledTable(ctx, conn)
			return err
		})
		if err != nil || unsettled == "" {
			return err
		}
	}
	return pgassay.WithHint(fmt.Errorf("vacuum leaves rows behind: %s", unsettled),
		"Something on the server holds back vacuum: a long transaction, a prepared one or a replication slot.")
}

// aloneHere waits until our earlier sessions in this database have ended, all
// but the guard.
func aloneHere(ctx context.Context, conn *pgx.Conn) error {
	return poll(ctx, aloneLimit, func() (bool, error) {
		var others int
		err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND application_name LIKE 'pgassay/%' AND application_name <> 'pgassay/' || $1`, guardName).Scan(&others)
		return others == 0, err
	})
}

// guardName is the application name of the guard, without the prefix that dial
// gives to all of ours.
const guardName = "owner"

// drop drops the experiment's database if pgassay made it, and refuses to go on
// if somebody else did or another pgassay is using it.
func (a *Attached) drop(ctx context.Context) error {
	return a.session(ctx, a.target, func(conn *pgx.Conn) error {
		ours, err := a.madeByUs(ctx, conn)
		switch {
		case err != nil:
			return err
		case ours == absent:
			return nil
		case ours == foreign:
			return pgassay.WithHint(fmt.Errorf("%w: %s has a database %s that pgassay did not make", pgassay.ErrRefused, a.target, Superuser),
				"Experiments use a database of this name. Rename or drop it if nobody needs it.")
		}
		if a.guard != nil {
			_ = a.guard.Close(ctx) // the server may have ended it already
			a.guard = nil
		}
		if !a.made {
			used, err := usedByAnother(ctx, conn)
			if err != nil {
				return err
			}
			if used {
				return pgassay.WithHint(fmt.Errorf("%w: another pgassay is using database %s of %s", pgassay.ErrRefused, Superuser, a.target), "Wait until it has ended: two loads at once measure each other.")
			}
		}
		return dropDatabase(ctx, conn)
	})
}

// origin says who made the experiment's database.
type origin int

const (
	absent origin = iota
	ourWork
	foreign
)

func (a *Attached) madeByUs(ctx context.Context, conn *pgx.Conn) (origin, error) {
	var comment *string
	err := conn.QueryRow(ctx, "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = $1", Superuser).Scan(&comment)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return absent, nil
	case err != nil:
		return absent, fmt.Errorf("look for database %s: %w", Superuser, err)
	case comment == nil || *comment != madeByUs:
		return foreign, nil
	}
	return ourWork, nil
}

// guardLimit is how long the sessions of a pgassay that has died may take to
// notice it.
const guardLimit = 5 * time.Second

// usedByAnother says whether sessions of a pgassay stay in the experiment's
// database. Their names can be seen without any right.
func usedByAnother(ctx context.Context, conn *pgx.Conn) (bool, error) {
	used := true
	err := poll(ctx, guardLimit, func() (bool, error) {
		err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE 'pgassay/%' AND pid <> pg_backend_pid())`, Superuser).Scan(&used)
		return !used, err
	})
	if err != nil {
		return false, fmt.Errorf("look who uses database %s: %w", Superuser, err)
	}
	return used, nil
}

func dropDatabase(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "DROP DATABASE "+Superuser+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop database %s: %w", Superuser, err)
	}
	return nil
}
