package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pgassay/pgassay"
)

// memoryGroup is a cgroup that limits a server's memory.
type memoryGroup struct{ dir string }

// cgroupRoots are where the memory controller may be, its file for a limit, and
// a file that only such a root has, with a word that it must hold. On a host
// with version 1, /sys/fs/cgroup is an ordinary directory.
var cgroupRoots = []struct{ dir, limit, proof, word string }{
	{"/sys/fs/cgroup", "memory.max", "cgroup.subtree_control", "memory"},            // version 2
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.limit_in_bytes", ""}, // version 1
}

// CanLimitMemory says why a memory limit is not possible on this host, nil
// when it is.
func CanLimitMemory() error {
	g, err := newMemoryGroup(1 << 30)
	if err != nil {
		return err
	}
	return g.remove()
}

// limitMemory moves a server that has just started into a cgroup of its own.
// Its later children are born there.
func limitMemory(pid int, bytes int64) (*memoryGroup, error) {
	g, err := newMemoryGroup(bytes)
	if err != nil {
		return nil, err
	}
	if err := g.add(pid); err != nil {
		return nil, errors.Join(fmt.Errorf("limit memory: %w", err), g.remove())
	}
	return g, nil
}

// add moves a server: the postmaster first, so that what it forks from now on
// is born inside, then the children that it has. A child may have just ended.
func (g *memoryGroup) add(pid int) error {
	procs := filepath.Join(g.dir, "cgroup.procs")
	if err := os.WriteFile(procs, []byte(strconv.Itoa(pid)), 0); err != nil {
		return err
	}
	for _, p := range descendants(pid) {
		if err := os.WriteFile(procs, []byte(strconv.Itoa(p)), 0); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

func newMemoryGroup(bytes int64) (*memoryGroup, error) {
	var errs []error
	for _, root := range cgroupRoots {
		proof, err := os.ReadFile(filepath.Join(root.dir, root.proof))
		if err != nil || !slices.Contains(append(strings.Fields(string(proof)), ""), root.word) {
			errs = append(errs, fmt.Errorf("%s has no memory controller for us", root.dir))
			continue
		}
		dir := filepath.Join(root.dir, fmt.Sprintf("%s%d-%d", groupPrefix, os.Getpid(), time.Now().UnixNano()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			errs = append(errs, err)
			continue
		}
		err = os.WriteFile(filepath.Join(dir, root.limit), []byte(strconv.FormatInt(bytes, 10)), 0)
		if err == nil {
			return &memoryGroup{dir}, nil
		}
		errs = append(errs, err, os.Remove(dir))
	}
	return nil, pgassay.WithHint(fmt.Errorf("%w: this host cannot limit the server's memory: %w", pgassay.ErrUsage, errors.Join(errs...)),
		"Take limits.memory out, or run as root where the memory controller of cgroups is available.")
}

// remove removes the group; its processes must have ended.
func (g *memoryGroup) remove() error {
	var err error
	for range 50 { // the kernel may need a moment to see that they ended
		if err = os.Remove(g.dir); err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("remove memory limit: %w", err)
}

// groupPrefix begins the name of a group; our process number follows.
const groupPrefix = "pgassay-"

// removeStaleGroups removes groups of dead owners. One that still holds a
// process cannot be removed and stays.
func removeStaleGroups() {
	for _, root := range cgroupRoots {
		dirs, _ := filepath.Glob(filepath.Join(root.dir, groupPrefix+"*")) // the pattern is valid
		for _, dir := range dirs {
			text, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), groupPrefix), "-")
			pid, err := strconv.Atoi(text)
			if err != nil || pid == os.Getpid() {
				continue
			}
			if _, alive := processStart(pid); !alive {
				_ = os.Remove(dir)
			}
		}
	}
}
