// Package asynccopy is the rule async-copy: data of an asynchronous copy is used before the wait that covers it.
package asynccopy

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
	"github.com/warplint/warplint/analysis/source"
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
			Why:     "A thread's wait covers the copies that it has begun itself. Only a barrier tells it that the copies of other threads are done, or that others no longer use what its next copy overwrites.",
			Mend:    "Insert __syncthreads() between the two: behind the wait for the copy, and before the next one that overwrites it.",
		}
	}
	how := " at its mbarrier"
	if wait := waitFor(c, copied); wait != "" {
		how = " (" + strings.TrimSuffix(wait, ";") + ")"
	}
	return rule.Text{
		Message: fmt.Sprintf("a thread %s while the asynchronous copy may still be under way: nothing waits for it before", does),
		Why:     fmt.Sprintf("The copy goes on beside the thread that began it, and no barrier ends it. Until its thread has waited for it, %s must not be touched.", what),
		Mend:    fmt.Sprintf("Wait for the copy first%s, with a barrier behind the wait if other threads began it.", how),
	}
}

// waitFor is the statement that waits for a copy; empty if only its thread can say what to wait for.
func waitFor(c *rule.Case, copied *access.Access) string {
	name, args := c.Called(copied.Site), c.Arguments(copied.Site)
	space := strings.TrimSuffix(name, "memcpy_async")
	switch {
	case copied.Copy.Bulk && space == name && copied.Copy.Barrier != nil:
		return "" // at its mbarrier, in the phase that it is in
	case copied.Copy.Bulk && space == name:
		return `asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");`
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
	if barriers == nil || barriers.Object == nil {
		return false // an address made from an integer, or of memory that is not the kernel's
	}
	found := false
	for n := range ir.All[*ir.Named](c.Func.Body) {
		if n.Op == "mbarrier.init" {
			at, known := ir.Root(n.Args[0])
			found = found || known && at.Obj.ID == barriers.Object.ID && strings.HasSuffix(c.Called(n.Site), "make_pipeline")
		}
	}
	return found
}

const proxyFence = `asm volatile("fence.proxy.async.shared::cta;" ::: "memory");`

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
	copied, early := sides(c)
	if c.Miss.What != order.Wait {
		return rule.Synced(c, ir.BlockLevel)
	}
	if early.Copy != nil {
		return nil // a wait would order the two, but what the first one brought is overwritten all the same
	}
	wait, title, barrier := waitFor(c, copied), "Wait for the copy", c.Sync(ir.BlockLevel)+";"
	if wait == "" {
		return rule.Synced(c, ir.BlockLevel) // enough where what the copy overwrites is read before
	}
	out := waitsForMore(c, copied, early, title, barrier)
	for _, b := range c.Between(func(b *ir.Barrier) bool { return b.Level >= ir.BlockLevel }) {
		out = append(out, rule.Preceded(c, b, wait, title)...) // serves all threads
	}
	alone, both := rule.Inserted(c, wait, title), rule.Inserted(c, wait+"\n"+barrier, title+" and for the block")
	for i := range alone {
		if follows(c, alone[i], copied, early) {
			out = append(out, alone[i], both[i])
		}
	}
	return out
}

// pending is where a wait says how many of the last copies may still be under way.
var pending = regexp.MustCompile(`(wait_prior\s*[<(]\s*|wait_group(?:\.read)?\s+)(\d+)`)

// waitsForMore offers to let a wait behind the copy leave fewer copies under way, as few more as suffice.
func waitsForMore(c *rule.Case, copied, early *access.Access, title, barrier string) (out []race.Fix) {
	for n := range ir.All[*ir.Named](c.Func.Body) {
		at := c.Func.Sites[n.Site]
		f, ok := c.Files.File(at.Span.File)
		if !ok || !strings.HasSuffix(n.Op, ".wait") || !at.Macro.IsZero() || !followsAt(c, at.Span, c.Site(copied).Stmt, c.Site(early).Stmt) {
			continue
		}
		text := f.Slice(at.Span)
		number := pending.FindStringSubmatchIndex(text)
		if number == nil {
			continue
		}
		most, _ := strconv.Atoi(text[number[4]:number[5]])
		for left := min(most, 4) - 1; left >= 0; left-- {
			waits := rule.Replaced(c, n.Site, text[:number[4]]+strconv.Itoa(left)+text[number[5]:], title)
			out = append(out, waits...)
			out = append(out, rule.Followed(c, n, barrier, waits, title+" and for the block")...)
		}
	}
	return out
}

// follows reports whether a fix waits between the copy and what comes too early, or in a loop on the way round from the one to the other. In front of
// the copy it would end the copies that others are to overlap with, and before the stage of a pipeline is committed it would wait for ever.
func follows(c *rule.Case, fix race.Fix, copied, early *access.Access) bool {
	first, second := c.Func.Sites[copied.Site].Stmt, c.Func.Sites[early.Site].Stmt
	return !slices.ContainsFunc(fix.Edits, func(e race.Edit) bool { return !followsAt(c, e.Span, first, second) })
}

func followsAt(c *rule.Case, at, first, second source.Span) bool {
	if at.File != first.File || at.File != second.File {
		return true
	}
	behind, before := at.Start >= committed(c, first), at.Start <= second.Start
	if first.Start < second.Start {
		return behind && before
	}
	return behind || before
}

// committed is where the stage ends that a copy is of: behind the next commit in the text, or else behind the copy.
func committed(c *rule.Case, copied source.Span) int {
	end, found := copied.End, false
	for n := range ir.All[*ir.Named](c.Func.Body) {
		at := c.Func.Sites[n.Site].Stmt
		if at.File == copied.File && at.Start >= copied.End && (!found || at.End < end) && strings.HasSuffix(c.Called(n.Site), "producer_commit") {
			end, found = at.End, true
		}
	}
	return end
}
