// This file lets AVX2 execute the operations of vector.txt where the processor has it.

package sim

import (
	"maps"

	"golang.org/x/sys/cpu"
)

//go:generate go run ./internal/genvector vector.txt vector_generated

// loops are the operations in plain Go, which the vectors have to agree with.
var loops = maps.Clone(operations)

func init() {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return
	}
	allAddresses = vectorAddresses
	for key, run := range vectorOperations {
		op := operations[key]
		op.run = run
		operations[key] = op
	}
}

//go:noescape
func vectorAddresses(to, from *[32]uint64, offset, distance uint64) (low, high, or uint64, together bool)
