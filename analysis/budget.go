package analysis

import (
	"context"
	"errors"

	"github.com/warplint/warplint/analysis/term"
)

// This file bounds the work on a kernel and on a file.
//
// DESIGN. A verdict should not depend on how fast the machine is, or on what else it does. So the
// first bound counts work: the terms and coefficients that the symbolic stages touch. Each stage
// asks its context before each small piece of work whether to go on; the budget is that context.
// The search for witnesses has limits of its own, in steps of the interpreter, which count for the
// file. The bounds on time stand far behind, for what the count does not see. A verdict that hits
// the budget is the same on every machine, and is kept; one that hits the time is not.

// A unit of work is a term that is touched. What else counts, and for how much, is fitted to the time that the
// proofs of cuda-samples and uts take: a unit is some 100 ns on a core of 2024 for nearly all of those kernels.
const (
	kernelWork = 1_000_000        // on one kernel: a tenth of a second
	fileWork   = 100 * kernelWork // on all kernels of a file
	muchWork   = 8                // an instance of a template that spends a so many-th of what it gets on no proof leaves a quarter to the next
	stepWork   = 1                // for a step of the interpreter
)

// What one question stands for, by stage: the work between two questions that nothing else counts.
const (
	askPerStatement = 12
	askPerPair      = 12
	askPerSweep     = 768 // a sweep asks once in 1024 statements
)

// errWork is the reason why a context ends whose budget is spent.
var errWork = errors.New("the kernel takes more work than the analysis does")

// budget is a context that also ends when its work is done. It is for one goroutine.
type budget struct {
	context.Context
	table *term.Table
	ask   int64 // what a question stands for
	other int64 // work that the table does not count
	limit int64
}

// Err implements context.Context.
func (b *budget) Err() error {
	b.other += b.ask
	if b.spent() > b.limit {
		return errWork
	}
	return b.Context.Err()
}

func (b *budget) spent() int64 { return b.table.Work + b.other }

// asking returns the budget for a stage, by what a question of it stands for.
func (b *budget) asking(ask int64) *budget {
	b.ask = ask
	return b
}

// Left implements prove.Budget.
func (b *budget) Left() int64 { return max(b.limit-b.spent(), 0) }

// exhausted reports whether the work, and not the time, is at its end.
func (b *budget) exhausted() bool { return b.spent() > b.limit }
