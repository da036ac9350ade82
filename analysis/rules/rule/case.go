package rule

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/term"
)

// Case is a race that was shown, as the rules see it to name what is wrong.
type Case struct {
	Func  *ir.Func
	A, B  *access.Access // A's statement stands first in the text, as far as one does
	Kind  race.Kind
	Miss  order.Miss
	Files source.Provider
	// Others are the functions that are judged with Func: a place in the text may have another type in one of them.
	Others []*ir.Func
	Arch   int // __CUDA_ARCH__, 0 if nobody says
	// Tolerated is set where policy counts the two as ordered and the memory model does not.
	Tolerated bool
	// Same is set where both write the same value, or one writes back what the other reads.
	Same bool
}

// Text is what a rule says of a case: the fact in one line, why nothing orders the two
// accesses, and what mends it.
type Text struct{ Message, Why, Mend string }

// Strong reports whether an access is an atomic operation or an atomic load or store.
func Strong(a *access.Access) bool { return a.Order != ir.Weak }

// LacksFence reports whether a hand-over between the two lacks what a fence would give, of the one
// sort or the other. A counter that threads act upon and that one of them resets plainly needs an
// atomic rather.
func (c *Case) LacksFence(what order.What) bool {
	return c.Miss.What == what && !c.Miss.Lock && !(Strong(c.A) != Strong(c.B) && (acted(c.A) || acted(c.B)))
}

// acted reports whether an access is an atomic whose result is used.
func acted(a *access.Access) bool { return a.Kind == race.Atomic && a.Result != nil }

// Returned says of a race that is there because one of the two threads may have returned before the barrier
// that the other comes to.
func (c *Case) Returned() Text {
	return Text{
		Message: c.Meet() + "; the barrier between does not wait for a thread that has returned",
		Why:     "A barrier waits for, and orders, the threads that come to it. One that has returned before does not: nothing orders what it has done since the last barrier that it came to.",
		Mend:    "Let all threads come to the barrier, and return behind it.",
	}
}

// Rechecked reports whether an access is a plain read whose value a compare-and-swap checks.
func (c *Case) Rechecked(a *access.Access) bool {
	load, ok := a.Stmt.(*ir.Load)
	return ok && !Strong(a) && order.Rechecked(c.Func, load)
}

// Site returns the place of an access.
func (c *Case) Site(a *access.Access) ir.Site { return c.Func.Sites[a.Site] }

// InTurn reports whether a thread may come to both accesses, one after the other: a barrier can stand
// between them.
func (c *Case) InTurn() bool {
	if c.A.Stmt == c.B.Stmt {
		return false
	}
	apart := false // in the two branches of one statement
	holds := func(list []ir.Stmt, of ir.Stmt) bool {
		found := false
		ir.WalkStmts(list, func(s ir.Stmt) bool {
			found = found || s == of
			return !found
		})
		return found
	}
	ir.WalkStmts(c.Func.Body, func(s ir.Stmt) bool {
		if i, ok := s.(*ir.If); ok && !apart {
			apart = holds(i.Then, c.A.Stmt) && holds(i.Else, c.B.Stmt) || holds(i.Then, c.B.Stmt) && holds(i.Else, c.A.Stmt)
		}
		return !apart
	})
	return !apart
}

// InLoop reports whether a loop is around both accesses.
func (c *Case) InLoop() bool {
	return slices.ContainsFunc(c.A.Loops, func(l *access.Loop) bool { return slices.Contains(c.B.Loops, l) })
}

// Mend is what mends a race for want of a barrier: the advice to insert one at a place, unless none can stand between
// the two accesses, as they are of one statement, or in two branches, and no loop leads back to them.
func (c *Case) Mend(barrier, place string) string {
	around := c.InLoop()
	one := c.oneStatement()
	update := c.A.Stmt == c.B.Stmt || one && c.Expression(c.A) == c.Expression(c.B)
	where := "in different branches"
	everybody := c.A.Stmt == c.B.Stmt && c.A.Off.Variance() <= term.Block && c.A.Off.Loops() == 0 // writes there in each round
	switch {
	case everybody:
		where = "one statement"
	case update && around && c.A.Stmt != c.B.Stmt:
		return "Update it with an atomic, or give each thread an element of its own. " + barrier + " in the loop helps only if no two threads meet there in one round."
	case around, !one && c.InTurn():
		return "Insert " + barrier + " between the two accesses" + place + "."
	case update:
		where = "one statement"
	case one && c.InTurn():
		return "Read into a variable first, and insert " + barrier + " between that and the write" + place + "."
	}
	return "No barrier can stand between the two, which are " + where + ". Give each thread an element of its own, let one thread do it, or update it with an atomic."
}

// oneStatement reports whether both accesses are of one statement of the text, reached on the same way.
func (c *Case) oneStatement() bool {
	a, b := c.Site(c.A), c.Site(c.B)
	return a.Stmt == b.Stmt && slices.Equal(a.Inlined, b.Inlined) && !a.Library
}

// Variable is what people call the memory.
func (c *Case) Variable() string {
	if v := c.Site(c.A).Variable; v != "" {
		return v
	}
	if c.A.Base.Pointer != nil { // whose name is a formula
		return c.Expression(c.A)
	}
	return c.A.Base.Name
}

// Meet says who the two threads are and what each does, such as "two blocks: one writes `a[i]`, the
// other reads `a[j]`", "two blocks both write `a[i]`", or "two blocks both read `n` and write it back".
func (c *Case) Meet() string {
	first, second := c.Does(c.A), c.Does(c.B)
	if first == second {
		return fmt.Sprintf("%s both %s", Who(c.Kind), c.does(c.A, ""))
	}
	if c.oneStatement() && c.Expression(c.A) == c.Expression(c.B) && c.A.Kind != race.Atomic && c.B.Kind != race.Atomic && c.A.Copy == nil && c.B.Copy == nil {
		return fmt.Sprintf("%s both read `%s` and write it back", Who(c.Kind), c.Expression(c.A))
	}
	return fmt.Sprintf("%s: one %s, the other %s", Who(c.Kind), first, second)
}

// Does describes an access in the words of its source, such as "writes `tile[t]`".
func (c *Case) Does(a *access.Access) string { return c.does(a, "s") }

func (c *Case) does(a *access.Access, ending string) string {
	verb := map[race.Access]string{race.Read: "read", race.Write: "write", race.Atomic: "update"}[a.Kind] + ending
	if c.Site(a).Library {
		memory := "memory"
		if a.Base.Pointer == nil {
			memory = "`" + a.Base.Name + "`"
		}
		return fmt.Sprintf("%s %s in `%s`", verb, memory, c.Expression(a))
	}
	if a.Copy != nil || a.Kind == race.Atomic {
		verb += " by"
	}
	return fmt.Sprintf("%s `%s`", verb, c.Expression(a))
}

// Expression is the source text of an access, shortened to one line.
func (c *Case) Expression(a *access.Access) string { return c.text(c.Site(a).Span) }

func (c *Case) text(span source.Span) string {
	f, ok := c.Files.File(span.File)
	if !ok {
		return c.Variable()
	}
	return oneLine(f.Slice(span))
}

// Called returns the name of the function that a site's call calls, as written; nothing if the site is no call.
func (c *Case) Called(site int) string {
	at := c.Func.Sites[site]
	f, ok := c.Files.File(at.Span.File)
	if !ok || at.Name.IsZero() || !at.Macro.IsZero() {
		return ""
	}
	return f.Slice(at.Name)
}

// Arguments returns the arguments of a site's call, as written.
func (c *Case) Arguments(site int) (args []string) {
	at := c.Func.Sites[site].Span
	if c.Called(site) == "" {
		return nil
	}
	f, _ := c.Files.File(at.File)
	for _, n := range syntax.WrittenIn(f).Around(at) {
		if n.Kind == "call_expression" {
			for _, arg := range expressions(n.Child("arguments")) {
				args = append(args, f.Text[arg.Start:arg.End])
			}
			return args
		}
	}
	return nil
}

// At is the source text of a site, shortened to one line.
func (c *Case) At(site int) string { return c.text(c.Func.Sites[site].Span) }

// Between lists the barriers in the text between the two places that match, the last first.
func (c *Case) Between(match func(*ir.Barrier) bool) []*ir.Barrier {
	var out []*ir.Barrier
	from, to := c.Site(c.A).Span, c.Site(c.B).Span
	ir.WalkStmts(c.Func.Body, func(s ir.Stmt) bool {
		if b, ok := s.(*ir.Barrier); ok {
			at := c.Func.Sites[b.Site].Span
			if at.File == from.File && at.File == to.File && from.Start < at.Start && at.Start < to.Start && match(b) {
				out = append([]*ir.Barrier{b}, out...)
			}
		}
		return true
	})
	return out
}

func oneLine(s string) string {
	out := make([]rune, 0, len(s))
	space := false
	for _, r := range s {
		if r == '\n' || r == '\t' || r == '\r' || r == ' ' {
			space = true
			continue
		}
		if space && len(out) > 0 {
			out = append(out, ' ')
		}
		space = false
		out = append(out, r)
	}
	const most = 60
	if len(out) > most {
		out = append(out[:most-1], '…')
	}
	return string(out)
}

// Who names the two threads of a kind.
func Who(kind race.Kind) string {
	switch kind {
	case race.IntraWarp:
		return "two threads of one warp"
	case race.IntraBlock:
		return "two warps of one block"
	}
	return "two blocks"
}
