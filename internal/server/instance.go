package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	claim   *claim
	dir     string
	running *running // nil before the first start and after a failed restart
	options InstanceOptions
	group   *memoryGroup
	phases  pgassay.Phases
	target  *dial.Target
	stop    sync.Once
}

// Instance clones a template, starts a server on the clone with the settings
// and makes sure that they are in force. When it fails nothing is left.
func (h *Home) Instance(ctx context.Context, t *Template, o InstanceOptions) (*Instance, error) {
	if err := allowed(o.Settings); err != nil {
		return nil, err
	}
	if err := needSpace(h.dir, t.Bytes, "a copy of the data"); err != nil {
		return nil, err
	}
	scratch, err := h.scratch(instancesDir)
	if err != nil {
		return nil, err
	}
	i := &Instance{home: h, build: t.spec.Build, claim: scratch, dir: scratch.dir, options: o}
	if err := i.restore(ctx, t); err != nil {
		i.options.Keep = false
		_, stopErr := i.end()
		if errors.Is(stopErr, errGone) {
			stopErr = nil // err says why
		}
		return nil, errors.Join(err, stopErr)
	}
	return i, nil
}

// restore clones the template, settles the copy and starts the server.
func (i *Instance) restore(ctx context.Context, t *Template) error {
	before, err := dirtyBytes()
	if err != nil {
		before = 0 // then the wait is short, too
	}
	began := time.Now()
	c, err := copyTree(ctx, filepath.Join(t.dir, "data"), i.DataDir(), i.home.user)
	if err != nil {
		return err
	}
	i.phases = pgassay.Phases{RestoreS: time.Since(began).Seconds(), RestoredMB: float64(c.bytes) / (1 << 20), Reflink: c.reflink}
	began = time.Now()
	if err := settle(ctx, i.dir, before, dirtyBytes); err != nil {
		return fmt.Errorf("wait for write-back: %w", err)
	}
	i.phases.SettleS = time.Since(began).Seconds()
	began = time.Now()
	if err := i.boot(ctx); err != nil {
		return err
	}
	if err := i.applyStorage(ctx, t.storage); err != nil {
		return err
	}
	i.phases.StartS = time.Since(began).Seconds()
	return nil
}

// boot starts the server and verifies the settings.
func (i *Instance) boot(ctx context.Context) (err error) {
	if i.running, err = i.home.start(ctx, i.build, i.DataDir(), i.LogPath(), i.options.Settings); err != nil {
		return err
	}
	i.target = i.running.target.WithDatabase(Superuser)
	if i.options.MemoryLimitBytes > 0 {
		if i.group == nil {
			i.group, err = limitMemory(i.running.pid, i.options.MemoryLimitBytes)
		} else {
			err = i.group.add(i.running.pid)
		}
		if err != nil {
			return err
		}
	}
	return i.running.session(ctx, Superuser, func(conn *pgx.Conn) error { return verify(ctx, conn, i.options.Settings) })
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

// PID is the postmaster's process number, 0 when a restart has failed.
func (i *Instance) PID() int {
	if i.running == nil {
		return 0
	}
	return i.running.pid
}

// LogPath is the server's log.
func (i *Instance) LogPath() string {
	if i.options.LogPath != "" {
		return i.options.LogPath
	}
	return filepath.Join(i.dir, "server.log")
}

// Phases says how long restoring, settling and starting took.
func (i *Instance) Phases() pgassay.Phases { return i.phases }

// diedWait is how long the end of a server may take that is ending already.
const diedWait = 3 * time.Second

// Died says that the server ended although nobody stopped it, with its own last
// words; nil while it runs.
func (i *Instance) Died() error {
	if i.running == nil {
		return nil
	}
	// The connections of a server that is killed break before its last process
	// has gone: somebody who asks because of that waits for it.
	select {
	case <-i.running.done:
	case <-time.After(diedWait):
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
	err = i.session(ctx, func(conn *pgx.Conn) error {
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
	return i.session(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CHECKPOINT")
		return err
	})
}

// errNotRunning is what is left after a restart that failed.
var errNotRunning = errors.New("the server is not running")

// session calls f with a connection to the experiment's database.
func (i *Instance) session(ctx context.Context, f func(*pgx.Conn) error) error {
	if i.running == nil {
		return errNotRunning
	}
	return i.running.session(ctx, Superuser, f)
}

// Stop stops the server and removes the instance, unless it is to be kept. It
// returns the seconds that stopping took. A server that had ended before, or
// had to be killed, is an error, and nothing is left all the same. Calls after
// the first do nothing.
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
		if errors.Is(err, errImmediate) && !i.options.Keep {
			err = nil // what a checkpoint would have written is removed now
		}
		if i.group != nil {
			err = errors.Join(err, i.group.remove())
		}
		if !i.options.Keep || i.running == nil {
			err = errors.Join(err, removeSocket(i.dir), i.claim.remove())
		}
	})
	return seconds, err
}

// Crash kills every process of the server at once, as a crash would.
func (i *Instance) Crash() error {
	if i.running == nil {
		return errNotRunning
	}
	return i.running.crash()
}

// Discard removes a kept instance. What [Instance.Leave] may have started
// before it failed is ended first.
func (i *Instance) Discard() error {
	if err := killServer(i.DataDir(), stopLimits.kill); err != nil {
		return err
	}
	return errors.Join(removeSocket(i.dir), i.claim.remove())
}

// keptLog is the log of a server that outlives us.
const keptLog = "kept.log"

// Leave starts a kept, stopped instance again so that it outlives this process,
// and returns how to connect to it. It owns itself: when that server stops,
// the next pgassay removes its files.
func (i *Instance) Leave(ctx context.Context) (*dial.Target, error) {
	socket, err := i.home.socketDir(i.dir)
	if err != nil {
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
	// when we end and writes its own log. It puts the paths between double quotes
	// of a shell, so they are relative: a home may have quotes in its name.
	if err := i.home.writeFile(filepath.Join(i.dir, keptLog), ""); err != nil {
		return nil, err
	}
	if _, err := i.home.user.run(ctx, i.dir, filepath.Join(i.build.BinDir, "pg_ctl"), "-D", filepath.Base(i.DataDir()), "-l", keptLog, "-w", "-t", "60", "start"); err != nil {
		err = fmt.Errorf("keep server: %w", err)
		if words := lastWords(filepath.Join(i.dir, keptLog), 0); words != "" {
			err = fmt.Errorf("%w; its log says: %s", err, words)
		}
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(i.DataDir(), "postmaster.pid"))
	if err != nil {
		return nil, fmt.Errorf("keep server: %w", err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		return nil, fmt.Errorf("keep server: %w", err)
	}
	if err := i.claim.handOver(pid); err != nil {
		return nil, fmt.Errorf("keep server: %w", err)
	}
	return dial.Socket(socket, port, Superuser, Superuser), nil
}
