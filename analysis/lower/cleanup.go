package lower

// This file runs destructors of local variables where their scope ends: at the end of a
// block, and before a return, a break or a continue leaves it; those of parameters where the call ends, and of what an
// expression statement makes at once. A temporary object that more is asked of is not understood, if it has one.

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// cleanup is a variable whose destructor has to run.
type cleanup struct {
	obj value
	n   *syntax.Node
}

// destructor is the destructor of a class that does something, or nil.
func (l *lowerer) destructor(rec *record) *symbol {
	if rec.scope == nil || rec.sym == nil {
		return nil
	}
	for _, sym := range rec.scope.syms["~"+rec.sym.name] {
		if sym.kind != symFunc {
			continue
		}
		if sym.node.Child("body") == nil {
			if sym = l.definitionOf(sym, rec); sym == nil {
				continue
			}
		}
		if len(namedChildren(sym.node.Child("body"))) > 0 {
			return sym
		}
	}
	return nil
}

// needsCleanup reports whether destroying a value of the type does something.
func (l *lowerer) needsCleanup(t *ctype) bool {
	switch t.kind {
	case kArray:
		return l.needsCleanup(t.elem)
	case kRecord:
		if l.destructor(t.rec) != nil {
			return true
		}
		for _, f := range t.rec.fields {
			if f.t.kind == kRecord && l.needsCleanup(f.t) {
				return true
			}
		}
	}
	return false
}

// destroyLater registers a new local variable.
func (l *lowerer) destroyLater(v value, n *syntax.Node) {
	if v.isPlace() && l.needsCleanup(v.t) && (!l.host || l.changesMore(v.t)) {
		l.cleanups = append(l.cleanups, cleanup{v, n})
	}
}

// changesMore reports whether a destructor, or that of a member, may do what launches hang on: most of the host's free memory.
func (l *lowerer) changesMore(t *ctype) (more bool) {
	if t.kind == kArray {
		t, _ = t.innermost()
	}
	if t.kind != kRecord {
		return false
	}
	if d := l.destructor(t.rec); d != nil {
		more = l.un.launching[d.node]
		walk(d.node.Child("body"), func(n *syntax.Node) bool {
			switch n.Kind {
			case "assignment_expression", "update_expression", "kernel_call_syntax":
				more = true
			case "call_expression":
				more = more || l.un.declares(l.un.nameCalled(n))
			}
			return !more
		})
	}
	return more || slices.ContainsFunc(t.rec.fields, func(f field) bool { return l.changesMore(f.t) })
}

// dropped makes unknown what becomes of an object without a name that is used and not kept.
func (l *lowerer) dropped(v value, n *syntax.Node) {
	if v.isTemporary() && l.needsCleanup(v.t) && (!l.host || l.changesMore(v.t)) {
		l.unknown(n, "temporary object of "+v.t.String()+", which has a destructor", false, l.reachable(v.elems)...)
	}
}

// endScope runs the destructors registered since there were base of them, and forgets them.
func (l *lowerer) endScope(base int) {
	if len(l.cleanups) == base {
		return
	}
	if !l.leaves() {
		l.runCleanups(base)
	}
	l.cleanups = l.cleanups[:base]
}

// leaves reports whether the last statement is a jump, behind which nothing runs.
func (l *lowerer) leaves() bool {
	if len(*l.out) == 0 {
		return false
	}
	switch (*l.out)[len(*l.out)-1].(type) {
	case *ir.Return, *ir.Break, *ir.Continue, *ir.Trap:
		return true
	}
	return false
}

// runCleanups runs destructors down to a base, the youngest variable's first.
func (l *lowerer) runCleanups(base int) {
	all := l.cleanups
	for i := len(all) - 1; i >= base; i-- {
		l.cleanups = all[:i]
		l.destroy(all[i].obj, all[i].n)
	}
	l.cleanups = all
}

func (l *lowerer) destroy(obj value, n *syntax.Node) {
	if obj.t.kind == kArray {
		for i := max(obj.t.len, 0) - 1; i >= 0 && l.needsCleanup(obj.t.elem); i-- {
			l.destroy(l.element(obj, i), n)
		}
		return
	}
	if obj.t.kind != kRecord {
		return
	}
	if d := l.destructor(obj.t.rec); d != nil {
		body := d.node.Child("body")
		if reason := l.tooDeep(body, "", false); reason != "" {
			l.unknown(n, reason, true, obj.regs()...)
			return
		}
		in := newScope(obj.t.rec.scope, scopeFunction)
		in.this = &obj
		l.enterBody(n, in, body, tVoid, "", func() {})
	}
	for i := len(obj.t.rec.fields) - 1; i >= 0; i-- {
		if f := obj.t.rec.fields[i]; f.t.kind == kRecord && l.needsCleanup(f.t) {
			l.destroy(l.member(obj, i), n)
		}
	}
}
