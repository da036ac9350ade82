// Package asynccopy is the rule async-copy: data of an asynchronous copy is used before the wait that covers it.
package asynccopy

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.AsyncCopy,
	Title:    "Data of an asynchronous copy is used before the wait that covers it",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

// applies to what comes too early after a copy. What a copy itself comes too early after lacks a
// barrier, as with any write.
func applies(c *rule.Case) bool {
	return c.Kind != race.InterBlock && (c.A.Copy != nil || c.B.Copy != nil && (c.Miss.What == order.Wait || c.Miss.What == order.ProxyFence))
}

// sides are the copy of a case and what comes too early.
func sides(c *rule.Case) (copied, early *access.Access) {
	if c.A.Copy != nil {
		return c.A, c.B
	}
	return c.B, c.A
}

func explain(c *rule.Case) rule.Text {
	if c.Miss.What == order.ProxyFence {
		_, written := sides(c)
		return rule.Text{
			Message: fmt.Sprintf("a thread %s, and a bulk copy reads that with no proxy fence between", c.Does(written)),
			Why:     "A bulk copy reads by the async proxy, not as threads do. A barrier tells its thread that the others have written, but what they wrote need not have come to where the copy reads.",
			Mend:    "Let each thread that has written execute fence.proxy.async in front of the barrier (cuda::ptx::fence_proxy_async).",
		}
	}
	copied, early := sides(c)
	does, what := c.Does(early), "its destination"
	if copied.Kind == race.Read {
		what = "its source"
	}
	if c.Miss.What != order.Wait {
		return rule.Text{
			Message: fmt.Sprintf("a thread %s, %s of another thread's asynchronous copy, with no barrier between", does, strings.TrimPrefix(what, "its ")),
			Why:     "A thread's wait covers the copies that it has begun itself. Only a barrier behind the wait tells it that the copies of other threads are done.",
			Mend:    "Insert __syncthreads() between the two, where no copy is under way.",
		}
	}
	return rule.Text{
		Message: fmt.Sprintf("a thread %s while the asynchronous copy may still be under way: nothing waits for it before", does),
		Why:     fmt.Sprintf("The copy goes on beside the thread that began it, and no barrier ends it. Until its thread has waited for it, %s must not be touched.", what),
		Mend:    fmt.Sprintf("Wait for the copy first (%s), with a barrier behind the wait if other threads began it.", strings.TrimSuffix(waitFor(c, copied), ";")),
	}
}

// waitFor is the statement that waits for a copy.
func waitFor(c *rule.Case, copied *access.Access) string {
	name, args := c.Called(copied.Site), c.Arguments(copied.Site)
	space := strings.TrimSuffix(name, "memcpy_async")
	switch {
	case name == "__pipeline_memcpy_async":
		return "__pipeline_wait_prior(0);"
	case len(args) == 0 || space == name:
		return `asm volatile("cp.async.wait_all;");`
	case copied.Copy.Barrier != nil && !ofPipeline(c, copied.Copy.Barrier.Base):
		return args[len(args)-1] + ".arrive_and_wait();"
	case copied.Copy.Closed:
		return fmt.Sprintf("%swait(%s);", space, args[0])
	}
	return args[len(args)-1] + ".consumer_wait();"
}

// ofPipeline reports whether the barriers in some memory are those of a pipeline, which has stages of its own.
func ofPipeline(c *rule.Case, barriers *access.Base) bool {
	if barriers == nil {
		return false // an address made from an integer
	}
	found := false
	for n := range ir.All[*ir.Named](c.Func.Body) {
		if n.Op == "mbarrier.init" {
			at, known := ir.Root(n.Args[0])
			found = found || known && at.Obj == barriers.Object && strings.HasSuffix(c.Called(n.Site), "make_pipeline")
		}
	}
	return found
}

const (
	barrier    = "__syncthreads();"
	proxyFence = `asm volatile("fence.proxy.async.shared::cta;" ::: "memory");`
)

// fenced offers a proxy fence: in front of the barrier behind the writes, behind them, or in front of the copy.
func fenced(c *rule.Case) []race.Fix {
	const title = "Insert a proxy fence"
	var out []race.Fix
	for _, b := range c.Between(func(b *ir.Barrier) bool { return b.Level >= ir.BlockLevel }) {
		out = append(out, rule.Preceded(c, b, proxyFence, title)...)
	}
	out = append(out, rule.Inserted(c, proxyFence, title)...)
	for i := range out {
		out[i].Safe = true // a fence only adds order
	}
	return out
}

func fixes(c *rule.Case) []race.Fix {
	if c.Miss.What == order.ProxyFence {
		return fenced(c)
	}
	copied, _ := sides(c)
	if c.Miss.What != order.Wait {
		return rule.Inserted(c, barrier, "Insert __syncthreads()")
	}
	wait, title := waitFor(c, copied), "Wait for the copy"
	var out []race.Fix
	for _, b := range c.Between(func(b *ir.Barrier) bool { return b.Level >= ir.BlockLevel }) {
		out = append(out, rule.Preceded(c, b, wait, title)...) // serves all threads
	}
	alone, both := rule.Inserted(c, wait, title), rule.Inserted(c, wait+" "+barrier, title+" and for the block")
	for i := range alone {
		out = append(out, alone[i], both[i])
	}
	return out
}
