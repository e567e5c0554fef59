package pglog

import "strings"

// Usage is what an autovacuum worker spent on one table. A value that the line
// does not hold (an older version, or a tracking setting that is off) is -1.
type Usage struct {
	Hits, Misses, Dirtied float64 // buffers; 18 calls the misses "reads"
	ReadS, WriteS         float64 // seconds in I/O calls, with track_io_timing
	DelayS                float64 // seconds asleep, 18+ with track_cost_delay_timing
	WALRecords            float64
	WALFullPageImages     float64
	WALBytes              float64
	WALBuffersFull        float64 // 18+
	CPUUserS, CPUSystemS  float64
	ElapsedS              float64
}

func unknownUsage() Usage {
	return Usage{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}
}

// line takes in one line of a vacuum's or an analyze's body; it says whether
// the line was one of usage.
func (u *Usage) line(l string) bool {
	var ms [2]float64
	switch {
	case words(l, "buffer usage: # hits, # *, # dirtied", &u.Hits, &u.Misses, &u.Dirtied):
	case words(l, "avg read rate: # MB/s, avg write rate: # MB/s"): // follows from buffers and time
	case words(l, "I/O timings: read: # ms, write: # ms", &ms[0], &ms[1]):
		u.ReadS, u.WriteS = ms[0]/1e3, ms[1]/1e3
	case words(l, "delay time: # ms", &ms[0]):
		u.DelayS = ms[0] / 1e3
	case strings.HasPrefix(l, "WAL usage: "):
		// 14–17 end after the bytes; 18 appends "N buffers full", 19 puts "N full
		// page image bytes" before that.
		for _, part := range strings.Split(l[len("WAL usage: "):], ", ") {
			_ = words(part, "# records", &u.WALRecords) || words(part, "# full page images", &u.WALFullPageImages) ||
				words(part, "# bytes", &u.WALBytes) || words(part, "# buffers full", &u.WALBuffersFull)
		}
	case words(l, "system usage: CPU: user: # s, system: # s, elapsed: # s", &u.CPUUserS, &u.CPUSystemS, &u.ElapsedS):
	default:
		return false
	}
	return true
}
