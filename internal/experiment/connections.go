package experiment

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pgassay/pgassay"
)

// reservedSessions is what we keep free besides the clients: our own samplers
// and the slots PostgreSQL reserves for superusers.
const reservedSessions = 20

// connections checks that the highest load level fits into max_connections.
// On our own server RaiseConnections makes room where the file says nothing.
func (c *serverCheck) connections() {
	need := c.f.maxClients()
	if s, ok := c.find("max_connections"); ok && c.k.Attached {
		have, err := strconv.Atoi(s.Setting)
		reserved := 0
		for _, name := range []string{"superuser_reserved_connections", "reserved_connections"} {
			if r, ok := c.find(name); ok {
				n, _ := strconv.Atoi(r.Setting) // 0 when it is not a number
				reserved += n
			}
		}
		if err == nil && need > have-reserved {
			c.r.errorf(c.f.clients, "take fewer clients, or let pgassay create the server (no --dsn)",
				"%d clients do not fit into max_connections %d (%d reserved) of the attached server", need, have, reserved)
		}
		return
	}
	for _, u := range c.f.uses {
		if v, err := strconv.Atoi(u.value); u.name == "max_connections" && err == nil && v < need+4 {
			c.r.errorf(u.at, fmt.Sprintf("leave it out, or set it to %d", raised(need)), "max_connections %d leaves no room for %d clients and pgassay's own sessions", v, need)
		}
	}
}

// maxClients is the highest load level.
func (f *File) maxClients() int {
	n := 0
	for _, l := range f.Experiment.Loads {
		n = max(n, l.Clients)
	}
	return n
}

// raised is max_connections for that many clients: room for our own sessions,
// rounded up to a multiple of 10.
func raised(clients int) int { return (clients + reservedSessions + 9) / 10 * 10 }

// RaiseConnections adds max_connections to the settings of the server and of
// every arm that has none, when the highest load level needs more than current
// (the server's own value). It is for servers that pgassay creates, after
// CheckServer and before the run; it says whether it changed anything, and
// leaves a note in the experiment when it did.
func (f *File) RaiseConnections(current int) bool {
	need := f.maxClients()
	if need+reservedSessions <= current {
		return false
	}
	e, changed := f.Experiment, false
	has := func(list []pgassay.Setting) bool {
		return slices.ContainsFunc(list, func(s pgassay.Setting) bool { return s.Name == "max_connections" })
	}
	value := strconv.Itoa(raised(need))
	for i := range e.Arms {
		if !has(e.Arms[i].Settings) {
			// where decoding would put it: after the server's other settings
			e.Arms[i].Settings = slices.Insert(e.Arms[i].Settings, len(e.Server.Settings), pgassay.Setting{Name: "max_connections", Value: value})
			changed = true
		}
	}
	treat(e.Arms)
	if !changed || has(e.Server.Settings) {
		return changed
	}
	e.Server.Settings = append(e.Server.Settings, pgassay.Setting{Name: "max_connections", Value: value})
	w := Problem{File: f.Name, Line: f.clients.line, Column: f.clients.col, Warning: true,
		Message: fmt.Sprintf("max_connections is raised from %d to %s for %d clients", current, value, need)}
	e.Notes = append(e.Notes, w.Place()+": "+w.Message)
	f.addServerSetting("max_connections", value)
	return true
}

// addServerSetting adds a setting to the tree, so that Resolved has it.
func (f *File) addServerSetting(name, value string) {
	server := f.tree.get("server")
	if server == nil {
		return
	}
	settings := server.get("settings")
	if settings == nil {
		settings = &node{kind: mapKind, src: server.src, line: server.line, col: server.col}
		server.pairs = append(server.pairs, &pair{key: "settings", at: settings, value: settings})
	}
	v := &node{kind: scalarKind, text: value, src: server.src, line: server.line, col: server.col}
	settings.pairs = append(settings.pairs, &pair{key: name, at: v, value: v})
}
