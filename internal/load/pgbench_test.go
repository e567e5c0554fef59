package load_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/load"
	"github.com/pgassay/pgassay/internal/load/wire"
)

// BenchmarkAgainstPgbench measures client CPU per transaction and throughput of
// our engines beside pgbench -j 1 on one server. The programs take turns, in
// alternating order; reported are the medians, and the medians of the rounds'
// ratios to pgbench (CPU below 1 and tps above 1 are better than pgbench). What
// pgbench uses for connecting and for one transaction per client is measured on
// its own and taken off; ours is that of the measured interval.
//
//	go test -run '^$' -bench AgainstPgbench -benchtime 1x -timeout 1h ./internal/load
func BenchmarkAgainstPgbench(b *testing.B) {
	pgbench := filepath.Join(labtest.BinDir(b, 0), "pgbench")
	if _, err := os.Stat(pgbench); err != nil {
		b.Skipf("this PostgreSQL has no pgbench: %v", err)
	}
	in := labtest.Server(b, labtest.Options{Settings: map[string]string{"shared_buffers": "256MB", "autovacuum": "off", "max_connections": "150"}})
	if out, err := exec.Command(pgbench, "-i", "-q", "-s", "5", "-h", in.SocketDir, "-U", labtest.Superuser, "postgres").CombinedOutput(); err != nil {
		b.Fatalf("pgbench -i: %v\n%s", err, out)
	}
	const selectOnly = "\\set aid random(1, 100000 * :scale)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n"
	const simpleUpdate = `\set aid random(1, 100000 * :scale)
\set bid random(1, 1 * :scale)
\set tid random(1, 10 * :scale)
\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
`
	for _, c := range []struct{ name, text string }{{"select", selectOnly}, {"simple-update", simpleUpdate}} {
		for _, clients := range []int{1, 16, 100} {
			b.Run(fmt.Sprintf("%s/%d", c.name, clients), func(b *testing.B) {
				for b.Loop() {
					compare(b, in, pgbench, c.text, clients)
				}
			})
		}
	}
}

// compare runs pgbench and each engine in turn.
func compare(b *testing.B, in *labtest.Instance, pgbench, text string, clients int) {
	b.Helper()
	const rounds, length = 5, 3 * time.Second
	engines := slices.DeleteFunc(slices.Clone(wire.Names), func(name string) bool { return name == "pgconn" })
	programs := 1 + len(engines)
	cpu, tps := make([][]float64, programs), make([][]float64, programs)
	for round := range rounds {
		for i := range programs {
			if round%2 == 1 {
				i = programs - 1 - i
			}
			var c, r float64
			if i == 0 {
				c, r = runPgbench(b, pgbench, in.SocketDir, text, clients, length)
			} else {
				c, r = runOurs(b, in, engines[i-1], text, clients, length)
			}
			cpu[i], tps[i] = append(cpu[i], c), append(tps[i], r)
		}
	}
	ratio := func(ours, theirs []float64) float64 {
		var all []float64
		for i := range ours {
			all = append(all, ours[i]/theirs[i])
		}
		return median(all)
	}
	for i, engine := range engines {
		b.ReportMetric(ratio(cpu[i+1], cpu[0]), engine+"-cpu-ratio")
		b.ReportMetric(ratio(tps[i+1], tps[0]), engine+"-tps-ratio")
		b.ReportMetric(median(cpu[i+1]), engine+"-µs/txn")
	}
	b.ReportMetric(median(cpu[0]), "pgbench-µs/txn")
	b.ReportMetric(median(tps[0]), "pgbench-tps")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func runOurs(b *testing.B, in *labtest.Instance, engine, text string, clients int, length time.Duration) (cpu, tps float64) {
	b.Helper()
	r, err := load.Run(context.Background(), load.Config{
		Target: in.Target(), Scripts: one("bench", text), Scale: 5, Clients: clients, Engine: engine, Measure: pgassay.Measure{Duration: length}, Seed: 1,
	})
	if err != nil {
		b.Fatal(err)
	}
	n := float64(r.Scripts[0].Transactions)
	return r.ClientCPUS * 1e6 / n, n / length.Seconds()
}

var (
	processed = regexp.MustCompile(`number of transactions actually processed: (\d+)`)
	without   = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)
)

func runPgbench(b *testing.B, pgbench, socket, text string, clients int, length time.Duration) (cpu, tps float64) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "script.sql")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	run := func(limit ...string) (n, used, tps float64) {
		args := append([]string{"-n", "-M", "prepared", "-j", "1", "-c", fmt.Sprint(clients), "-s", "5", "-h", socket, "-U", labtest.Superuser, "-f", file}, limit...)
		cmd := exec.Command(pgbench, append(args, "postgres")...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("pgbench: %v\n%s", err, out)
		}
		number := func(re *regexp.Regexp) float64 {
			m := re.FindSubmatch(out)
			if m == nil {
				b.Fatalf("pgbench does not say how much it did:\n%s", out)
			}
			v, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				b.Fatal(err)
			}
			return v
		}
		return number(processed), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), number(without)
	}
	n0, used0, _ := run("-t", "1")
	n, used, tps := run("-T", fmt.Sprint(length.Seconds()))
	return (used - used0) * 1e6 / (n - n0), tps
}
