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
	if _, err := os.Stat(filepath.Join(dir, "PG_VERSION")); err == nil {
		return dir, nil
	}
	unlock, err := h.lock(ctx, "cluster-"+name, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if _, err := os.Stat(filepath.Join(dir, "PG_VERSION")); err == nil {
		return dir, nil
	}
	if err := needSpace(h.dir, 64<<20, "a new cluster"); err != nil {
		return "", err
	}
	scratch, err := h.scratch(clustersDir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	made := filepath.Join(scratch, "data")
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	args := append([]string{"-D", made}, clusterOptions...)
	if _, err := h.user.run(ctx, scratch, filepath.Join(b.BinDir, "initdb"), args...); err != nil {
		return "", diskFull(err)
	}
	include := fmt.Sprintf("# Made by pgassay: all settings are in %s.\ninclude '%s'\n", configFile, configFile)
	if err := h.writeFile(filepath.Join(made, "postgresql.conf"), include); err != nil {
		return "", err
	}
	if err := os.Rename(made, dir); err != nil {
		return "", fmt.Errorf("keep cluster: %w", err)
	}
	return dir, nil
}

// scratch makes a new directory below a part of the home that belongs to the
// servers' account, and marks it as ours. Its name starts with a dot, so that
// nothing takes it for something finished.
func (h *Home) scratch(part string) (string, error) {
	dir, err := os.MkdirTemp(h.path(part), ".new-")
	if err != nil {
		return "", diskFull(fmt.Errorf("make directory: %w", err))
	}
	if err := errors.Join(os.Chmod(dir, 0o700), h.user.give(dir), self().write(dir)); err != nil {
		return "", errors.Join(fmt.Errorf("make directory: %w", err), os.RemoveAll(dir))
	}
	return dir, nil
}
