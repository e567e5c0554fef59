package binaries

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// Describe adds what the build itself says of how it was made: the configure
// flags and CFLAGS, when it has a pg_config, and from them JIT, LZ4 and Zstd.
// Complete stays false: only a running server knows all (FactsFromSettings).
func Describe(ctx context.Context, b pgassay.Build) (pgassay.Build, error) {
	program := filepath.Join(b.BinDir, "pg_config")
	if _, err := os.Stat(program); err != nil {
		return b, nil
	}
	configure, err := run(ctx, askTimeout, program, "--configure")
	if err != nil {
		return b, err
	}
	cflags, err := run(ctx, askTimeout, program, "--cflags")
	if err != nil {
		return b, err
	}
	configure = strings.TrimSpace(configure)
	b.Configure = configure + " CFLAGS=" + strings.TrimSpace(cflags)
	// A build by meson has no configure flags: then nothing is known.
	b.JIT = strings.Contains(configure, "--with-llvm")
	b.LZ4 = strings.Contains(configure, "--with-lz4")
	b.Zstd = strings.Contains(configure, "--with-zstd")
	return b, nil
}

// FactsFromSettings completes a build from a server that runs it: pg_settings,
// version() and pg_jit_available(). What was compiled in shows in the values
// that an enumeration has.
func FactsFromSettings(b *pgassay.Build, settings []pgassay.SettingState, versionString string, jitAvailable bool) {
	b.VersionString, b.JIT, b.Complete = versionString, jitAvailable, true
	b.LZ4, b.Zstd, b.IOMethods = false, false, nil
	for _, s := range settings {
		switch s.Name {
		case "server_version":
			// "15.18 (Debian 15.18-0+deb12u1)"
			if text, v, err := parseVersion("(PostgreSQL) " + s.Setting); err == nil {
				b.Version, b.VersionNum, b.Major = text, v.num(), v.major
			}
		case "wal_compression": // an enumeration from 15 on
			b.LZ4 = b.LZ4 || slices.Contains(s.EnumValues, "lz4")
			b.Zstd = b.Zstd || slices.Contains(s.EnumValues, "zstd")
		case "default_toast_compression":
			b.LZ4 = b.LZ4 || slices.Contains(s.EnumValues, "lz4")
		case "io_method": // 18 and later
			b.IOMethods = slices.Clone(s.EnumValues)
		}
	}
}
