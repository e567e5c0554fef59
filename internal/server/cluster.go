package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pgassay/pgassay"
)

// buildIdentity identifies a build by its binary: replacing it gives another
// identity.
func buildIdentity(b pgassay.Build) (string, error) {
	path, err := filepath.EvalSymlinks(filepath.Join(b.BinDir, "postgres"))
	if err != nil {
		return "", fmt.Errorf("find server program: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("find server program: %w", err)
	}
	return fmt.Sprintf("%s %s %d %d", b.Version, path, info.Size(), info.ModTime().UnixNano()), nil
}

// shortHash is enough of a SHA-256 to name a directory.
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:10])
}

// clusterOptions are initdb's. There is no password: who can reach the socket
// decides. The locale is C, which every host has; the data are UTF-8.
var clusterOptions = []string{"-U", Superuser, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"}

// initdbLimit is the longest that initdb may take; it needs 3 s on a busy machine.
const initdbLimit = 2 * time.Minute

// cluster returns the initdb'ed data directory of a build, made on first use.
// It is never started: servers run on copies.
func (h *Home) cluster(ctx context.Context, b pgassay.Build) (dir string, err error) {
	identity, err := buildIdentity(b)
	if err != nil {
		return "", err
	}
	if err := h.user.canRun(filepath.Join(b.BinDir, "postgres")); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s-%s", b.Version, shortHash(identity+fmt.Sprint(clusterOptions, h.user.UID)))
	dir = h.path(clustersDir, name)
	there := func() bool {
		_, err := os.Stat(filepath.Join(dir, "PG_VERSION"))
		return err == nil
	}
	if err := h.keep(ctx, "cluster-"+name, nil, there, func() error { return h.initdb(ctx, b, dir) }); err != nil {
		return "", err
	}
	return dir, nil
}

// initdb makes an empty cluster.
func (h *Home) initdb(ctx context.Context, b pgassay.Build, dir string) (err error) {
	if err := needSpace(h.dir, 64<<20, "a new cluster"); err != nil {
		return err
	}
	scratch, err := h.scratch(clustersDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.remove()) }()
	made := filepath.Join(scratch.dir, "data")
	ctx, cancel := context.WithTimeoutCause(ctx, initdbLimit, fmt.Errorf("it took longer than %v", initdbLimit))
	defer cancel()
	args := append([]string{"-D", made}, clusterOptions...)
	if out, err := h.user.run(ctx, scratch.dir, filepath.Join(b.BinDir, "initdb"), args...); err != nil {
		if toldFull(string(out)) {
			return pgassay.WithHint(fmt.Errorf("%w: %w", errNoSpace, err), diskFullHint)
		}
		return err
	}
	include := fmt.Sprintf("# Made by pgassay: all settings are in %s.\ninclude '%s'\n", configFile, configFile)
	if err := h.writeFile(filepath.Join(made, "postgresql.conf"), include); err != nil {
		return err
	}
	if err := syncTree(scratch.dir); err != nil {
		return fmt.Errorf("keep cluster: %w", err)
	}
	if err := os.Rename(made, dir); err != nil {
		return fmt.Errorf("keep cluster: %w", err)
	}
	return nil
}

// scratch makes a new directory below a part of the home, for this process and
// the servers' account. Its name starts with a dot, so that nothing takes it for
// something finished.
func (h *Home) scratch(part string) (*claim, error) {
	dir, err := os.MkdirTemp(h.path(part), ".new-")
	if err != nil {
		return nil, diskFull(fmt.Errorf("make directory: %w", err))
	}
	if err := errors.Join(os.Chmod(dir, 0o700), h.user.give(dir)); err != nil {
		return nil, errors.Join(fmt.Errorf("make directory: %w", err), os.RemoveAll(dir))
	}
	c, err := claimDir(dir)
	if err != nil {
		return nil, errors.Join(diskFull(err), os.RemoveAll(dir))
	}
	return c, nil
}
