package rule

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file makes the fixes that several rules offer.

// Inserted offers a statement at each place between the two accesses, and where they are in a loop, at two.
func Inserted(c *Case, statement, title string) []race.Fix {
	var out []race.Fix
	for _, e := range c.Insert(statement) {
		out = append(out, race.Fix{Title: title, Edits: []race.Edit{e}})
	}
	for _, edits := range c.braced(statement) {
		out = append(out, race.Fix{Title: title, Edits: edits})
	}
	parted, twice := c.split(statement)
	for _, e := range parted {
		out = append(out, race.Fix{Title: title + " between reading and writing", Edits: []race.Edit{e}})
	}
	if !c.InLoop() {
		return out
	}
	for _, e := range twice {
		out = append(out, race.Fix{Title: title + " between reading and writing, and behind", Edits: []race.Edit{e}})
	}
	if len(twice) == 0 {
		for _, edits := range c.Enclose(statement) {
			out = append(out, race.Fix{Title: title, Edits: edits})
		}
	}
	return out
}

// Preceded offers a statement before another one.
func Preceded(c *Case, s ir.Stmt, statement, title string) []race.Fix {
	e, ok := c.before(s, statement)
	if !ok {
		return nil
	}
	return []race.Fix{{Title: title, Edits: []race.Edit{e}}}
}

// Replaced offers another text for that of a site.
func Replaced(c *Case, site int, text, title string) []race.Fix {
	at := c.Func.Sites[site]
	if !at.Macro.IsZero() {
		return nil
	}
	return []race.Fix{{Title: title, Edits: []race.Edit{{Span: at.Span, Text: text}}}}
}

// Followed offers fixes with a statement behind another one besides.
func Followed(c *Case, s ir.Stmt, statement string, fixes []race.Fix, title string) (out []race.Fix) {
	e, ok := c.behind(s, statement)
	for _, fix := range fixes {
		if ok {
			out = append(out, race.Fix{Title: title, Edits: append(slices.Clone(fix.Edits), e)})
		}
	}
	return out
}

// Widened offers wider scopes for those of some statements that leave out the other thread. A wider scope only adds order, so it is safe.
func Widened(c *Case, stmts []ir.Stmt, title string) []race.Fix {
	edits := c.Widen(slices.DeleteFunc(slices.Clone(stmts), func(s ir.Stmt) bool { return !c.narrow(s) }))
	if len(edits) == 0 {
		return nil
	}
	return []race.Fix{{Title: title, Edits: edits, Safe: true}}
}

// narrow reports whether a statement is a fence or an atomic whose scope leaves out the other thread.
func (c *Case) narrow(s ir.Stmt) bool {
	if f, ok := s.(*ir.Fence); ok {
		return f.Scope < c.Kind.Scope()
	}
	by, ok := Strength(s)
	return ok && by.Order != ir.Weak && by.Scope < c.Kind.Scope()
}

// NarrowAtomics lists the atomics of a case whose scope leaves out the other thread. Where only a run has shown that
// the way from one place to the other is too narrow, those are all of the kernel.
func NarrowAtomics(c *Case) []ir.Stmt {
	var out []ir.Stmt
	for _, a := range []*access.Access{c.A, c.B} {
		if Strong(a) && a.Scope < c.Kind.Scope() {
			out = append(out, a.Stmt)
		}
	}
	if out = append(out, c.Miss.At...); len(out) > 0 {
		return out
	}
	ir.WalkStmts(c.Func.Body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Atomic); ok && a.Strength.Scope < c.Kind.Scope() {
			out = append(out, s)
		}
		return true
	})
	return out
}

// FenceFor is the fence whose scope includes both threads of a kind.
func FenceFor(kind race.Kind) string {
	if kind == race.InterBlock {
		return "__threadfence()"
	}
	return "__threadfence_block()"
}

// FenceBefore offers fences before the statements that lack one: accesses of the data, and what sets a flag, but not what reads it.
func FenceBefore(c *Case, stmts []ir.Stmt) []race.Fix {
	var edits []race.Edit
	seen := map[source.Span]bool{}
	for _, s := range stmts {
		e, ok := c.before(s, FenceFor(c.Kind)+";")
		if _, load := s.(*ir.Load); load && s != c.A.Stmt && s != c.B.Stmt {
			continue
		}
		if !ok || seen[e.Span] {
			continue
		}
		seen[e.Span] = true
		edits = append(edits, e)
	}
	if len(edits) == 0 {
		return nil
	}
	return []race.Fix{{Title: "Insert " + FenceFor(c.Kind), Edits: edits, Safe: true}}
}

// FencesForFlag offers fences at the operations that may hand data over, where nothing says which of them does: before one that writes,
// and as well behind one that reads, or only there.
func FencesForFlag(c *Case) (out []race.Fix) {
	var writes, reads []ir.Stmt
	ir.WalkStmts(c.Func.Body, func(s ir.Stmt) bool {
		by, ok := Strength(s)
		if !ok || c.narrow(s) || by.Order == ir.Weak && !by.Volatile {
			return true
		}
		if _, load := s.(*ir.Load); !load {
			writes = append(writes, s)
		}
		if _, store := s.(*ir.Store); !store {
			reads = append(reads, s)
		}
		return true
	})
	offer := func(edits ...race.Edit) {
		out = append(out, race.Fix{Title: "Insert " + FenceFor(c.Kind), Edits: edits, Safe: true})
	}
	fence := FenceFor(c.Kind) + ";"
	for _, w := range writes {
		if e, ok := c.before(w, fence); ok && !c.Miss.Reader {
			offer(e)
		}
	}
	for _, r := range reads {
		behind, ok := c.behind(r, fence)
		if !ok {
			continue
		}
		if c.Miss.Reader {
			offer(behind)
			continue
		}
		for _, w := range writes {
			if before, ok := c.before(w, fence); ok {
				offer(before, behind)
			}
		}
	}
	return out
}

// AtomicUpdate offers an atomic operation for a statement, or an expression, that is a simple update of a type
// for which CUDA has one.
func AtomicUpdate(c *Case) []race.Fix {
	var out []race.Fix
	edits := c.atomicUpdates(c.partsOf(c.A, c.B))
	if len(edits) > 0 {
		out = append(out, race.Fix{Title: "Make the update atomic", Edits: edits})
	}
	if all := c.atomicUpdates(c.plainParts(c.Variable())); len(all) > len(edits) {
		out = append(out, race.Fix{Title: "Make the updates atomic", Edits: all})
	}
	return out
}

// MadeAtomic offers an atomic operation for the plain access of a case.
func MadeAtomic(c *Case) []race.Fix {
	plain, other := c.A, c.B
	if Strong(c.A) {
		plain, other = c.B, c.A
	}
	if edits := c.atomicUpdates(c.partsOf(plain)); len(edits) > 0 {
		return []race.Fix{{Title: "Make the update atomic", Edits: edits}}
	}
	edit, ok := c.atomically(plain.Stmt)
	if !ok || plain.Kind == race.Write && Counts(other) {
		return nil // an atomic write loses what was counted before it as well
	}
	title := "Write atomically"
	if plain.Kind == race.Read {
		title = "Read atomically"
	}
	return []race.Fix{{Title: title, Edits: []race.Edit{edit}}}
}

// Counts reports whether an access is an atomic that makes a new value of the old one, whatever that is.
func Counts(a *access.Access) bool {
	s, ok := a.Stmt.(*ir.Atomic)
	return ok && s.Op != ir.AtomicExch && s.Op != ir.AtomicCAS
}

// FlagMadeAtomic offers atomic operations for all plain reads and writes of the variables that some
// statements read or write.
func FlagMadeAtomic(c *Case, flags []ir.Stmt) []race.Fix {
	variables := map[string]bool{}
	for _, s := range flags {
		if site, ok := ir.SiteOf(s); ok {
			variables[c.Func.Sites[site].Variable] = true
		}
	}
	edits, seen, whole := []race.Edit(nil), map[race.Edit]bool{}, true
	ir.WalkStmts(c.Func.Body, func(s ir.Stmt) bool {
		if site, ok := ir.SiteOf(s); ok && weak(s) && variables[c.Func.Sites[site].Variable] {
			edit, ok := c.atomically(s)
			whole = whole && ok
			if !seen[edit] {
				seen[edit] = true
				edits = append(edits, edit)
			}
		}
		return true
	})
	if len(edits) == 0 || !whole {
		return nil
	}
	return []race.Fix{{Title: "Access the flag atomically", Edits: edits}}
}

// weak reports whether a statement is a plain load or store.
func weak(s ir.Stmt) bool {
	by, ok := Strength(s)
	return ok && by.Order == ir.Weak
}

// Strength is that of a statement that accesses memory.
func Strength(s ir.Stmt) (by ir.Strength, ok bool) {
	switch s := s.(type) {
	case *ir.Atomic:
		return s.Strength, true
	case *ir.Load:
		return s.Strength, true
	case *ir.Store:
		return s.Strength, true
	}
	return by, false
}

// atomically is the edit that makes a plain load or store an atomic operation.
func (c *Case) atomically(s ir.Stmt) (race.Edit, bool) {
	site, ok := ir.SiteOf(s)
	if !ok {
		return race.Edit{}, false
	}
	span := c.Func.Sites[site].Span
	f, ok := c.Files.File(span.File)
	if !ok || !c.Func.Sites[site].Macro.IsZero() {
		return race.Edit{}, false
	}
	switch s := s.(type) {
	case *ir.Load:
		at, ok := c.cellAt(site, s.Volatile)
		text := at.call("atomicAdd", f.Slice(span), true, "0")
		return race.Edit{Span: span, Text: text}, ok && text != "" && s.T.IsInt()
	case *ir.Store:
		at, ok := c.cellAt(site, s.Volatile)
		store, value := written(f, span).stored()
		if !ok || value == "" {
			return race.Edit{}, false
		}
		text := at.call("atomicExch", f.Slice(span), false, value)
		return race.Edit{Span: store, Text: text}, text != ""
	}
	return race.Edit{}, false
}
