// Package labtest starts throw-away PostgreSQL servers for tests. Nothing but
// tests may import it.
//
//  1. [Majors] says which major versions are there: installed ones and those
//     below the directory that PGASSAY_TEST_BUILDS names (MAJOR/bin/postgres).
//     PGASSAY_TEST_MAJORS ("15,16,18") is a list that must be complete.
//  2. [Server] runs initdb once per test binary and version, copies the result,
//     starts a server on a Unix socket and stops and removes it at the test's
//     end. As root the server runs as postgres, else as nobody.
//  3. Without PostgreSQL a test is skipped; with CI=true it fails.
package labtest
