package autovacuum_test

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/internal/autovacuum"
)

func lookup(m map[string]float64) func(string) (float64, bool) {
	return func(name string) (float64, bool) { v, ok := m[name]; return v, ok }
}

func TestRead(t *testing.T) {
	if got := autovacuum.Read(lookup(nil)); got != autovacuum.Defaults() {
		t.Errorf("nothing known: got %+v, want the defaults", got)
	}
	for _, c := range []struct {
		why   string
		given map[string]float64
		delay float64
		limit int
	}{
		{"autovacuum's own parameters win", map[string]float64{"autovacuum_vacuum_cost_delay": 5, "vacuum_cost_delay": 7, "autovacuum_vacuum_cost_limit": 300, "vacuum_cost_limit": 900}, 5, 300},
		{"-1 hands over to the parameters without prefix", map[string]float64{"autovacuum_vacuum_cost_delay": -1, "vacuum_cost_delay": 7, "autovacuum_vacuum_cost_limit": -1, "vacuum_cost_limit": 900}, 7, 900},
		{"-1 with an unknown parent is the parent's default, no throttling", map[string]float64{"autovacuum_vacuum_cost_delay": -1}, 0, 200},
		{"a limit of 0 counts as unset", map[string]float64{"autovacuum_vacuum_cost_limit": 0, "vacuum_cost_limit": 400}, 2, 400},
		{"vacuum_cost_limit does count for autovacuum by default", map[string]float64{"vacuum_cost_limit": 400}, 2, 400},
		{"vacuum_cost_delay does not", map[string]float64{"vacuum_cost_delay": 9}, 2, 200},
	} {
		if got := autovacuum.Read(lookup(c.given)); got.CostDelayMS != c.delay || got.CostLimit != c.limit {
			t.Errorf("%s: got delay %v limit %v, want %v and %v", c.why, got.CostDelayMS, got.CostLimit, c.delay, c.limit)
		}
	}
	off := autovacuum.Read(lookup(map[string]float64{"autovacuum": 0, "autovacuum_naptime": 1, "autovacuum_max_workers": 5}))
	if off.Enabled || off.NaptimeS != 1 || off.Workers != 5 {
		t.Errorf("got %+v, want off, 1 s and 5 workers", off)
	}
}

func TestForTable(t *testing.T) {
	server := autovacuum.Defaults()
	for _, c := range []struct {
		why     string
		options map[string]string
		want    func(*autovacuum.Parameters)
	}{
		{"no options change nothing", nil, func(*autovacuum.Parameters) {}},
		{"0 is a value", map[string]string{"autovacuum_vacuum_scale_factor": "0", "autovacuum_vacuum_threshold": "10000"}, func(p *autovacuum.Parameters) { p.VacuumScale, p.VacuumThreshold = 0, 10000 }},
		{"-1 leaves the server's value", map[string]string{"autovacuum_vacuum_scale_factor": "-1", "autovacuum_vacuum_cost_delay": "-1", "autovacuum_vacuum_cost_limit": "-1"}, func(*autovacuum.Parameters) {}},
		{"-1 is a value of the insert threshold and of the cap", map[string]string{"autovacuum_vacuum_insert_threshold": "-1", "autovacuum_vacuum_max_threshold": "-1"}, func(p *autovacuum.Parameters) { p.InsertThreshold, p.MaxThreshold = -1, -1 }},
		{"-2 is unset for those two", map[string]string{"autovacuum_vacuum_insert_threshold": "-2", "autovacuum_vacuum_max_threshold": "-2"}, func(*autovacuum.Parameters) {}},
		{"a cost delay takes the table out of the shared budget", map[string]string{"autovacuum_vacuum_cost_delay": "0"}, func(p *autovacuum.Parameters) { p.CostDelayMS, p.OwnCost = 0, true }},
		{"so does a limit", map[string]string{"autovacuum_vacuum_cost_limit": "2000"}, func(p *autovacuum.Parameters) { p.CostLimit, p.OwnCost = 2000, true }},
		{"off for one table", map[string]string{"autovacuum_enabled": "false"}, func(p *autovacuum.Parameters) { p.Enabled = false }},
		{"other options are none of our business", map[string]string{"fillfactor": "70", "user_catalog_table": "true"}, func(*autovacuum.Parameters) {}},
	} {
		want := server
		c.want(&want)
		got, err := server.ForTable(c.options)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", c.why, got, err, want)
		}
	}
	server.Enabled = false
	if got, _ := server.ForTable(map[string]string{"autovacuum_enabled": "true"}); got.Enabled {
		t.Error("a table cannot switch autovacuum on when the server has it off")
	}
	if _, err := server.ForTable(map[string]string{"autovacuum_vacuum_threshold": "many"}); err == nil || !strings.Contains(err.Error(), "read storage parameter autovacuum_vacuum_threshold: ") {
		t.Errorf("got %v, want an error that names the parameter", err)
	}
}
