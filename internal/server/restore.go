package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
	"github.com/pgassay/pgassay/internal/server/journal"
)

// Restore puts every setting back and drops the experiment's database. It may
// be called more than once.
func (a *Attached) Restore(ctx context.Context) error {
	var errs []error
	if a.journal != nil {
		errs = append(errs, a.session(ctx, a.target, func(conn *pgx.Conn) error {
			if _, err := a.putBack(ctx, conn, nil); err != nil {
				return err
			}
			_, err := conn.Exec(ctx, "SELECT pg_reload_conf()")
			return err
		}))
		if errors.Join(errs...) == nil {
			errs = append(errs, a.journal.Remove())
			a.journal = nil
		}
	}
	if a.made {
		err := a.drop(ctx)
		a.made = err != nil
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return pgassay.WithHint(fmt.Errorf("restore %s: %w", a.target, err), "What was changed is in the journal: `pgassay restore` with the same connection puts it back.")
	}
	return nil
}

// Restored is one journal whose changes were put back.
type Restored struct {
	Server  string   `json:"server"`
	Changes []string `json:"changes"`
}

// RestorePending puts back what dead runs left changed on the server behind
// target, and drops the experiment's database if one of them left it and no
// pgassay uses it.
func RestorePending(ctx context.Context, target *dial.Target, journalDir string) (out []Restored, err error) {
	a := &Attached{target: target}
	conn, err := target.Connect(ctx, "restore")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if err := a.identify(ctx, conn); err != nil {
		return nil, err
	}
	entries, err := journal.List(journalDir)
	for _, e := range entries {
		here, hereErr := a.concerns(ctx, conn, e)
		if hereErr != nil || !here {
			err = errors.Join(err, hereErr)
			continue
		}
		j, openErr := journal.Resume(e.Path)
		if openErr != nil {
			err = errors.Join(err, openErr)
			continue
		}
		r := Restored{Server: e.Server.Address}
		for _, c := range e.Pending {
			r.Changes = append(r.Changes, c.Undo())
		}
		undoErr := undo(ctx, j, conn, func(string) bool { return false })
		if undoErr == nil {
			undoErr = j.Remove()
			out = append(out, r)
		}
		err = errors.Join(err, undoErr)
	}
	if len(out) > 0 {
		_, reloadErr := conn.Exec(ctx, "SELECT pg_reload_conf()")
		err = errors.Join(err, reloadErr)
	}
	dropped, dropErr := a.dropLeftover(ctx, conn)
	if dropped {
		out = append(out, Restored{Server: a.identity.Address, Changes: []string{"DROP DATABASE " + Superuser}})
	}
	return out, errors.Join(err, dropErr)
}

// concerns says whether a journal is about this server and its process has
// ended. A copy of a cluster has the same identifier: at another address it is
// taken for the same server only if it has one of our changes. (A crash may
// have come before a change that was already noted.)
func (a *Attached) concerns(ctx context.Context, conn *pgx.Conn, e journal.Entry) (bool, error) {
	if e.Alive || e.Server.SystemIdentifier != a.identity.SystemIdentifier {
		return false, nil
	}
	if e.Server.Address == a.identity.Address {
		return true, nil
	}
	last := map[string]string{}
	for _, c := range e.Pending {
		if c.Kind == journal.AlterSystem {
			last[c.Name] = c.After.Text
		}
	}
	for name, text := range last {
		line, err := autoConf(ctx, conn, name)
		if err != nil || line.Present && line.Text == text {
			return err == nil, err
		}
	}
	return false, nil // no change was made, or this is a copy
}

// dropLeftover drops the experiment's database if pgassay made it and does not
// use it.
func (a *Attached) dropLeftover(ctx context.Context, conn *pgx.Conn) (bool, error) {
	if ours, err := a.madeByUs(ctx, conn); err != nil || ours != ourWork {
		return false, err
	}
	if used, err := usedByAnother(ctx, conn); err != nil || used {
		return false, err
	}
	err := dropDatabase(ctx, conn)
	return err == nil, err
}
