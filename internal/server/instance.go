package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/dial"
)

// InstanceOptions say how an instance runs.
type InstanceOptions struct {
	Settings []pgassay.Setting
	// MemoryLimitBytes limits the server's memory by a cgroup, 0 for no limit.
	MemoryLimitBytes int64
	// LogPath is where the server's log goes; "" keeps it with the instance.
	LogPath string
	// Keep leaves the data directory when the instance stops ([Instance.Leave]).
	Keep bool
}

// Instance is a running server on a clone of a template.
type Instance struct {
	home    *Home
	build   pgassay.Build
	dir     string
	running *running
	options InstanceOptions
	group   *memoryGroup
	phases  pgassay.Phases
	target  *dial.Target
	stop    sync.Once
}

// Instance clones a template, starts a server on the clone with the settings
// and makes sure that they are in force. When it fails nothing is left.
func (h *Home) Instance(ctx context.Context, t *Template, o InstanceOptions) (i *Instance, err error) {
	if err := needSpace(h.dir, t.Bytes, "a copy of the data"); err != nil {
		return nil, err
	}
	dir, err := h.scratch(instancesDir)
	if err != nil {
		return nil, err
	}
	i = &Instance{home: h, build: t.spec.Build, dir: dir, options: o}
	defer func() {
		if err != nil {
			_, stopErr := i.end()
			err = errors.Join(err, stopErr)
		}
	}()
	began := time.Now()
	c, err := copyTree(ctx, filepath.Join(t.dir, "data"), i.DataDir(), h.user)
	if err != nil {
		return nil, err
	}
	i.phases = pgassay.Phases{RestoreS: time.Since(began).Seconds(), RestoredMB: float64(c.bytes) / (1 << 20), Reflink: c.reflink}
	began = time.Now()
	if err := settle(ctx, dir); err != nil {
		return nil, fmt.Errorf("wait for write-back: %w", err)
	}
	i.phases.SettleS = time.Since(began).Seconds()
	began = time.Now()
	if err := i.boot(ctx); err != nil {
		return nil, err
	}
	i.target = i.running.target.WithDatabase(Superuser)
	if err := i.applyStorage(ctx, t.storage); err != nil {
		return nil, err
	}
	i.phases.StartS = time.Since(began).Seconds()
	return i, nil
}

// boot starts the server and verifies the settings.
func (i *Instance) boot(ctx context.Context) (err error) {
	if i.running, err = i.home.start(ctx, i.build, i.DataDir(), i.LogPath(), i.options.Settings); err != nil {
		return err
	}
	o := self()
	o.Postmaster = i.running.pid
	if err := o.write(i.dir); err != nil {
		return fmt.Errorf("note the server's process: %w", err)
	}
	if i.options.MemoryLimitBytes > 0 {
		if i.group, err = limitMemory(i.running.pid, i.options.MemoryLimitBytes); err != nil {
			return err
		}
	}
	return i.running.session(ctx, Superuser, func(conn *pgx.Conn) error { return verify(ctx, conn, i.options.Settings) })
}

// verify makes sure that every setting comes from our file, is in force and
// waits for no restart, as the server sees it. It cannot be overridden: our
// clusters have no per-database and no per-role settings unless the dataset
// made them, which shows in the source.
func verify(ctx context.Context, conn *pgx.Conn, settings []pgassay.Setting) error {
	for _, s := range settings {
		var setting, source, unit string
		var pending bool
		err := conn.QueryRow(ctx, "SELECT setting, source, coalesce(unit, ''), pending_restart FROM pg_settings WHERE lower(name) = lower($1)", s.Name).
			Scan(&setting, &source, &unit, &pending)
		switch {
		case errors.Is(err, pgx.ErrNoRows) && strings.Contains(s.Name, "."):
			continue // a placeholder for an extension that is not loaded yet
		case errors.Is(err, pgx.ErrNoRows):
			return fmt.Errorf("%w: this server has no setting %s", pgassay.ErrUsage, s.Name)
		case err != nil:
			return fmt.Errorf("verify %s: %w", s.Name, err)
		case source != "configuration file" || pending:
			return pgassay.WithHint(fmt.Errorf("setting %s = %s is not in force: the server says %s%s from %s (pending restart: %v)", s.Name, s.Value, setting, unit, source, pending),
				"Something else sets it: a database's or a role's own settings in the dataset, perhaps.")
		}
	}
	return nil
}

// applyStorage sets the storage parameters that are not part of the template.
func (i *Instance) applyStorage(ctx context.Context, storage []pgassay.StorageSetting) error {
	if len(storage) == 0 {
		return nil
	}
	return i.running.session(ctx, Superuser, func(conn *pgx.Conn) error {
		for _, s := range storage {
			if err := script(ctx, conn, "storage parameter "+s.Table+"."+s.Name, alterStorage(s)); err != nil {
				return err
			}
		}
		return nil
	})
}

// DataDir is the instance's data directory.
func (i *Instance) DataDir() string { return filepath.Join(i.dir, "data") }

// Target is how to connect to the experiment's database.
func (i *Instance) Target() *dial.Target { return i.target }

// PID is the postmaster's process number.
func (i *Instance) PID() int { return i.running.pid }

// LogPath is the server's log.
func (i *Instance) LogPath() string {
	if i.options.LogPath != "" {
		return i.options.LogPath
	}
	return filepath.Join(i.dir, "server.log")
}

// Phases says how long restoring, settling and starting took.
func (i *Instance) Phases() pgassay.Phases { return i.phases }

// Died says that the server ended although nobody stopped it, with its own last
// words; nil while it runs.
func (i *Instance) Died() error {
	if !i.running.ended() {
		return nil
	}
	err := fmt.Errorf("the server ended in the middle of the trial (%v)", i.running.err)
	if words := lastWords(i.LogPath(), 0); words != "" {
		err = fmt.Errorf("%w; its log says: %s", err, words)
	}
	return err
}

// Build is the instance's build.
func (i *Instance) Build() pgassay.Build { return i.build }

// Settings reads pg_settings and the storage parameters in force, from a new
// session like those of the workload.
func (i *Instance) Settings(ctx context.Context) (settings []pgassay.SettingState, storage []pgassay.StorageSetting, err error) {
	err = i.running.session(ctx, Superuser, func(conn *pgx.Conn) error {
		if settings, err = ReadSettings(ctx, conn); err != nil {
			return err
		}
		storage, err = readStorage(ctx, conn)
		return err
	})
	return settings, storage, err
}

// Checkpoint makes a checkpoint and waits for its end.
func (i *Instance) Checkpoint(ctx context.Context) error {
	return i.running.session(ctx, Superuser, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CHECKPOINT")
		return err
	})
}

// Stop stops the server and removes the instance, unless it is to be kept. It
// returns the seconds that stopping took. Calls after the first do nothing.
func (i *Instance) Stop(context.Context) (seconds float64, err error) {
	return i.end()
}

func (i *Instance) end() (seconds float64, err error) {
	i.stop.Do(func() {
		began := time.Now()
		if i.running != nil {
			err = i.running.stop()
		}
		seconds = time.Since(began).Seconds()
		if i.group != nil {
			err = errors.Join(err, i.group.remove())
		}
		if !i.options.Keep || i.running == nil {
			err = errors.Join(err, os.RemoveAll(i.dir))
		}
	})
	return seconds, err
}

// Crash kills every process of the server at once, as a crash would.
func (i *Instance) Crash() error { return i.running.crash() }

// Discard removes a kept instance that has stopped.
func (i *Instance) Discard() error { return os.RemoveAll(i.dir) }

// Leave starts a kept, stopped instance again so that it outlives this process,
// and returns how to connect to it. It owns itself: when that server stops,
// the next pgassay removes its files.
func (i *Instance) Leave(ctx context.Context) (*dial.Target, error) {
	socket := filepath.Join(i.dir, "socket")
	if err := errors.Join(os.Mkdir(socket, 0o700), i.home.user.give(socket)); err != nil {
		return nil, fmt.Errorf("keep server: %w", err)
	}
	known, err := i.home.knownSettings(ctx, i.build)
	if err != nil {
		return nil, err
	}
	if err := i.home.configure(i.DataDir(), socket, known, i.options.Settings); err != nil {
		return nil, err
	}
	// pg_ctl detaches the server from us: it is not our child, gets no signal
	// when we end and writes its own log.
	log := filepath.Join(i.dir, "kept.log")
	if err := i.home.writeFile(log, ""); err != nil {
		return nil, err
	}
	if _, err := i.home.user.run(ctx, i.dir, filepath.Join(i.build.BinDir, "pg_ctl"), "-D", i.DataDir(), "-l", log, "-w", "-t", "60", "start"); err != nil {
		return nil, fmt.Errorf("keep server: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(i.DataDir(), "postmaster.pid"))
	if err != nil {
		return nil, fmt.Errorf("keep server: %w", err)
	}
	var o owner
	if _, err := fmt.Sscan(string(text), &o.PID); err != nil {
		return nil, fmt.Errorf("keep server: %w", err)
	}
	o.Start, _ = startTime(o.PID)
	o.Postmaster = o.PID
	if err := o.write(i.dir); err != nil {
		return nil, fmt.Errorf("keep server: %w", err)
	}
	return dial.Socket(socket, port, Superuser, Superuser), nil
}
