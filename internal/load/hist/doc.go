// Package hist keeps latencies: nanoseconds in, quantiles out.
//
//  1. Clients call [Recorder.Record], which never fails, never allocates and
//     takes no lock: one atomic addition to a bucket and one to the sum.
//  2. About once a second [Recorder.AddTo] adds a recorder's buckets to a
//     [Histogram]; [Histogram.Minus] gives what came since the last look.
//  3. [Histogram.Encode] writes the standard HdrHistogram V2 compressed form,
//     as bytes and not as base64; [Decode] reads it, also when another
//     program wrote it.
//
// The buckets are those of an HdrHistogram with a lowest value of 1 ns, a
// highest of 1 h and 3 significant digits: a value below 2,048 ns is exact,
// any other within 0.1 %. Values above an hour are counted as one hour and
// counted apart, so the total is right and the loss is seen.
//
// Cost: a recorder or histogram has 33,792 buckets of 8 bytes (264 KiB), of
// which the operating system provides only the pages that are touched. A
// recorder is therefore shared by a group of clients, not kept per client:
// four groups and three scripts are about 3 MiB, whatever the number of
// clients. An uncontended Record takes about 10 ns (BenchmarkRecord).
package hist
