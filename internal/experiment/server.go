package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

// Knowledge is what is known of the server that will run the experiment.
type Knowledge struct {
	Build pgassay.Build
	// Settings is pg_settings of that server, or of an empty cluster of its build.
	Settings []pgassay.SettingState
	// Tables are the tables of the dataset (empty ones do); nil: not known, and
	// tables are not looked for.
	Tables []pgassay.Relation
	// TryStorage sets a storage parameter on a table of the dataset and rolls
	// back; its error is PostgreSQL's. nil: parameters are not tried.
	TryStorage func(table, name, value string) error
	// Attached says that the server is somebody's: it is not restarted and its
	// max_connections are what they are.
	Attached bool
	// Arms limits the check to these arms (those that this build runs); nil: all.
	Arms []int
}

// reservedSessions is what we keep free besides the clients: our own samplers
// and the slots PostgreSQL reserves for superusers.
const reservedSessions = 20

// CheckServer holds every value of the experiment against a server: unknown or
// misspelt settings, values outside the range, units, settings this version
// lacks, storage parameters and tables, what needs a restart on an attached
// server, and room for the clients. The error is a *Problems.
func (f *File) CheckServer(k Knowledge) error {
	c := serverCheck{f: f, k: k, r: &reporter{}, tried: map[string]error{}}
	for _, u := range f.uses {
		if u.arm >= 0 && k.Arms != nil && !slices.Contains(k.Arms, u.arm) {
			continue
		}
		if u.table != "" {
			c.storage(u)
		} else {
			c.setting(u)
		}
	}
	c.connections()
	return c.r.err()
}

type serverCheck struct {
	f     *File
	k     Knowledge
	r     *reporter
	tried map[string]error
}

// find looks a setting up in pg_settings; names ignore case as in PostgreSQL.
func (c *serverCheck) find(name string) (pgassay.SettingState, bool) {
	for _, s := range c.k.Settings {
		if strings.EqualFold(s.Name, name) {
			return s, true
		}
	}
	return pgassay.SettingState{}, false
}

func (c *serverCheck) setting(u use) {
	s, ok := c.find(u.name)
	if !ok {
		c.unknown(u)
		return
	}
	if s.Context == "internal" {
		c.r.errorf(u.at, "", "%s cannot be set: it is fixed when the cluster is made", s.Name)
		return
	}
	if c.k.Attached && s.Context == "postmaster" {
		c.r.errorf(u.at, "leave it out, or let pgassay create the server (no --dsn)", "%s needs a restart, and an attached server is not restarted", s.Name)
		return
	}
	if base, known := baseUnit(s.Unit); u.share && (!known || base.time) {
		c.r.errorf(u.at, "", "%s is not a memory setting: it cannot be a share of memory", s.Name)
		return
	}
	if strings.HasSuffix(u.value, "%") || strings.HasPrefix(u.value, "min(") {
		c.r.errorf(u.at, "write a size, such as 256MB", "%s is a share of memory, but the memory of this server is not known", s.Name)
		return
	}
	if err := checkValue(s, u.value); err != nil {
		c.r.errorf(u.at, pgassay.Hint(err), "%s: %s %s", s.Name, clip(u.value), err)
	}
}

// unknown reports a setting that the server does not have: of another version,
// or misspelt. A name with a dot belongs to an extension and is let through.
func (c *serverCheck) unknown(u use) {
	major := c.k.Build.Major
	if l, ok := lifetimes[u.name]; ok && major > 0 {
		switch {
		case major < l.since:
			c.r.errorf(u.key, l.hint, "PostgreSQL %d has no %s: it came with %d", major, u.name, l.since)
			return
		case l.last > 0 && major > l.last:
			c.r.errorf(u.key, l.hint, "PostgreSQL %d has no %s any more: %d was the last with it", major, u.name, l.last)
			return
		}
	}
	if strings.Contains(u.name, ".") {
		return
	}
	names := make([]string, len(c.k.Settings))
	for i, s := range c.k.Settings {
		names[i] = s.Name
	}
	hint := ""
	if near := nearest(u.name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	c.r.errorf(u.key, hint, "PostgreSQL%s has no setting %s", versionWord(major), clip(u.name))
}

func versionWord(major int) string {
	if major == 0 {
		return ""
	}
	return " " + strconv.Itoa(major)
}

// storage checks that the table exists and that PostgreSQL takes the value.
func (c *serverCheck) storage(u use) {
	if c.k.Tables != nil && !c.hasTable(u.table) {
		var names []string
		for _, t := range c.k.Tables {
			names = append(names, t.Name)
		}
		_, bare := splitTable(u.table)
		c.r.errorf(u.key, didYouMean(bare, names), "%s: the dataset has no table %s", u, clip(u.table))
		return
	}
	if c.k.TryStorage == nil {
		return
	}
	key := u.table + "\x00" + u.name + "\x00" + u.value
	err, done := c.tried[key]
	if !done {
		err = c.k.TryStorage(u.table, u.name, u.value)
		c.tried[key] = err
	}
	if err != nil {
		c.r.errorf(u.at, pgassay.Hint(err), "%s: PostgreSQL%s does not take %s: %s", u, versionWord(c.k.Build.Major), clip(u.value), clip(err.Error()))
	}
}

// hasTable finds a table as the user names it.
func (c *serverCheck) hasTable(name string) bool {
	schema, table := splitTable(name)
	return slices.ContainsFunc(c.k.Tables, func(r pgassay.Relation) bool {
		return r.Name == table && (schema == "" || r.Schema == schema)
	})
}

// splitTable takes schema.table.toast apart; schema may be "".
func splitTable(name string) (schema, table string) {
	name = strings.TrimSuffix(name, ".toast")
	if schema, table, ok := strings.Cut(name, "."); ok {
		return schema, table
	}
	return "", name
}

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

// checkValue says why PostgreSQL would not take a value for a setting.
func checkValue(s pgassay.SettingState, value string) error {
	switch s.VarType {
	case "bool":
		if !isBool(value) {
			return pgassay.WithHint(errors.New("is not a boolean"), "write on or off")
		}
	case "enum":
		return checkEnum(s, value)
	case "integer", "real":
		return checkNumber(s, value)
	}
	return nil
}

// isBool is parse_bool of PostgreSQL: whole words, their beginnings, 1 and 0.
func isBool(value string) bool {
	v := strings.ToLower(value)
	switch v {
	case "", "o":
		return false
	case "0", "1":
		return true
	}
	for _, word := range []string{"true", "false", "yes", "no", "on", "off"} {
		if strings.HasPrefix(word, v) {
			return true
		}
	}
	return false
}

func checkEnum(s pgassay.SettingState, value string) error {
	for _, v := range s.EnumValues {
		if strings.EqualFold(v, value) {
			return nil
		}
		// enums that grew out of a boolean keep its words as hidden spellings
		if (v == "on" || v == "off") && isBool(value) {
			return nil
		}
	}
	return pgassay.WithHint(errors.New("is not one of its values"), didYouMean(value, s.EnumValues))
}

func checkNumber(s pgassay.SettingState, value string) error {
	q, ok, err := parseQuantity(value)
	if err != nil {
		return err
	}
	if hex, hexErr := strconv.ParseInt(value, 0, 64); !ok && hexErr == nil {
		q, ok = quantity{number: float64(hex)}, true
	}
	if !ok {
		return errors.New("is not a number")
	}
	v, err := q.in(s.Unit)
	if err != nil {
		return pgassay.WithHint(errors.New("does not fit"), err.Error())
	}
	if s.VarType == "integer" {
		v = math.RoundToEven(v) // as guc.c does before it looks at the range
	}
	low, lowErr := strconv.ParseFloat(s.Min, 64)
	high, highErr := strconv.ParseFloat(s.Max, 64)
	if lowErr == nil && v < low || highErr == nil && v > high {
		limits := fmt.Sprintf("%s … %s", formatQuantity(low, s.Unit), formatQuantity(high, s.Unit))
		return pgassay.WithHint(fmt.Errorf("is outside %s", limits), bareUnit(s, q))
	}
	return nil
}

// bareUnit reminds of the unit that a bare number has.
func bareUnit(s pgassay.SettingState, q quantity) string {
	if q.unit.name != "" || s.Unit == "" {
		return ""
	}
	return "a number without a unit counts in " + s.Unit
}
