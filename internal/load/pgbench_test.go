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
)

// BenchmarkAgainstPgbench measures client CPU per transaction beside pgbench -j 1
// on one server, runs interleaved as A B B A, and reports the medians and the
// median of the pairs' ratios (below 1 is better than pgbench). pgbench's CPU
// contains its connections; ours is that of the measured interval.
//
//	go test -run '^$' -bench AgainstPgbench -benchtime 1x ./internal/load
func BenchmarkAgainstPgbench(b *testing.B) {
	pgbench := filepath.Join(labtest.BinDir(b, 0), "pgbench")
	if _, err := os.Stat(pgbench); err != nil {
		b.Skipf("this PostgreSQL has no pgbench: %v", err)
	}
	in := labtest.Server(b, labtest.Options{Settings: map[string]string{"shared_buffers": "256MB", "autovacuum": "off"}})
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
	const clients, length = 16, 3 * time.Second
	for _, c := range []struct{ name, text string }{{"select", selectOnly}, {"simple-update", simpleUpdate}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				var theirs, ours, ratios, rates []float64
				for round := range 4 {
					var cpu, tps [2]float64
					for i := range 2 {
						if (i+round)%2 == 0 {
							cpu[0], tps[0] = runPgbench(b, pgbench, in.SocketDir, c.text, clients, length)
						} else {
							cpu[1], tps[1] = runOurs(b, in, c.text, clients, length)
						}
					}
					theirs, ours = append(theirs, cpu[0]), append(ours, cpu[1])
					ratios, rates = append(ratios, cpu[1]/cpu[0]), append(rates, tps[1]/tps[0])
				}
				b.ReportMetric(median(theirs), "pgbench-µs/txn")
				b.ReportMetric(median(ours), "pgassay-µs/txn")
				b.ReportMetric(median(ratios), "cpu-ratio")
				b.ReportMetric(median(rates), "tps-ratio")
			}
		})
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func runOurs(b *testing.B, in *labtest.Instance, text string, clients int, length time.Duration) (cpu, tps float64) {
	b.Helper()
	r, err := load.Run(context.Background(), load.Config{
		Target: in.Target(), Scripts: one("bench", text), Scale: 5, Clients: clients, Measure: pgassay.Measure{Duration: length}, Seed: 1,
	})
	if err != nil {
		b.Fatal(err)
	}
	n := float64(r.Scripts[0].Transactions)
	return r.ClientCPUS * 1e6 / n, n / length.Seconds()
}

var processed = regexp.MustCompile(`number of transactions actually processed: (\d+)`)

func runPgbench(b *testing.B, pgbench, socket, text string, clients int, length time.Duration) (cpu, tps float64) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "script.sql")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(pgbench, "-n", "-M", "prepared", "-j", "1", "-c", fmt.Sprint(clients), "-T", fmt.Sprint(length.Seconds()),
		"-s", "5", "-h", socket, "-U", labtest.Superuser, "-f", file, "postgres")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("pgbench: %v\n%s", err, out)
	}
	m := processed.FindSubmatch(out)
	if m == nil {
		b.Fatalf("pgbench does not say how much it did:\n%s", out)
	}
	n, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return used.Seconds() * 1e6 / n, n / length.Seconds()
}
