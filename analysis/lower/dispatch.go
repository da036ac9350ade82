package lower

// This file lowers calls whose function is known only when the program runs: through pointers to
// functions, and of virtual functions. All that can be called is in sight (a pointer holds the
// address of a function whose address the program takes, an object is of a class that it
// defines), so such a call is a chain of ifs over the candidates. A kernel that has one depends
// on the whole unit, and is not kept for the next version of its text.

import (
	"hash/fnv"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// branch is one of the functions that a call may mean, with the condition under which it does.
type branch struct {
	when ir.Expr
	run  func() value
}

// maxBranches bounds the candidates of one call.
const maxBranches = 16

// dispatch emits a chain of ifs over the branches, whose results are of the type ret. If the
// branches are all there can be, the last one needs no condition.
func (l *lowerer) dispatch(n *syntax.Node, ret *ctype, branches []branch, all bool, reason string) value {
	l.wholeUnit = true
	if ret == nil || ret.kind != kVoid && !ret.isScalar() && !ret.flat() {
		return l.unknown(n, reason, true)
	}
	held := ret
	if ret.kind == kRef {
		held = pointerTo(ret.elem)
	}
	var res value
	if ret.kind != kVoid {
		res = l.place(held.unqualified(), "")
	}
	site := l.site(n, "")
	var chain func(i int)
	chain = func(i int) {
		if i == len(branches) {
			l.emit(&ir.Unknown{Reason: reason, Dst: res.regs(), Memory: true, Site: site})
			return
		}
		b := branches[i]
		run := func() {
			v := b.run()
			if ret.kind == kRef {
				v = l.addressOf(v, n)
			}
			if ret.kind != kVoid {
				l.assign(res, l.convertTo(v, held, n), n)
			}
		}
		if all && i == len(branches)-1 {
			run()
			return
		}
		s := &ir.If{Cond: b.when, Site: site}
		s.Then = l.collectStmts(run)
		s.Else = l.collectStmts(func() { chain(i + 1) })
		l.emit(s)
	}
	chain(0)
	switch ret.kind {
	case kVoid:
		return value{t: tVoid}
	case kRef:
		return l.deref(l.load(res, n), n)
	}
	return l.load(res, n)
}

// identity is a number for a function or a class that stands for its address, the same in every
// version of the text.
func identity(name string) uint64 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return uint64(h.Sum32()) | 1<<32
}

// functionAddress stands for the address of a function, nil if the name means several.
func (l *lowerer) functionAddress(fs *fnset) ir.Expr {
	if fs == nil || fs.this != nil || len(fs.syms) != 1 || fs.syms[0].kind != symFunc || fs.syms[0].tparams != nil {
		return nil
	}
	return &ir.Const{T: ir.Ptr, Bits: identity(l.functionKey(fs.syms[0]))}
}

func (l *lowerer) functionKey(sym *symbol) string {
	return sym.scope.path + "::" + sym.name + " " + l.functionType(sym).String()
}

// functionType is the type of a function as declared.
func (l *lowerer) functionType(sym *symbol) *ctype {
	t := l.specType(sym.node, sym.scope)
	if t == nil {
		t = tVoid
	}
	t, _ = l.declarator(t, sym.node.Child("declarator"), sym.scope)
	return t
}

// taken lists the functions of a type, void for any, whose address the program takes, in the order
// of the text.
func (l *lowerer) taken(t *ctype) []*symbol {
	if l.un.taken == nil {
		l.un.taken = map[string]bool{}
		for _, p := range l.un.parts {
			l.un.noteTaken(p.root, nil)
		}
	}
	var out []*symbol
	seen := map[*syntax.Node]bool{}
	for _, p := range l.un.parts {
		for _, sym := range l.un.functions(p.global) {
			if l.un.taken[sym.name] && sym.tparams == nil && !seen[sym.node] && (t.kind == kVoid || l.functionType(sym).String() == t.String()) {
				seen[sym.node] = true
				out = append(out, sym)
			}
		}
	}
	return out
}

// noteTaken notes the names that stand where a value does, and are not called.
func (un *unitState) noteTaken(n, parent *syntax.Node) {
	if parent != nil && standsForValue(n, parent) {
		switch n.Kind {
		case "identifier":
			un.taken[un.u.Slice(n)] = true
		case "template_function":
			un.takenInstances = append(un.takenInstances, n)
		}
	}
	for _, k := range n.Children {
		un.noteTaken(k, n)
	}
}

// standsForValue reports whether what a name stands for is a value there.
func standsForValue(n, parent *syntax.Node) bool {
	switch parent.Kind {
	case "argument_list", "initializer_list", "initializer_pair", "pointer_expression", "conditional_expression", "return_statement",
		"parenthesized_expression", "cast_expression", "comma_expression", "binary_expression":
		return true
	case "assignment_expression", "init_declarator", "field_declaration":
		return n.Field == "right" || n.Field == "value" || n.Field == "default_value"
	}
	return false
}

// candidatesOf lists the functions that a pointer may hold the address of: the one, if it is
// constant; else those of its type. all says that there are no others: the parameter of a kernel
// that nothing here launches may have come from anywhere.
func (l *lowerer) candidatesOf(x ir.Expr, t *ctype) (list []*symbol, all bool) {
	_, param := x.(*ir.ParamRef)
	list = l.taken(t)
	if c, ok := x.(*ir.Const); ok {
		for _, sym := range list {
			if identity(l.functionKey(sym)) == c.Bits {
				return []*symbol{sym}, true
			}
		}
		return nil, false
	}
	return list, !param || !l.un.alone
}

// callPointer calls through a pointer to a function of type t.
func (l *lowerer) callPointer(n *syntax.Node, f value, t *ctype, args []argument) value {
	const reason = "call through a function pointer"
	x := l.bits(f)
	if x == nil || x.Type() != ir.Ptr || t.kind != kFunc {
		return l.opaqueCall(n, reason, args)
	}
	list, all := l.candidatesOf(x, t)
	list = slices.DeleteFunc(list, func(sym *symbol) bool {
		return hasWord(l.un.u, sym.node, "__global__") || l.host && (!l.un.launching[sym.node] || l.un.partOf(sym.node) != l.un.partOf(n)) // of this program, only launches are of interest
	})
	all = all && !l.host
	if len(list) == 0 || len(list) > maxBranches {
		l.mayMean(n, "", args)
		if t.elem.kind != kVoid && t.elem.isScalar() {
			l.clobberArgs(n, reason, args)
			return l.load(l.unknownOf(n, t.elem, reason, true), n)
		}
		return l.opaqueCall(n, reason, args)
	}
	x = l.temp(x)
	var branches []branch
	for _, sym := range list {
		fs := &fnset{name: sym.name, syms: []*symbol{sym}, scope: l.scope}
		branches = append(branches, branch{
			when: binary(ir.Eq, x, l.functionAddress(fs)),
			run: func() value {
				if c := l.choose(fs, args); c != nil {
					return l.inline(n, c, nil, args)
				}
				return l.opaqueCall(n, reason, args)
			},
		})
	}
	return l.dispatch(n, t.elem, branches, all, reason)
}
