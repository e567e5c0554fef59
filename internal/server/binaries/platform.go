package binaries

import (
	"fmt"
	"strings"
)

// npmPlatform names the package for a platform as npm does.
func npmPlatform(goos, goarch string, musl bool) (string, error) {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64", "arm": "arm", "386": "ia32", "ppc64le": "ppc64"}[goarch]
	switch {
	case musl:
		return "", fmt.Errorf("there are no builds for a system with musl")
	case goos == "linux" && arch != "", goos == "darwin" && (arch == "x64" || arch == "arm64"):
		return goos + "-" + arch, nil
	}
	return "", fmt.Errorf("there are no builds for %s on %s", goos, goarch)
}

// Advice says in one sentence how to get PostgreSQL on an operating system.
// goos is runtime.GOOS, osRelease the text of /etc/os-release.
func Advice(major int, goos, osRelease string) string {
	if goos == "darwin" {
		return fmt.Sprintf("Install it with: brew install postgresql@%d", major)
	}
	var ids []string
	for _, line := range strings.Split(osRelease, "\n") {
		key, value, _ := strings.Cut(line, "=")
		if key == "ID" || key == "ID_LIKE" {
			ids = append(ids, strings.Fields(strings.Trim(value, `"'`))...)
		}
	}
	for _, id := range ids {
		switch id {
		case "debian", "ubuntu":
			return fmt.Sprintf("Install it with: sudo apt-get install postgresql-%d (from the PGDG repository where the distribution has another version).", major)
		case "fedora", "rhel", "centos":
			return fmt.Sprintf("Install it with: sudo dnf install postgresql%d-server (from the PGDG repository).", major)
		case "alpine":
			return fmt.Sprintf("Install it with: apk add postgresql%d", major)
		case "suse", "opensuse":
			return fmt.Sprintf("Install it with: sudo zypper install postgresql%d-server", major)
		case "arch":
			return "Install it with: sudo pacman -S postgresql"
		}
	}
	return fmt.Sprintf("Install PostgreSQL %d with the system's package manager, or name a directory of its programs with --pg-bin.", major)
}
