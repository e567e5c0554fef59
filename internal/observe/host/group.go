package host

import (
	"regexp"
	"strings"
)

// Group is a kind of server process.
type Group string

// The groups of a server's processes.
const (
	GroupBackend    Group = "backend"    // client backends and the parallel workers that help them
	GroupAutovacuum Group = "autovacuum" // launcher and workers
	GroupCheckpoint Group = "checkpoint" // checkpointer and background writer
	GroupWALWriter  Group = "walwriter"
	GroupIOWorker   Group = "io worker" // 18+
	GroupPostmaster Group = "postmaster"
	GroupOther      Group = "other"
)

// client is what the title of a client backend has behind user and database:
// "[local]" or "host(port)".
var client = regexp.MustCompile(`\[local\]|\S\(\d+\)`)

// titles are how the other titles begin.
var titles = []struct {
	start string
	group Group
}{
	{"autovacuum launcher", GroupAutovacuum},
	{"autovacuum worker", GroupAutovacuum},
	{"checkpointer", GroupCheckpoint},
	{"background writer", GroupCheckpoint},
	{"walwriter", GroupWALWriter},
	{"io worker", GroupIOWorker},
	{"parallel worker", GroupBackend},
}

// Classify says which group a process title belongs to. The server writes
// "postgres: " and, when set, cluster_name with a colon, then
//
//	user database [local] idle            a client backend
//	user database 10.0.0.7(4711) SELECT   the same over TCP
//	walsender user 10.0.0.7(4711) …       replication
//	checkpointer, autovacuum worker appdb, io worker 0, …
//
// ok is false for a title that is not set yet: a fresh child still shows the
// postmaster's command line.
func Classify(title string) (g Group, ok bool) {
	t, ok := strings.CutPrefix(title, "postgres: ")
	if !ok {
		return GroupOther, false
	}
	named := func(start string) bool {
		return strings.HasPrefix(t, start) || strings.Contains(t, ": "+start)
	}
	if client.MatchString(t) {
		if named("walsender ") {
			return GroupOther, true
		}
		return GroupBackend, true
	}
	for _, k := range titles {
		if named(k.start) {
			return k.group, true
		}
	}
	return GroupOther, true
}
