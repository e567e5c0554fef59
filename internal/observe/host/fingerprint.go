package host

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pgassay/pgassay"
)

// unknown stands for what this system does not tell.
const unknown = "unknown"

// sysctls are the kernel parameters that change what a database server does.
var sysctls = []string{
	"vm.dirty_background_bytes", "vm.dirty_background_ratio", "vm.dirty_bytes", "vm.dirty_expire_centisecs", "vm.dirty_ratio",
	"vm.dirty_writeback_centisecs", "vm.nr_hugepages", "vm.overcommit_memory", "vm.overcommit_ratio", "vm.swappiness", "vm.zone_reclaim_mode",
	"kernel.numa_balancing", "kernel.sched_autogroup_enabled",
}

// Fingerprint describes this host, the file system of dataDir ("" leaves it
// out) and pgassay's own version. It never fails: what cannot be read is
// "unknown" or absent. Builds, Options and Reflink are left to those who know.
func Fingerprint(ctx context.Context, dataDir, toolVersion string) pgassay.Fingerprint {
	f := pgassay.Fingerprint{
		Tool: toolVersion, OS: osName("/etc/os-release"), Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		Kernel: unknown, CPUModel: unknown, FileSystem: unknown,
	}
	f.Hostname, _ = os.Hostname()
	h, err := Open("", "")
	if err != nil || ctx.Err() != nil {
		return f
	}
	if dataDir != "" {
		if abs, err := filepath.Abs(dataDir); err == nil {
			dataDir = abs
		}
		if real, err := filepath.EvalSymlinks(dataDir); err == nil {
			dataDir = real
		}
	}
	h.Describe(&f, dataDir)
	return f
}

// Describe fills in what /proc and /sys say: kernel, CPU, memory, boot,
// hypervisor, clock, kernel parameters and the file system of dataDir (absolute
// and without symbolic links, "" leaves it out).
func (h *Host) Describe(f *pgassay.Fingerprint, dataDir string) {
	if v := h.text("sys", "kernel", "osrelease"); v != "" {
		f.Kernel = v
	}
	if c, err := h.CPU(); err == nil && c.CPUs > 0 {
		f.CPUs = c.CPUs
	}
	if m, err := h.Memory(); err == nil {
		f.Memory = m.TotalBytes
	}
	f.BootID = h.BootID()
	virtual := false
	f.CPUModel, virtual = h.cpuModel(f.CPUModel)
	f.Virtual = h.hypervisor(virtual)
	f.Clock = h.sysText("devices/system/clocksource/clocksource0/current_clocksource")
	f.Sysctl = map[string]string{}
	set := func(name, value string) {
		if value != "" {
			f.Sysctl[name] = value
		}
	}
	for _, name := range sysctls {
		set(name, h.text("sys", strings.ReplaceAll(name, ".", "/")))
	}
	set("transparent_hugepage", chosen(h.sysText("kernel/mm/transparent_hugepage/enabled")))
	set("cpu.governor", h.sysText("devices/system/cpu/cpu0/cpufreq/scaling_governor"))
	set("cpu.smt", h.sysText("devices/system/cpu/smt/control"))
	if dataDir == "" {
		return
	}
	m, err := h.Mount(dataDir)
	if err != nil {
		return
	}
	f.FileSystem, f.Device, f.MountFlags = m.FileSystem, m.Device, m.Options
	for _, q := range []string{"scheduler", "write_cache", "rotational", "read_ahead_kb"} {
		// A partition has its queue one level up. The path goes through a
		// symbolic link, so it must not be cleaned.
		v := h.sysText("dev/block", m.Number, "queue", q)
		if b, err := os.ReadFile(h.sys + "/dev/block/" + m.Number + "/../queue/" + q); v == "" && err == nil {
			v = strings.TrimSpace(string(b))
		}
		set("block."+q, chosen(v))
	}
}

// cpuModel is the first CPU's name, and whether the kernel sees a hypervisor.
func (h *Host) cpuModel(otherwise string) (model string, virtual bool) {
	model = otherwise
	for _, l := range strings.Split(h.text("cpuinfo"), "\n") {
		key, value, ok := strings.Cut(l, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok:
		case (key == "model name" || key == "Model" || key == "cpu model") && model == otherwise:
			model = value
		case key == "flags":
			return model, strings.Contains(" "+value+" ", " hypervisor ")
		}
	}
	return model, false
}

// hypervisor names what the machine runs on: the maker and product of its
// firmware, or the kernel's word; "" on bare metal.
func (h *Host) hypervisor(flag bool) string {
	if t := h.sysText("hypervisor/type"); t != "" {
		return t
	}
	if !flag {
		return ""
	}
	vendor, product := h.sysText("class/dmi/id/sys_vendor"), h.sysText("class/dmi/id/product_name")
	if name := strings.TrimSpace(vendor + " " + product); name != "" {
		return name
	}
	return "unknown hypervisor"
}

// chosen returns the word in brackets of a sysfs choice such as
// "always [madvise] never", or the text as it is.
func chosen(s string) string {
	if _, after, ok := strings.Cut(s, "["); ok {
		if word, _, ok := strings.Cut(after, "]"); ok {
			return word
		}
	}
	return s
}

// osName is the distribution's name, or that of the operating system.
func osName(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return runtime.GOOS
	}
	for _, l := range strings.Split(string(b), "\n") {
		if v, ok := strings.CutPrefix(l, "PRETTY_NAME="); ok {
			return strings.Trim(v, `"'`)
		}
	}
	return runtime.GOOS
}
