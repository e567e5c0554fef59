package wire

import "container/heap"

// sleepers are the lines that are asleep, the first to wake at the front.
type sleepers struct{ lines []*line }

func (s *sleepers) Len() int           { return len(s.lines) }
func (s *sleepers) Less(i, j int) bool { return s.lines[i].wake < s.lines[j].wake }
func (s *sleepers) Swap(i, j int)      { s.lines[i], s.lines[j] = s.lines[j], s.lines[i] }
func (s *sleepers) Push(x any)         { s.lines = append(s.lines, x.(*line)) }
func (s *sleepers) Pop() any {
	last := s.lines[len(s.lines)-1]
	s.lines = s.lines[:len(s.lines)-1]
	return last
}

// add puts a line to sleep until its wake.
func (s *sleepers) add(l *line) { heap.Push(s, l) }

// first is when the next one wakes; false when nobody sleeps.
func (s *sleepers) first() (int64, bool) {
	if len(s.lines) == 0 {
		return 0, false
	}
	return s.lines[0].wake, true
}

// due takes a line out whose time has come by now, or returns nil.
func (s *sleepers) due(now int64) *line {
	if at, ok := s.first(); !ok || at > now {
		return nil
	}
	return heap.Pop(s).(*line)
}
