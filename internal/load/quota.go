package load

import "sync/atomic"

// quota hands out a number of transactions to clients, in chunks that shrink
// towards the end so that all stop at about the same time.
type quota struct {
	left    atomic.Int64
	clients int64
}

const quotaChunk = 64

func newQuota(transactions int64, clients int) *quota {
	q := &quota{clients: int64(clients)}
	q.left.Store(transactions)
	return q
}

// take returns how many transactions the client may begin; 0 means that the
// quota is used up.
func (q *quota) take() int64 {
	for {
		left := q.left.Load()
		if left <= 0 {
			return 0
		}
		n := min(max(left/(8*q.clients), 1), quotaChunk)
		if q.left.CompareAndSwap(left, left-n) {
			return n
		}
	}
}

// giveBack returns what a client that is gone has not begun.
func (q *quota) giveBack(n int64) { q.left.Add(n) }
