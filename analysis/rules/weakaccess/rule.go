// Package weakaccess is the rule weak-access: a flag or published data is read or written with plain accesses.
package weakaccess

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
	"github.com/warplint/warplint/analysis/term"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.WeakAccess,
	Title:    "A flag or published data is read or written with plain accesses",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.Miss.What == order.Weak && !c.Miss.Lock
}

func explain(c *rule.Case) rule.Text {
	if len(c.Miss.At) == 0 && waited(c) && setWithin(c) {
		mend := "Make it volatile or access it with atomics: each thread then sees the write sooner or later."
		if c.Kind != race.InterBlock {
			mend = "Insert __syncthreads() between the write and the read, and between the read and the next write. Where each thread may leave for itself, access it with atomics."
		}
		return rule.Text{
			Message: c.Meet() + "; a loop ends by it, and nothing orders the two",
			Why:     "The threads may read different values, so that some leave the loop and others go on. And the compiler may read a plain variable once and keep it in a register.",
			Mend:    mend,
		}
	}
	if len(c.Miss.At) == 0 && waited(c) {
		return rule.Text{
			Message: fmt.Sprintf("a loop waits for `%s`, which is read and written by plain accesses", c.Variable()),
			Why:     "The compiler may read it once and keep it in a register, so that the loop never ends, and nothing that the other thread has written before is sure to be seen.",
			Mend:    "Make it volatile or access it with atomics, with a fence between it and the data that it stands for.",
		}
	}
	return rule.Text{
		Message: fmt.Sprintf("`%s` is handed over by a flag that is a plain access", c.Variable()),
		Why:     "A plain read of the flag may be kept in a register, and a plain write may be delayed; neither synchronizes with the other thread.",
		Mend:    "Make the flag volatile or access it with atomics, with a fence between it and the data.",
	}
}

// waited reports whether one of the accesses is what a loop waits for. Where only a run has shown that some flag is a
// plain access, it is another one.
func waited(c *rule.Case) bool {
	polled := hb.PolledSites(c.Func)
	return polled[c.A.Site] || polled[c.B.Site]
}

// setWithin reports whether the loop itself sets what it ends by: it waits for nobody.
func setWithin(c *rule.Case) bool {
	read, write := c.A, c.B
	if read.Writes() {
		read, write = write, read
	}
	n := len(read.Loops)
	return n > 0 && slices.Contains(write.Loops, read.Loops[n-1])
}

func fixes(c *rule.Case) []race.Fix {
	if len(c.Miss.At) > 0 {
		return rule.FlagMadeAtomic(c, c.Miss.At)
	}
	flag := rule.FlagMadeAtomic(c, []ir.Stmt{c.A.Stmt, c.B.Stmt})
	if c.Kind == race.InterBlock || !c.InTurn() || rule.Strong(c.A) || rule.Strong(c.B) {
		return flag
	}
	// Where all threads go by what a loop ends with, none has to wait for it.
	synced := rule.Synced(c, ir.BlockLevel)
	for _, a := range []*access.Access{c.A, c.B} {
		if a.Writes() && a.Off.Variance() > term.Block {
			return synced // an element for each thread is no flag
		}
	}
	return append(synced, flag...)
}
