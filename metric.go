package pgassay

// MetricName names a metric of the closed list [Metrics].
type MetricName string

// The metrics that a trial yields.
const (
	MetricTPS          MetricName = "tps"
	MetricRowsPerS     MetricName = "rows_per_s"
	MetricRows         MetricName = "rows"
	MetricResponseP50  MetricName = "response_p50"
	MetricResponseP90  MetricName = "response_p90"
	MetricResponseP95  MetricName = "response_p95"
	MetricResponseP99  MetricName = "response_p99"
	MetricResponseP999 MetricName = "response_p999"
	MetricResponseMean MetricName = "response_mean"
	MetricErrorRate    MetricName = "error_rate"
	MetricWALPerTxn    MetricName = "wal_bytes_per_txn"
	MetricServerCPU    MetricName = "server_cpu_per_txn"
	MetricVacuumCPU    MetricName = "autovacuum_cpu_seconds"
	MetricClientCPU    MetricName = "client_cpu_per_txn"
	MetricVacuums      MetricName = "autovacuum_runs"
	MetricVacuumTime   MetricName = "vacuum_seconds"
	MetricDeadRowsEnd  MetricName = "dead_rows_end"
)

// Direction says which way is better.
type Direction int

// The directions: Neutral metrics are described, never judged.
const (
	LowerIsBetter  Direction = -1
	Neutral        Direction = 0
	HigherIsBetter Direction = 1
)

// Metric describes one metric.
type Metric struct {
	Name      MetricName `json:"name"`
	Title     string     `json:"title"`
	Unit      string     `json:"unit"` // "1/s", "ns", "s", "B", "1" (a share) or "" (a count)
	Direction Direction  `json:"direction"`
	// Quantile is set (0.5, 0.99, …) for latency quantiles.
	Quantile float64 `json:"quantile,omitempty"`
	// MinTransactions is the fewest transactions in a trial from which the
	// metric can be known, 0 for any (METHOD V22).
	MinTransactions int64 `json:"min_transactions,omitempty"`
}

// Metrics lists every metric, in the order in which reports show them.
var Metrics = []Metric{
	{Name: MetricTPS, Title: "Throughput", Unit: "1/s", Direction: HigherIsBetter},
	{Name: MetricRowsPerS, Title: "Rows written per second", Unit: "1/s", Direction: HigherIsBetter},
	{Name: MetricRows, Title: "Rows written", Unit: "", Direction: Neutral},
	{Name: MetricResponseMean, Title: "Mean latency", Unit: "ns", Direction: LowerIsBetter},
	{Name: MetricResponseP50, Title: "Latency P50", Unit: "ns", Direction: LowerIsBetter, Quantile: 0.50, MinTransactions: 200},
	{Name: MetricResponseP90, Title: "Latency P90", Unit: "ns", Direction: LowerIsBetter, Quantile: 0.90, MinTransactions: 1_000},
	{Name: MetricResponseP95, Title: "Latency P95", Unit: "ns", Direction: LowerIsBetter, Quantile: 0.95, MinTransactions: 2_000},
	{Name: MetricResponseP99, Title: "Latency P99", Unit: "ns", Direction: LowerIsBetter, Quantile: 0.99, MinTransactions: 10_000},
	{Name: MetricResponseP999, Title: "Latency P99.9", Unit: "ns", Direction: LowerIsBetter, Quantile: 0.999, MinTransactions: 100_000},
	{Name: MetricErrorRate, Title: "Errors", Unit: "1", Direction: LowerIsBetter},
	{Name: MetricWALPerTxn, Title: "WAL per transaction", Unit: "B", Direction: LowerIsBetter},
	{Name: MetricServerCPU, Title: "Server CPU per transaction", Unit: "s", Direction: LowerIsBetter},
	{Name: MetricVacuumCPU, Title: "Autovacuum CPU", Unit: "s", Direction: Neutral},
	{Name: MetricClientCPU, Title: "Client CPU per transaction", Unit: "s", Direction: Neutral},
	{Name: MetricVacuums, Title: "Autovacuum runs finished", Unit: "", Direction: Neutral},
	{Name: MetricVacuumTime, Title: "Time in autovacuum", Unit: "s", Direction: Neutral},
	{Name: MetricDeadRowsEnd, Title: "Dead rows at the end", Unit: "", Direction: LowerIsBetter},
}

// MetricByName finds a metric of the closed list.
func MetricByName(name MetricName) (Metric, bool) {
	for _, m := range Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}
