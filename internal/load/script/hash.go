package script

import "math/bits"

// hashFNV1a is 64-bit FNV-1a over the value's eight bytes, lowest first; the
// seed changes the offset basis, as in pgbench.
func hashFNV1a(value, seed int64) int64 {
	h := uint64(0xcbf29ce484222325) ^ uint64(seed)
	for range 8 {
		h = (h ^ uint64(value)&0xff) * 0x100000001b3
		value >>= 8
	}
	return int64(h)
}

// hashMurmur2 is Appleby's 64-bit MurmurHash2 (variant A) of one 8-byte value.
func hashMurmur2(value, seed int64) int64 {
	const m, r = 0xc6a4a7935bd1e995, 47
	h := uint64(seed) ^ 0x35253c9ade8f4ca8 // seed ^ 8·m
	k := uint64(value) * m
	k ^= k >> r
	h = (h ^ k*m) * m
	h = (h ^ h>>r) * m
	return int64(h ^ h>>r)
}

// xoroshiro is xoroshiro128** of Blackman and Vigna, seeded by splitmix64: what
// pgbench's permute draws from since PostgreSQL 15.
type xoroshiro struct{ a, b uint64 }

func newXoroshiro(seed uint64) xoroshiro {
	first, seed := splitmix(seed)
	second, _ := splitmix(seed)
	return xoroshiro{a: first, b: second}
}

// splitmix is a step of the splitmix64 generator: a value and the next state.
func splitmix(state uint64) (value, next uint64) {
	state += 0x9e3779b97f4a7c15
	z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31, state
}

func (x *xoroshiro) next() uint64 {
	a, b := x.a, x.a^x.b
	x.a = bits.RotateLeft64(a, 24) ^ b ^ b<<16
	x.b = bits.RotateLeft64(b, 37)
	return bits.RotateLeft64(a*5, 7) * 9
}

// upTo is from 0 to high, by rejection of the top bits.
func (x *xoroshiro) upTo(high uint64) uint64 {
	if high == 0 {
		return 0
	}
	shift := bits.LeadingZeros64(high)
	for {
		if v := x.next() >> shift; v <= high {
			return v
		}
	}
}

// permute maps value (modulo size) to its place in the seed's permutation of
// 0 … size-1. It gives pgbench's values: six rounds, each of which multiplies
// by an odd number, exclusive-ors and rotates within the largest power of two
// at the lower end, then the same at the upper end, then shifts by an offset.
func permute(value, size, seed int64) int64 {
	if size < 2 {
		return 0
	}
	x := newXoroshiro(uint64(seed))
	n := uint64(size)
	v := uint64(value) % n
	width := bits.Len64(n) - 1
	mask := uint64(1)<<width - 1
	scramble := func(v, odd, flip uint64) uint64 {
		v = (v*odd ^ flip) & mask
		return v<<1&mask | v>>(width-1)
	}
	for range 6 {
		odd, flip := x.next()&mask|1, x.next()&mask
		if v <= mask {
			v = scramble(v, odd, flip)
		}
		odd, flip = x.next()&mask|1, x.next()&mask
		if t := n - 1 - v; t <= mask {
			v = n - 1 - scramble(t, odd, flip)
		}
		v = (v + x.upTo(n-1)) % n
	}
	return int64(v)
}
