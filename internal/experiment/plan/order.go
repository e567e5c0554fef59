package plan

import (
	"math/rand/v2"
	"slices"

	"github.com/pgassay/pgassay"
)

// Planned lists every trial of the design in the order in which it is to be
// made, numbered from 1 as if nothing had to be repeated.
func Planned(d Design) []pgassay.TrialOrder {
	orders := make([]pgassay.TrialOrder, 0, d.Blocks*d.Arms*d.Loads)
	for block := 1; block <= d.Blocks; block++ {
		for position, cell := range blockCells(d, block) {
			orders = append(orders, pgassay.TrialOrder{
				Number: len(orders) + 1, Block: block, Position: position,
				Arm: cell / d.Loads, Load: cell % d.Loads, Attempt: 1, Seed: blockSeed(d, block),
			})
		}
	}
	return orders
}

// The streams keep the random numbers of different purposes apart.
const (
	streamOrder = 0x6f72646572 // "order"
	streamLoad  = 0x6c6f6164   // "load"
)

// blockCells is a block's cells (arm × loads + load) in their order. Odd blocks
// are drawn; each even block mirrors the one before, so that over the pair
// every cell has the same mean position and linear drift cancels.
func blockCells(d Design, block int) []int {
	pair := (block - 1) / 2
	r := rand.New(rand.NewPCG(d.Seed, streamOrder+uint64(pair)<<40))
	cells := r.Perm(d.Arms * d.Loads)
	if block%2 == 0 {
		slices.Reverse(cells)
	}
	return cells
}

// blockSeed is the seed of a block's workload: the same for all its trials, so
// that arms see the same keys, and another one in every block.
func blockSeed(d Design, block int) uint64 {
	return rand.New(rand.NewPCG(d.Seed, streamLoad+uint64(block)<<40)).Uint64()
}
