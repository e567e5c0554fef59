package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay"
)

// reloadLimit is the longest wait for a reload to reach new sessions.
var reloadLimit = 10 * time.Second

// Apply gives a running instance other settings (the whole list: what is not in
// it returns to its default), with a reload or a restart as the settings that
// differ demand, and verifies them from a new session. restarted says that the
// server has a new process and old connections are gone. After an error the
// server may be down or have old settings: stop the instance.
func (i *Instance) Apply(ctx context.Context, settings []pgassay.Setting) (restarted bool, err error) {
	if i.running == nil || i.running.ended() {
		return false, errors.New("apply settings: the server is not running")
	}
	catalogue, err := i.home.Catalogue(ctx, i.build)
	if err != nil {
		return false, err
	}
	for _, s := range settings {
		if !catalogue.Known(s.Name) && !strings.Contains(s.Name, ".") {
			return false, fmt.Errorf("%w: PostgreSQL %s has no setting %s", pgassay.ErrUsage, i.build.Version, s.Name)
		}
	}
	old := i.options.Settings
	if catalogue.needRestart(old, settings) {
		return true, i.restart(ctx, settings)
	}
	if err := i.home.configure(i.DataDir(), i.target.Host(), catalogue.Known, settings); err != nil {
		return false, err
	}
	i.options.Settings = settings
	if err := i.running.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		return false, fmt.Errorf("reload: %w", err)
	}
	return false, i.reloaded(ctx)
}

// needRestart says whether two lists differ in a setting that is only read when
// the server starts. What an extension brings is taken for one: its context is
// not known before it is loaded.
func (c *Catalogue) needRestart(old, settings []pgassay.Setting) bool {
	values := map[string][2]string{}
	for k, list := range [2][]pgassay.Setting{old, settings} {
		for _, s := range list {
			v := values[strings.ToLower(s.Name)]
			v[k] = "=" + s.Value
			values[strings.ToLower(s.Name)] = v
		}
	}
	context := map[string]string{}
	for _, s := range c.Settings {
		context[strings.ToLower(s.Name)] = s.Context
	}
	for name, v := range values {
		if v[0] != v[1] && (context[name] == "postmaster" || context[name] == "") {
			return true
		}
	}
	return false
}

// restart stops the server and starts it with other settings.
func (i *Instance) restart(ctx context.Context, settings []pgassay.Setting) error {
	if err := allowed(settings); err != nil {
		return err
	}
	if err := i.running.stop(); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	i.running = nil
	i.options.Settings = settings
	if err := i.boot(ctx); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return nil
}

// reloaded waits until new sessions have the settings: a signal says nothing
// about when it was heeded.
func (i *Instance) reloaded(ctx context.Context) error {
	var last error
	err := poll(ctx, reloadLimit, func() (bool, error) {
		last = i.running.session(ctx, Superuser, func(conn *pgx.Conn) error { return verify(ctx, conn, i.options.Settings) })
		return last == nil, nil
	})
	return errors.Join(err, last)
}
