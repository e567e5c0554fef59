package binaries

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay"
)

// The origins of a build (pgassay.Build.Origin).
const (
	OriginFlag     = "flag"      // named by the user
	OriginPgConfig = "pg_config" // PG_CONFIG, or the pg_config in PATH
	OriginDebian   = "debian"    // /usr/lib/postgresql
	OriginPGDG     = "pgdg"      // /usr/pgsql-N
	OriginHomebrew = "homebrew"
	OriginPath     = "path" // the postgres in PATH
	OriginNPM      = "npm"  // fetched by Install
)

// Choose picks the build to use: of those that fit, one named by the user wins
// over an installed one, and that over a fetched one (fetched builds are made
// for size: no JIT, lz4 or zstd); among equals the newest wins, then the first.
// Nothing fits: the error wraps [pgassay.ErrUsage] and its hint says what to do.
func Choose(builds []pgassay.Build, constraint string) (pgassay.Build, error) {
	c, err := ParseConstraint(constraint)
	if err != nil {
		return pgassay.Build{}, err
	}
	var fit []pgassay.Build
	for _, b := range builds {
		if c.Fits(b.VersionNum) {
			fit = append(fit, b)
		}
	}
	if len(fit) == 0 {
		return pgassay.Build{}, noneFits(builds, c)
	}
	return slices.MinFunc(fit, func(a, b pgassay.Build) int {
		return cmp.Or(rank(a)-rank(b), b.VersionNum-a.VersionNum)
	}), nil
}

func rank(b pgassay.Build) int {
	switch b.Origin {
	case OriginFlag:
		return 0
	case OriginNPM:
		return 2
	}
	return 1
}

func noneFits(builds []pgassay.Build, c Constraint) error {
	var found []string
	for _, b := range builds {
		found = append(found, fmt.Sprintf("%s (%s)", b.Version, b.BinDir))
	}
	what := "no PostgreSQL was found on this host"
	if len(found) > 0 {
		what = fmt.Sprintf("no PostgreSQL fits %q; found %s", c, strings.Join(found, ", "))
	}
	return pgassay.WithHint(fmt.Errorf("choose build: %w: %s", pgassay.ErrUsage, what),
		fmt.Sprintf("\"pgassay postgres install %d\" fetches one; --pg-bin names a directory of binaries.", c.example()))
}

// example is a major version that fits, the newest that is well known.
func (c Constraint) example() int {
	for major := 18; major >= OldestMajor; major-- {
		if c.Fits(version{major, 1}.num()) {
			return major
		}
	}
	return 18
}
