package observe

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/observe/host"
	"github.com/pgassay/pgassay/internal/observe/pglog"
)

// proc is a server process that has used own (and reaped) CPU seconds.
func proc(pid int, g host.Group, own, reaped float64) host.ServerProcess {
	return host.ServerProcess{Process: host.Process{PID: pid, Start: 1, OwnS: own, ReapedS: reaped}, Group: g}
}

// TestSettle plays trials in which every true CPU time is known. The postmaster
// is 1, our session 2, a backend 3, the checkpointer 4.
func TestSettle(t *testing.T) {
	post := func(reaped float64) host.ServerProcess { return proc(1, host.GroupPostmaster, 0.5, reaped) }
	for _, tt := range []struct {
		it      string
		looks   [][]host.ServerProcess // before the beginning, at it, later …, at the end
		logged  map[int]float64
		want    pgassay.ResourceUse
		sampler float64
	}{
		{
			"counts only what happened after the beginning",
			[][]host.ServerProcess{
				{post(10), proc(3, host.GroupBackend, 1, 0)},
				{post(10), proc(2, host.GroupBackend, 1, 0), proc(3, host.GroupBackend, 2, 0), proc(4, host.GroupCheckpoint, 1, 0)},
				{post(10), proc(2, host.GroupBackend, 1.25, 0), proc(3, host.GroupBackend, 5, 0), proc(4, host.GroupCheckpoint, 1.5, 0)},
			}, nil,
			pgassay.ResourceUse{BackendCPUS: 3, CheckpointCPUS: 0.5}, 0.25,
		},
		{
			"credits a worker that no look met with what it logged",
			[][]host.ServerProcess{{}, {post(10)}, {post(12)}},
			map[int]float64{7: 1.75},
			pgassay.ResourceUse{AutovacuumCPUS: 1.75, OtherCPUS: 0.25}, 0,
		},
		{
			"does not count a run twice that a look met in its middle",
			[][]host.ServerProcess{{}, {post(10)}, {post(10), proc(7, host.GroupAutovacuum, 1, 0)}, {post(12)}},
			map[int]float64{7: 1.75},
			pgassay.ResourceUse{AutovacuumCPUS: 1.75, OtherCPUS: 0.25}, 0,
		},
		{
			"believes the kernel where a worker logged less than it used",
			[][]host.ServerProcess{{}, {post(10)}, {post(10), proc(7, host.GroupAutovacuum, 1.5, 0)}, {post(12)}},
			map[int]float64{7: 0.25},
			pgassay.ResourceUse{AutovacuumCPUS: 1.5, OtherCPUS: 0.5}, 0,
		},
		{
			"takes off what a worker used before the beginning",
			[][]host.ServerProcess{{}, {post(10), proc(7, host.GroupAutovacuum, 3, 0)}, {post(10), proc(7, host.GroupAutovacuum, 4, 0)}},
			nil,
			pgassay.ResourceUse{AutovacuumCPUS: 1}, 0,
		},
		{
			"keeps a PID apart that two processes had",
			[][]host.ServerProcess{{}, {post(10), proc(7, host.GroupAutovacuum, 3, 0)},
				{post(13.5), {Process: host.Process{PID: 7, Start: 2, OwnS: 2}, Group: host.GroupBackend}}},
			nil,
			pgassay.ResourceUse{BackendCPUS: 2, OtherCPUS: 0.5}, 0,
		},
		{
			"gives backends that came and went between two looks to other",
			[][]host.ServerProcess{{}, {post(10)}, {post(11)}}, nil,
			pgassay.ResourceUse{OtherCPUS: 1}, 0,
		},
	} {
		t.Run(tt.it, func(t *testing.T) {
			a := newAccounts()
			for i, list := range tt.looks {
				if len(list) > 0 {
					a.look(list, i == 1)
				}
			}
			got, sampler := a.settle(tt.logged, map[int]bool{2: true})
			near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
			if diff := cmp.Diff(tt.want, got, near); diff != "" {
				t.Errorf("use differs (-want +got):\n%s", diff)
			}
			if sampler != tt.sampler {
				t.Errorf("got %v s for the sampler, want %v", sampler, tt.sampler)
			}
		})
	}
}

func TestLoggedCPU(t *testing.T) {
	zero := time.Unix(1000, 0)
	run := func(pid int, endS, elapsedS, cpuS float64) pglog.Entry {
		return &pglog.Vacuum{PID: pid, At: zero.Add(time.Duration(endS * 1e9)), Usage: pglog.Usage{ElapsedS: elapsedS, CPUUserS: cpuS, CPUSystemS: 0}}
	}
	got := loggedCPU([]pglog.Entry{
		run(1, 2, 1, 0.5), run(1, 4, 1, 0.25), // both within
		&pglog.Analyze{PID: 1, At: zero.Add(5e9), Usage: pglog.Usage{ElapsedS: 0.1, CPUUserS: 0.1, CPUSystemS: 0.025}},
		run(2, 1, 2, 7),  // began before: its worker was met by the look at the beginning
		run(3, 11, 2, 7), // ended after: met by the look at the end
		&pglog.Checkpoint{At: zero},
	}, zero, zero.Add(10*time.Second))
	if diff := cmp.Diff(map[int]float64{1: 0.875}, got); diff != "" {
		t.Errorf("sums differ (-want +got):\n%s", diff)
	}
}

func TestWALAt(t *testing.T) {
	zero := time.Unix(1000, 0)
	at := func(s float64, wal float64) sample { return sample{at: zero.Add(time.Duration(s * 1e9)), wal: &wal} }
	for _, tt := range []struct {
		it      string
		samples []sample
		want    float64
	}{
		{"is on the line between two looks", []sample{at(-3, 0), at(-1, 100), at(3, 500), at(4, 900)}, 200},
		{"is the first look's when there is none before", []sample{at(1, 50), at(2, 100)}, 50},
		{"is the last look's when there is none after", []sample{at(-2, 50), at(-1, 100)}, 100},
		{"passes over looks that saw nothing", []sample{{at: zero}, at(1, 50)}, 50},
		{"is 0 without looks", nil, 0},
	} {
		if got := walAt(tt.samples, zero); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.it, got, tt.want)
		}
	}
}

func TestJudgeLog(t *testing.T) {
	good := map[string]string{"log_timezone": "Etc/UTC", "log_line_prefix": pglog.Prefix, "lc_messages": "C", "log_autovacuum_min_duration": "0", "log_checkpoints": "on"}
	if _, lacks := judgeLog(good); lacks != nil {
		t.Errorf("got %q for the settings that we want, want nothing", lacks)
	}
	_, lacks := judgeLog(map[string]string{"log_timezone": "Mars/Crater", "log_line_prefix": "%t ", "lc_messages": "de_DE.UTF-8", "log_autovacuum_min_duration": "600000", "log_autoanalyze_min_duration": "-1", "log_checkpoints": "off"})
	want := []string{
		"times of log events: time zone Mars/Crater is not known here, they are read as UTC unless they show an offset",
		`log events: log_line_prefix is "%t ", want "%m [%p] %b "`,
		"log events: lc_messages is de_DE.UTF-8, want C",
		"short autovacuum runs: log_autovacuum_min_duration is 600000 ms",
		"autovacuum events: log_autoanalyze_min_duration is off",
		"checkpoint events: log_checkpoints is off",
	}
	if diff := cmp.Diff(want, lacks); diff != "" {
		t.Errorf("sentences differ (-want +got):\n%s", diff)
	}
}

func TestMissing(t *testing.T) {
	var m missing
	m.add("a: 1", "a: 1", "a: 2", "b: 1", "a: 3", "a: 4")
	if diff := cmp.Diff([]string{"a: 1", "a: 2", "b: 1", "a: 3"}, m.list); diff != "" {
		t.Errorf("list differs (-want +got):\n%s", diff)
	}
}

// TestCounterSQL: what the catalogue lacks is left out, and a later version's
// place of a counter wins over the older one.
func TestCounterSQL(t *testing.T) {
	has := catalogue{"pg_stat_bgwriter.buffers_backend": true, "pg_stat_bgwriter.checkpoints_timed": true, "pg_stat_checkpointer.num_timed": true, "pg_stat_database.deadlocks": true}
	want := []string{
		"SELECT json_build_object('deadlocks', deadlocks) FROM pg_catalog.pg_stat_database WHERE datname = current_database()",
		"SELECT json_build_object('checkpoints_timed', num_timed) FROM pg_catalog.pg_stat_checkpointer",
		"SELECT json_build_object('buffers_backend', buffers_backend) FROM pg_catalog.pg_stat_bgwriter",
	}
	if diff := cmp.Diff(want, has.counterSQL()); diff != "" {
		t.Errorf("look-ups differ (-want +got):\n%s", diff)
	}
}
