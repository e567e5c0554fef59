package analyze

import (
	"testing"

	"github.com/pgassay/pgassay"
)

func TestAmount(t *testing.T) {
	for _, row := range []struct {
		metric pgassay.MetricName
		v      float64
		want   string
	}{
		{pgassay.MetricTPS, 1234.56, "1,235 /s"},
		{pgassay.MetricTPS, 12.345, "12.3 /s"},
		{pgassay.MetricTPS, 1234567, "1,234,567 /s"},
		{pgassay.MetricResponseP99, 12.34e6, "12.3 ms"},
		{pgassay.MetricResponseP99, 234_567, "235 µs"},
		{pgassay.MetricResponseP99, 1.5e9, "1.50 s"},
		{pgassay.MetricResponseP99, -1.5e6, "-1.50 ms"},
		{pgassay.MetricServerCPU, 0.000123, "123 µs"},
		{pgassay.MetricVacuumTime, 0, "0 s"},
		{pgassay.MetricWALPerTxn, 2048, "2 kB"},
		{pgassay.MetricWALPerTxn, 812, "812 B"},
		{pgassay.MetricErrorRate, 0.0004, "0.04 %"},
		{pgassay.MetricDeadRowsEnd, 20_000, "20,000"},
		{pgassay.MetricVacuums, 2.25, "2.25"},
		{pgassay.MetricVacuums, 0, "0"},
	} {
		m, _ := pgassay.MetricByName(row.metric)
		if got := amount(m, row.v); got != row.want {
			t.Errorf("%s %v: got %q want %q", row.metric, row.v, got, row.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, row := range []struct {
		v    float64
		want string
	}{
		{0, "0 %"}, {0.05234, "5.2 %"}, {0.123, "12.3 %"}, {1.5, "150 %"}, {0.9996, "100 %"}, {0.0012, "0.12 %"}, {-0.031, "-3.1 %"}, {0.00001, "0 %"}, {-0.00001, "0 %"},
	} {
		if got := percent(row.v); got != row.want {
			t.Errorf("%v: got %q want %q", row.v, got, row.want)
		}
	}
	if got := signed(0.02); got != "+2.0 %" {
		t.Errorf("signed: got %q", got)
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[pgassay.MetricName]string{
		pgassay.MetricTPS: "throughput", pgassay.MetricResponseP99: "P99 latency", pgassay.MetricWALPerTxn: "WAL per transaction", pgassay.MetricDeadRowsEnd: "dead rows at the end",
	} {
		if got := metricNoun(name); got != want {
			t.Errorf("%s: got %q want %q", name, got, want)
		}
	}
	for _, row := range []struct {
		names []string
		want  string
	}{{nil, ""}, {[]string{"a"}, "a"}, {[]string{"a", "b"}, "a and b"}, {[]string{"a", "b", "c"}, "a, b and c"}} {
		if got := list(row.names); got != row.want {
			t.Errorf("%q: got %q want %q", row.names, got, row.want)
		}
	}
}
