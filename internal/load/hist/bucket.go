package hist

import "math/bits"

const (
	lowestNS  = 1
	highestNS = 3_600_000_000_000
	digits    = 3

	// An HdrHistogram with 3 digits has 2,048 sub-buckets; of every bucket but
	// the first only the upper half is used, because the lower half overlaps
	// the bucket below.
	subBuckets  = 2048
	halfBuckets = subBuckets / 2
	halfBits    = 10
	// buckets is the number of doublings of 2,048 that reach an hour.
	buckets    = 32
	countsSize = (buckets + 1) * halfBuckets
)

// indexOf is the place of a value in the counts of an HdrHistogram. v must be
// from 0 to highestNS.
func indexOf(v int64) int {
	bucket := 64 - bits.LeadingZeros64(uint64(v)|(subBuckets-1)) - (halfBits + 1)
	return (bucket+1)<<halfBits + int(v>>uint(bucket)) - halfBuckets
}
