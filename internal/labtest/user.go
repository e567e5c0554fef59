package labtest

import (
	"os"
	"os/user"
	"strconv"
	"sync"
)

// owner is the account that the servers run as.
type owner struct {
	uid, gid int
	// change says that it is another account than ours.
	change bool
}

// serverUser chooses the account: ourselves, or an unprivileged one when we
// are root, because PostgreSQL refuses to run as root.
var serverUser = sync.OnceValue(func() owner {
	if os.Getuid() != 0 {
		return owner{uid: os.Getuid(), gid: os.Getgid()}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errU := strconv.Atoi(u.Uid)
		gid, errG := strconv.Atoi(u.Gid)
		if errU == nil && errG == nil {
			return owner{uid, gid, true}
		}
	}
	return owner{uid: 65534, gid: 65534, change: true}
})

// give makes the account the owner of a file that we created.
func (o owner) give(path string) error {
	if !o.change {
		return nil
	}
	return os.Lchown(path, o.uid, o.gid)
}
