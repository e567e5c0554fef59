package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// story says what a made-up result is about; result makes it. The numbers are
// invented but hang together: a slow arm has fewer transactions, higher tails
// and more dead rows.
type story struct {
	question string
	factors  []pgassay.Factor
	named    []string
	clients  []int
	blocks   int
	metric   pgassay.MetricName
	primary  int // load
	// slow is how much slower than the baseline an arm is, by index.
	slow func(arm, load int) float64
	// transactions in a trial decide which percentiles are known.
	transactions int64
}

var zero = time.Date(2026, 12, 1, 10, 15, 0, 0, time.UTC)

// experiment is the question of a story.
func (s story) experiment() *pgassay.Experiment {
	e := &pgassay.Experiment{
		Name: "autovacuum", Question: s.question, Factors: s.factors,
		Dataset:  pgassay.Dataset{Builtin: "events", Rows: 300_000, Parameters: []pgassay.Variable{{Name: "rows", Value: "300000"}}},
		Workload: pgassay.Workload{Warmup: 10 * time.Second, Measure: pgassay.Measure{Duration: time.Minute}, Scripts: []pgassay.Script{{Name: "insert-batch", Weight: 1}, {Name: "update-random", Weight: 8}, {Name: "delete-random", Weight: 1}}},
		Design: pgassay.Design{Kind: "factorial", Stop: pgassay.Stop{FixedBlocks: s.blocks}, Primary: pgassay.Primary{Metric: s.metric, Load: s.primary},
			Detect: 0.05, Delta: 0.025, Alpha: 0.05, Seed: 1, Reset: pgassay.ResetRestore},
	}
	combos := [][]int{{}}
	for _, f := range s.factors {
		var next [][]int
		for _, c := range combos {
			for l := range f.Levels {
				next = append(next, append(append([]int{}, c...), l))
			}
		}
		combos = next
	}
	if len(s.factors) > 0 {
		for _, c := range combos {
			arm := pgassay.Arm{Levels: c, Dataset: e.Dataset}
			for f, l := range c {
				if f > 0 {
					arm.Name += ", "
				}
				arm.Name += s.factors[f].Name + "=" + s.factors[f].Levels[l]
				arm.Treatment = append(arm.Treatment, pgassay.Setting{Name: s.factors[f].Name, Value: s.factors[f].Levels[l]})
			}
			e.Arms = append(e.Arms, arm)
		}
	}
	for i, n := range s.named {
		arm := pgassay.Arm{Name: n, Dataset: e.Dataset}
		if i > 0 {
			arm.Treatment = []pgassay.Setting{{Name: "autovacuum_vacuum_cost_delay", Value: fmt.Sprint(i*10, "ms")}, {Name: "autovacuum_vacuum_scale_factor", Value: "0.5"}}
		}
		e.Arms = append(e.Arms, arm)
	}
	for _, c := range s.clients {
		e.Loads = append(e.Loads, pgassay.Load{Name: fmt.Sprint(c, " clients"), Clients: c})
	}
	return e
}

// result makes up what the analysis of a story's run would be.
func (s story) result() *analyze.Result {
	e := s.experiment()
	r := &analyze.Result{Experiment: e, Fingerprint: fingerprint(), Run: analyze.RunInfo{ID: "autovacuum-20261201-101500", Started: zero, Ended: zero.Add(2*time.Hour + 41*time.Minute),
		Stop: "all blocks done", Complete: true, Tool: "0.1.0", Command: "pgassay run autovacuum --set dataset.rows=300000", Target: "created"}}
	g := rand.New(rand.NewPCG(7, 7))
	for a := range e.Arms {
		for l := range e.Loads {
			r.Cells = append(r.Cells, s.cell(g, e, a, l))
			if a != e.Baseline {
				for _, m := range []pgassay.MetricName{pgassay.MetricTPS, pgassay.MetricRowsPerS, pgassay.MetricResponseP50, pgassay.MetricResponseP95, pgassay.MetricResponseP99, pgassay.MetricServerCPU, pgassay.MetricVacuumCPU, pgassay.MetricVacuums, pgassay.MetricDeadRowsEnd} {
					r.Comparisons = append(r.Comparisons, s.comparison(g, e, m, a, l))
				}
			}
		}
		r.Timelines = append(r.Timelines, s.timeline(g, e, a))
		r.ArmSettings = append(r.ArmSettings, analyze.ArmSettings{Arm: a, Settings: []pgassay.SettingState{
			{Name: "autovacuum_vacuum_cost_delay", Setting: fmt.Sprint(1 + a*9), Unit: "ms"}, {Name: "autovacuum_vacuum_scale_factor", Setting: fmt.Sprint(0.02 * float64(a+1))}},
			Storage: []pgassay.StorageSetting{{Table: "public.events", Name: "fillfactor", Value: "90"}}})
	}
	s.mainEffects(g, r)
	s.answer(r)
	checks(r)
	trials(g, r)
	r.Settings = []pgassay.SettingState{
		{Name: "autovacuum_naptime", Setting: "1", Unit: "s", BootValue: "60", Source: "configuration file"},
		{Name: "max_connections", Setting: "230", BootValue: "100", Source: "configuration file"},
		{Name: "shared_buffers", Setting: "131072", Unit: "8kB", BootValue: "16384", Source: "configuration file"},
		{Name: "synchronous_commit", Setting: "off", BootValue: "on", Source: "configuration file"},
	}
	r.Banners = []string{"Durability (V42): synchronous_commit is off in all arms: a crash of the server loses the last confirmed transactions (up to three times wal_writer_delay; the data stay consistent), and commits do not wait for the disk."}
	r.NotTested = []string{
		"Loads other than 50, 100 and 200 clients, and clients that do not wait for their answers: here each sent its next transaction when the last had ended, so that a slow server was also asked less.",
		"Data larger than memory: 412 MB of tables and indexes at the start fit into 7.8 GB.",
		"Full durability: every arm ran with synchronous_commit = off.",
	}
	r.Missing = []string{"Block device latency could not be read in 108 trials: /proc/diskstats is not there in this container."}
	return r
}

func fingerprint() pgassay.Fingerprint {
	return pgassay.Fingerprint{Tool: "0.1.0", Hostname: "db-test-3", OS: "linux", Arch: "amd64", Kernel: "6.1.0-28-amd64", CPUModel: "AMD EPYC 7763 64-Core Processor", CPUs: 2, Memory: 8 << 30,
		FileSystem: "ext4", MountFlags: "rw,relatime", Virtual: "kvm", Clock: "kvm-clock", Options: map[string]string{"socket": "unix", "server user": "postgres"},
		Builds: []pgassay.Build{{Version: "15.18", VersionNum: 150018, Major: 15, BinDir: "/usr/lib/postgresql/15/bin", Origin: "debian", Complete: true, JIT: true, LZ4: true, Zstd: true, VersionString: "PostgreSQL 15.18 on x86_64-pc-linux-gnu, compiled by gcc 12.2.0, 64-bit"}}}
}

func interval(v, half float64) pgassay.Interval {
	return pgassay.Interval{Estimate: v, Low: v - half, High: v + half, Level: 0.95}
}

func unknownInterval(v float64) pgassay.Interval {
	return pgassay.Interval{Estimate: v, Low: math.Inf(-1), High: math.Inf(1), Level: 0.95}
}

// value is the true value of a metric in a cell of the story.
func (s story) value(m pgassay.MetricName, slow float64, clients int) float64 {
	c := float64(clients)
	tps := 13_000 * (1 - math.Exp(-c/60)) * (1 - slow)
	switch m {
	case pgassay.MetricTPS:
		return tps
	case pgassay.MetricRowsPerS:
		return 1.9 * tps
	case pgassay.MetricRows:
		return math.Round(1.9 * tps * 60)
	case pgassay.MetricErrorRate:
		return 0
	case pgassay.MetricServerCPU:
		return 2 / tps * (0.8 + slow)
	case pgassay.MetricClientCPU:
		return 2 / tps * 0.15
	case pgassay.MetricVacuumCPU:
		return 14 * (1 - 2*slow)
	case pgassay.MetricVacuums:
		return math.Round(40 * math.Exp(-12*slow))
	case pgassay.MetricVacuumTime:
		return 52
	case pgassay.MetricDeadRowsEnd:
		return math.Round(4_000 * math.Exp(14*slow))
	case pgassay.MetricWALPerTxn:
		return 612 * (1 + slow)
	}
	for _, x := range pgassay.Metrics {
		if x.Name == m && x.Quantile > 0 {
			return 1e9 * c / tps * math.Pow(-math.Log(1-x.Quantile)+0.2, 1+2*slow)
		}
	}
	return 1e9 * c / tps
}

func (s story) cell(g *rand.Rand, e *pgassay.Experiment, a, l int) analyze.Cell {
	c := analyze.Cell{Arm: a, Load: l, Trials: s.blocks, Blocks: s.blocks, Transactions: s.transactions * int64(s.blocks)}
	slow := s.slow(a, l)
	for _, m := range pgassay.Metrics {
		x := analyze.CellMetric{Metric: m.Name, Known: s.transactions >= m.MinTransactions}
		if !x.Known {
			x.Why = fmt.Sprintf("%s needs %d transactions in a trial, there were %d", m.Title, m.MinTransactions, s.transactions)
			c.Metrics = append(c.Metrics, x)
			continue
		}
		v := s.value(m.Name, slow, e.Loads[l].Clients)
		for range s.blocks {
			x.Values = append(x.Values, v*(1+0.02*g.NormFloat64()))
		}
		x.Mean = interval(v, v*(0.012+0.02*g.Float64()))
		if s.blocks < 2 {
			x.Mean = unknownInterval(v)
		}
		c.Metrics = append(c.Metrics, x)
	}
	for _, q := range []float64{0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999} {
		if (1-q)*float64(c.Transactions) < 100 {
			break
		}
		v := 1e9 * float64(e.Loads[l].Clients) / s.value(pgassay.MetricTPS, slow, e.Loads[l].Clients) * math.Pow(-math.Log(1-q)+0.2, 1+2*slow)
		c.Quantiles = append(c.Quantiles, analyze.LatencyQuantile{Quantile: q, Value: int64(v)})
	}
	return c
}

func (s story) comparison(g *rand.Rand, e *pgassay.Experiment, name pgassay.MetricName, a, l int) pgassay.Comparison {
	m, _ := pgassay.MetricByName(name)
	from, to := s.value(name, s.slow(e.Baseline, l), e.Loads[l].Clients), s.value(name, s.slow(a, l), e.Loads[l].Clients)
	c := pgassay.Comparison{Metric: name, Load: l, Arm: a, Base: e.Baseline, Blocks: s.blocks, LogSD: 0.02, P: 0.01, PAdjusted: 0.04, Family: len(e.Arms) - 1,
		Detectable: 0.04, Primary: name == s.metric && l == s.primary, Neutral: m.Direction == pgassay.Neutral, Verdict: pgassay.Inconclusive}
	if name == pgassay.MetricDeadRowsEnd {
		c.Absolute = true
		c.Effect = interval(to-from, 400+0.1*math.Abs(to-from))
	} else {
		c.Effect = interval(to/from-1, 0.012+0.02*g.Float64())
	}
	if s.blocks < 2 {
		c.Effect, c.Reason = unknownInterval(c.Effect.Estimate), "one block has no interval"
		return c
	}
	better, worse := c.Effect.Low > 0, c.Effect.High < 0
	if m.Direction == pgassay.LowerIsBetter {
		better, worse = worse, better
	}
	switch {
	case c.Neutral:
		c.Reason = "the metric has no better direction"
	case better:
		c.Verdict, c.Reason = pgassay.Improved, "the whole interval is on the better side"
	case worse:
		c.Verdict, c.Reason = pgassay.Regressed, "the whole interval is on the worse side"
	case !c.Absolute && c.Effect.Low > -0.025 && c.Effect.High < 0.025:
		c.Verdict, c.Reason = pgassay.Equivalent, "the whole interval is within the margin"
	default:
		c.Reason = "the interval holds both a gain and a loss"
	}
	return c
}

// timeline is one trial of an arm at the primary load.
func (s story) timeline(g *rand.Rand, e *pgassay.Experiment, a int) analyze.Timeline {
	t := analyze.Timeline{Arm: a, Load: s.primary, Trial: pgassay.TrialOrder{Number: 1 + a, Block: 1, Arm: a, Load: s.primary}, Length: 60e9}
	tps := pgassay.Series{Name: pgassay.SeriesTPS}
	dead := pgassay.Series{Name: pgassay.SeriesDeadRows, Object: "public.events"}
	slow := s.slow(a, s.primary)
	every := 3 + 60*math.Max(slow, 0)
	level, next := 0.0, every
	for sec := -9; sec <= 60; sec++ {
		v := s.value(pgassay.MetricTPS, slow, e.Loads[s.primary].Clients) * (1 + 0.04*g.NormFloat64())
		if sec > 27 && sec < 34 {
			v *= 0.82
		}
		tps.At, tps.Value = append(tps.At, int64(sec)*1e9), append(tps.Value, math.Round(v))
		level += 8_600 * (1 - slow)
		if float64(sec) >= next {
			t.Events = append(t.Events, pgassay.Event{At: int64(sec) * 1e9, Duration: int64(every * 0.4e9), Kind: pgassay.EventAutovacuum, Object: "public.events"})
			level, next = level*0.1, next+every
		}
		dead.At, dead.Value = append(dead.At, int64(sec)*1e9), append(dead.Value, math.Round(level))
	}
	t.Events = append(t.Events, pgassay.Event{At: 34e9, Duration: 7e9, Kind: pgassay.EventCheckpoint})
	t.Series = []pgassay.Series{tps, dead}
	return t
}

func (s story) mainEffects(g *rand.Rand, r *analyze.Result) {
	for f, factor := range s.factors {
		for l := 1; l < len(factor.Levels); l++ {
			for load := -1; load < len(s.clients); load++ {
				c := pgassay.Comparison{Metric: s.metric, Load: load, Arm: -1, Base: -1, Factor: factor.Name, Level: factor.Levels[l], BaseLevel: factor.Levels[0], Blocks: s.blocks, Verdict: pgassay.Inconclusive,
					Effect: interval(0.002, 0.015+0.01*g.Float64()), Detectable: 0.03}
				if f == 1 {
					c.Effect, c.Verdict = interval(0.12*float64(l), 0.02+0.01*g.Float64()), pgassay.Regressed
				}
				r.MainEffects = append(r.MainEffects, c)
			}
		}
		v := analyze.FactorVerdict{Factor: factor.Name, Verdict: pgassay.Inconclusive, Sentence: "No difference between its levels could be claimed; 3.0 % or more would have been seen."}
		if f == 1 {
			v.Verdict, v.Sentence = pgassay.Regressed, "20ms raised latency P99 by 24.0 % (95 % interval 21.6 % to 26.3 %) against 1ms, averaged over the other factor's levels."
		}
		r.FactorVerdicts = append(r.FactorVerdicts, v)
	}
}

func (s story) answer(r *analyze.Result) {
	r.Answer = analyze.Answer{Verdict: pgassay.Inconclusive, Sentences: []string{"No difference could be claimed.", "With 4 blocks this experiment could have seen a change of 4 % or more; a smaller one may exist."}}
	for _, c := range r.Comparisons {
		if c.Primary && (c.Verdict == pgassay.Improved || c.Verdict == pgassay.Regressed) {
			r.Answer = analyze.Answer{Verdict: c.Verdict, Detectable: 0.04, Sentences: []string{
				fmt.Sprintf("%q changed %s by %.1f %% (95 %% interval %.1f %% to %.1f %%) at %s, compared with the baseline %q.", r.Experiment.Arms[c.Arm].Name, c.Metric, c.Effect.Estimate*100, c.Effect.Low*100, c.Effect.High*100, r.Experiment.Loads[c.Load].Name, r.Experiment.Arms[c.Base].Name),
				"With 4 blocks this experiment could see a difference of 4 % or more."}}
		}
	}
}

func checks(r *analyze.Result) {
	r.Checks = []analyze.CheckSummary{
		{ID: "V1", Title: "Settings in force", Severity: pgassay.SeverityExperiment, Passed: 108, Message: "every setting of the treatment was seen in force from a workload session"},
		{ID: "V11", Title: "Whole checkpoint cycles", Severity: pgassay.SeverityExperiment, NotEvaluated: 1, Message: "no treated setting acts through checkpoints"},
		{ID: "V16", Title: "Client not saturated", Severity: pgassay.SeverityWarning, Passed: 106, Failed: 2, Message: "the client used 62 % of the CPU, the limit is 50 %"},
		{ID: "V20", Title: "Errors", Severity: pgassay.SeverityTrial, Passed: 108, Message: "no transaction failed"},
	}
	r.Failures = []pgassay.CheckResult{{ID: "V16", Title: "Client not saturated", Status: pgassay.CheckFailed, Severity: pgassay.SeverityWarning, Message: "the client used 62 % of the CPU, the limit is 50 %",
		Remedy: "Run the clients on another host, or use fewer.", Numbers: []pgassay.Number{{Name: "client share", Value: 0.62, Unit: "1"}, {Name: "limit", Value: 0.5, Unit: "1"}}, Trial: 7, Arms: []int{1}, Load: 0}}
}

func trials(g *rand.Rand, r *analyze.Result) {
	n := 0
	for b := 1; b <= r.Experiment.Design.Stop.FixedBlocks; b++ {
		for a := range r.Experiment.Arms {
			for l := range r.Experiment.Loads {
				n++
				t := analyze.TrialSummary{Order: pgassay.TrialOrder{Number: n, Block: b, Arm: a, Load: l, Attempt: 1}, Outcome: pgassay.OutcomeValid, Started: zero.Add(time.Duration(n) * 80 * time.Second),
					Phases: pgassay.Phases{RestoreS: 2.1 + g.Float64(), SettleS: 0.4, StartS: 0.3, ConnectS: 0.2, WarmupS: 10, MeasureS: 60, StopS: 0.9}, Transactions: 600_000, TPS: 10_012.7, Vacuums: 11}
				if n == 3 {
					t.Outcome, t.Reason = pgassay.OutcomeFailed, "the server ended: signal: killed"
				}
				r.Trials = append(r.Trials, t)
			}
		}
	}
}

var (
	scaleFactor = pgassay.Factor{Kind: pgassay.FactorSetting, Name: "autovacuum_vacuum_scale_factor", Levels: []string{"0.02", "0.1", "0.2"}}
	costDelay   = pgassay.Factor{Kind: pgassay.FactorSetting, Name: "autovacuum_vacuum_cost_delay", Levels: []string{"1ms", "10ms", "20ms"}}
)

// nine is the published grid: 9 arms x 3 levels.
func nine() story {
	return story{question: "How do scale factor and cost delay move write throughput and tail latency?", factors: []pgassay.Factor{scaleFactor, costDelay}, clients: []int{50, 100, 200}, blocks: 4,
		metric: pgassay.MetricResponseP99, primary: 1, transactions: 600_000, slow: func(a, l int) float64 { return 0.03*float64(a%3) + 0.008*float64(a/3) + 0.01*float64(l*(a%3)) }}
}

// two is a small experiment of two named arms at two load levels.
func two() story {
	return story{question: "Does a lazy autovacuum cost throughput?", named: []string{"default", "lazy"}, clients: []int{4, 16}, blocks: 4,
		metric: pgassay.MetricTPS, primary: 1, transactions: 30_000, slow: func(a, l int) float64 { return 0.08 * float64(a*l) }}
}

// single is one block at one load level: no interval anywhere.
func single() story {
	s := two()
	s.clients, s.blocks, s.primary, s.transactions = []int{50}, 1, 0, 5_000
	return s
}

// invalid is a run that could not have answered its question.
func invalid() *analyze.Result {
	r := two().result()
	r.Answer = analyze.Answer{Verdict: pgassay.Invalid, Sentences: []string{"This experiment could not have answered its question: no autovacuum run was triggered in any arm (V13).", "Measure longer, or use a smaller table."}}
	for i := range r.Comparisons {
		r.Comparisons[i].Verdict, r.Comparisons[i].Reason, r.Comparisons[i].Checks = pgassay.Invalid, "V13 failed: no autovacuum run was triggered in any arm", []string{"V13"}
	}
	r.Checks = append(r.Checks, analyze.CheckSummary{ID: "V13", Title: "Autovacuum ran", Severity: pgassay.SeverityExperiment, Failed: 1, Message: "no autovacuum run was triggered in any arm, 3 are needed"})
	r.Failures = append(r.Failures, pgassay.CheckResult{ID: "V13", Title: "Autovacuum ran", Status: pgassay.CheckFailed, Severity: pgassay.SeverityExperiment, Message: "no autovacuum run was triggered in any arm, 3 are needed", Remedy: "Measure longer, or use a smaller table.", Load: -1})
	r.Run.Complete, r.Run.Stop = false, "interrupted"
	return r
}

const nasty = "a|b <script>alert(1)</script> \"q\" 'x' *em* `c` [l](u) {b|c} $x$ ~~s~~ </script>\n# head"

// hostile is a result in which everything of the user's is an attack on the
// languages of the report.
func hostile() *analyze.Result {
	s := two()
	s.question = nasty
	s.named = []string{"default", nasty}
	r := s.result()
	r.Settings[0].Setting, r.Settings[0].Unit = nasty, ""
	r.Trials[1].Reason = nasty
	r.Failures[0].Message = nasty
	r.Run.Command = "pgassay run '" + nasty + "' ```"
	r.Experiment.Arms[1].SQL = []string{"SELECT '" + nasty + "'"}
	return r
}

// void is a result in which no estimate is a number.
func void() *analyze.Result {
	r := two().result()
	nan := pgassay.Interval{Estimate: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), Level: 0.95}
	for i := range r.Comparisons {
		r.Comparisons[i].Effect, r.Comparisons[i].Verdict, r.Comparisons[i].Reason = nan, pgassay.Inconclusive, "nothing is known"
	}
	for i := range r.Cells {
		r.Cells[i].Quantiles = nil
		for k := range r.Cells[i].Metrics {
			r.Cells[i].Metrics[k].Mean = nan
		}
	}
	r.Timelines[0].Series[0].Value[3] = math.NaN()
	return r
}
