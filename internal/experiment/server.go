package experiment

import (
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
