package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/pgassay/pgassay"
)

// User is the account that servers run as. PostgreSQL refuses to run as root.
type User struct {
	Name     string
	UID, GID int
	// switched says that it is not the account of this process.
	switched bool
	// Warning says what is not ideal about it, "" for nothing.
	Warning string
}

// ChooseUser chooses the account: ourselves, or when we are root the one that
// is wanted, else postgres, else nobody.
func ChooseUser(wanted string, euid int) (*User, error) {
	if euid != 0 {
		if wanted != "" {
			return nil, pgassay.WithHint(fmt.Errorf("%w: only root can run servers as another user", pgassay.ErrUsage), "Leave --pg-user out, or run as root.")
		}
		return &User{Name: strconv.Itoa(euid), UID: euid, GID: os.Getegid()}, nil
	}
	names := []string{wanted}
	if wanted == "" {
		names = []string{"postgres", "nobody"}
	}
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errU := strconv.Atoi(u.Uid)
		gid, errG := strconv.Atoi(u.Gid)
		if errU != nil || errG != nil {
			continue
		}
		if uid == 0 {
			return nil, pgassay.WithHint(fmt.Errorf("%w: --pg-user %s is root, and PostgreSQL refuses to run as root", pgassay.ErrUsage, name), "Name an ordinary user.")
		}
		out := &User{Name: name, UID: uid, GID: gid, switched: true}
		if name == "nobody" && wanted == "" {
			out.Warning = "servers run as the user nobody, which other programs may use too; --pg-user names another"
		}
		return out, nil
	}
	return nil, pgassay.WithHint(fmt.Errorf("%w: no user %q on this host to run servers as", pgassay.ErrUsage, names[0]),
		"PostgreSQL refuses to run as root: name an ordinary user with --pg-user.")
}

// give makes the account the owner of path.
func (u *User) give(path string) error {
	if !u.switched {
		return nil
	}
	return os.Lchown(path, u.UID, u.GID)
}

// open lets the account through a directory of ours, whatever our umask was
// when we made it. One of somebody else is left as it is.
func (u *User) open(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !u.switched || u.may(info, 0o1) || !ok || int(st.Uid) != os.Geteuid() {
		return nil
	}
	if err := os.Chmod(dir, info.Mode().Perm()|0o711); err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	return nil
}

// canEnter checks that the account can reach path: every directory above it
// must let it through.
func (u *User) canEnter(path string) error {
	if !u.switched {
		return nil
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return fmt.Errorf("look at %s: %w", dir, err)
		}
		if !u.may(info, 0o1) {
			return pgassay.WithHint(fmt.Errorf("user %s, as which servers run, cannot enter %s (mode %v)", u.Name, dir, info.Mode().Perm()),
				"Set PGASSAY_HOME to a directory that every user can reach, such as /var/lib/pgassay.")
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// canRun checks that the account can run a program.
func (u *User) canRun(path string) error {
	if !u.switched {
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("find %s: %w", path, err)
	}
	if err := u.canEnter(filepath.Dir(real)); err != nil {
		return pgassay.WithHint(errors.Unwrap(err), "The PostgreSQL build must be reachable for user "+u.Name+": move it, or open its directories (chmod a+x).")
	}
	info, err := os.Stat(real)
	if err != nil {
		return fmt.Errorf("look at %s: %w", real, err)
	}
	if !u.may(info, 0o1) {
		return fmt.Errorf("user %s may not run %s", u.Name, real)
	}
	return nil
}

// may says whether the account has a permission (an octal digit) on a file.
func (u *User) may(info fs.FileInfo, permission fs.FileMode) bool {
	mode := info.Mode().Perm()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		switch {
		case int(st.Uid) == u.UID:
			return mode&(permission<<6) != 0
		case int(st.Gid) == u.GID:
			return mode&(permission<<3) != 0
		}
	}
	return mode&permission != 0
}
