package lower

// This file lowers the blocks of inline PTX: their registers, their predicates, and the loops that wait for an
// mbarrier. Other branches are not followed.

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

// asmStatement is one instruction or declaration.
type asmStatement struct {
	label string
	pred  string // the predicate's register, without "!"
	not   bool
	text  string
}

var asmLabel = regexp.MustCompile(`^([\w$%=]+)\s*:([^:]|$)`)

// asmStatements splits a block. Braces that begin a statement are scopes, others are vectors.
func asmStatements(text string) []asmStatement {
	var list []asmStatement
	for _, s := range strings.Split(text, ";") {
		at := asmStatement{text: strings.Join(strings.Fields(s), " ")}
		for {
			at.text = strings.TrimLeft(at.text, "{} ")
			m := asmLabel.FindStringSubmatch(at.text)
			if m == nil {
				break
			}
			if at.label != "" {
				list = append(list, asmStatement{label: at.label})
			}
			at.label, at.text = m[1], strings.TrimSpace(at.text[strings.Index(at.text, ":")+1:])
		}
		if p, ok := strings.CutPrefix(at.text, "@"); ok {
			at.pred, at.text, _ = strings.Cut(p, " ")
			at.pred, at.not = strings.CutPrefix(at.pred, "!")
		}
		if at.text != "" || at.label != "" {
			list = append(list, at)
		}
	}
	return list
}

// follows reports whether a statement needs a block to be read instruction by instruction.
func (b *asmBlock) follows(s asmStatement) bool {
	if s.label != "" || s.pred != "" {
		return true
	}
	switch op, _, _ := strings.Cut(firstWord(s.text), "."); op {
	case "mov", "cvt", "cvta", "mapa", "setp", "selp", "isspacep":
		return true
	}
	return false
}

// asmRun lowers a block; it returns false if there is something in it that is not understood.
func (l *lowerer) asmRun(b *asmBlock, list []asmStatement) bool {
	for i := 0; i < len(list); i++ {
		s := list[i]
		if n := l.asmWaitLoop(b, list[i:]); n > 0 {
			i += n - 1
			continue
		}
		switch {
		case s.text == "":
		case strings.HasPrefix(s.text, ".reg"):
			if !l.asmDeclare(b, s.text) {
				return false
			}
		case s.pred != "":
			p := l.asmOperand(b, s.pred)
			if p == nil {
				return false
			}
			if p = convert(p, ir.Bool); s.not {
				p = unary(ir.LogNot, p)
			}
			done := false
			then := l.collectStmts(func() { done = l.asmInstruction(b, s.text) })
			if !done {
				return false
			}
			l.emit(&ir.If{Cond: p, Then: then, Site: l.site(b.n, "")})
		case !l.asmInstruction(b, s.text):
			return false
		}
	}
	return true
}

var asmRange = regexp.MustCompile(`^([\w$%]+)<(\d+)>$`)

// asmDeclare is `.reg .type names`.
func (l *lowerer) asmDeclare(b *asmBlock, text string) bool {
	_, rest, _ := strings.Cut(text, " ")
	kind, names, ok := strings.Cut(strings.TrimSpace(rest), " ")
	t := ptxTypes[strings.TrimPrefix(kind, ".")]
	if kind == ".pred" {
		t = tBool
	}
	if !ok || t == nil {
		return false
	}
	declare := func(name string) {
		v := &asmLocal{l.newReg(t.ir(), ""), t}
		b.locals[name] = v
		l.emit(&ir.Assign{Dst: v.r, X: zero(t.ir())})
	}
	for _, name := range splitOperands(names) {
		m := asmRange.FindStringSubmatch(name)
		if m == nil {
			declare(name)
			continue
		}
		n, _ := strconv.Atoi(m[2])
		for i := range min(n, 64) {
			declare(m[1] + strconv.Itoa(i))
		}
	}
	return true
}

// asmWaitLoop recognises a loop that does nothing but ask an mbarrier until its phase is over, and returns of how
// many statements it is.
func (l *lowerer) asmWaitLoop(b *asmBlock, list []asmStatement) int {
	head := list[0].label
	if head == "" {
		return 0
	}
	n := 0
	if list[0].text == "" {
		n++
	}
	if n+1 >= len(list) || list[n].pred != "" || !strings.HasPrefix(list[n].text, "mbarrier.t") {
		return 0
	}
	name, rest, _ := strings.Cut(list[n].text, " ")
	ops := splitOperands(rest)
	back := list[n+1]
	switch {
	case len(ops) < 2 || back.pred != ops[0] || !strings.HasPrefix(back.text, "bra"):
		return 0
	case back.not && branchesTo(back, head):
		n += 2
	case !back.not && n+3 < len(list) && list[n+2].pred == "" && branchesTo(list[n+2], head) && list[n+3].label != "" && branchesTo(back, list[n+3].label):
		n += 3
	default:
		return 0
	}
	if !l.asmMemoryWait(b, strings.Split(name, "."), ops, true) {
		return 0
	}
	return n
}

func branchesTo(s asmStatement, label string) bool {
	f := strings.Fields(s.text)
	return len(f) == 2 && (f[0] == "bra" || f[0] == "bra.uni") && f[1] == label
}

// asmOperand is the value of an operand, a register of the block, a number or a special register; nil if it is none.
func (l *lowerer) asmOperand(b *asmBlock, s string) ir.Expr {
	s = strings.TrimSpace(s)
	if i, ok := b.number(s); ok {
		if i < len(b.outs) && b.written[i] {
			return l.bits(l.load(b.outs[i], b.n))
		}
		if i < len(b.ins) {
			return b.ins[i]
		}
		return nil
	}
	if v := b.locals[s]; v != nil {
		return &ir.RegRef{R: v.r}
	}
	if v, err := strconv.ParseInt(strings.TrimRight(s, "uU"), 0, 64); err == nil {
		return constInt(ir.U32, v)
	}
	if bits, ok := strings.CutPrefix(strings.ToLower(s), "0f"); ok {
		if v, err := strconv.ParseUint(bits, 16, 32); err == nil {
			return &ir.Const{T: ir.F32, Bits: v}
		}
	}
	if s == "WARP_SZ" {
		return constInt(ir.U32, 32)
	}
	return l.specialRegister(s)
}

// number is the number of the operand that a text names.
func (b *asmBlock) number(s string) (int, bool) {
	m := asmOperand.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	if m[2] != "" {
		i, ok := b.names[m[2]]
		return i, ok
	}
	i, err := strconv.Atoi(m[1])
	return i, err == nil
}

// asmSet gives an operand or a register of the block the bits of a value.
func (l *lowerer) asmSet(b *asmBlock, dst string, v value) bool {
	if dst = strings.TrimSpace(dst); dst == "_" {
		return true
	}
	if i, ok := b.number(dst); ok {
		if i >= len(b.outs) {
			return false
		}
		b.written[i] = true
		l.assign(b.outs[i], asmBits(v, b.outs[i].t), b.outNodes[i])
		return true
	}
	r := b.locals[dst]
	if r == nil {
		return false
	}
	l.emit(&ir.Assign{Dst: r.r, X: asmBits(v, r.t).x})
	return true
}

// asmPointer is the address in [%1+8]. One of shared memory is a number of that window, which
// __cvta_generic_to_shared gives (PTX ISA, "State Spaces").
func (l *lowerer) asmPointer(b *asmBlock, mods []string, s string) ir.Expr {
	m := asmAddress.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	x := l.asmOperand(b, m[1])
	if x == nil || x.Type().IsFloat() {
		return nil
	}
	off, _ := strconv.ParseInt(m[3], 10, 64)
	if m[2] == "-" {
		off = -off
	}
	shared := false
	for _, mod := range mods {
		shared = shared || mod == "shared" || strings.HasPrefix(mod, "shared::")
	}
	switch {
	case shared && x.Type() != ir.Ptr:
		x = genericOf(x)
	case x.Type().Size() != 8:
		return nil // a 32-bit shared address is not a generic one
	}
	return ptrAdd(convert(x, ir.Ptr), constInt(ir.I64, off))
}

// genericOf undoes __cvta_generic_to_shared.
func genericOf(x ir.Expr) ir.Expr {
	in := x
	for {
		c, ok := in.(*ir.Convert)
		if !ok {
			break
		}
		in = c.X
	}
	if c, ok := in.(*ir.Call); ok && c.Name == "__cvta_generic_to_shared" && len(c.Args) == 1 {
		return c.Args[0]
	}
	if in.Type() == ir.Ptr {
		return in
	}
	return &ir.Call{Name: "__cvta_shared_to_generic", T: ir.Ptr, Args: []ir.Expr{x}}
}

var asmArithmetic = map[string]ir.Op{"add": ir.Add, "sub": ir.Sub, "and": ir.And, "or": ir.Or, "xor": ir.Xor, "shl": ir.Shl, "shr": ir.Shr}

var asmComparisons = map[string]ir.Op{"eq": ir.Eq, "ne": ir.Ne, "lt": ir.Lt, "le": ir.Le, "gt": ir.Gt, "ge": ir.Ge, "lo": ir.Lt, "ls": ir.Le, "hi": ir.Gt, "hs": ir.Ge}

// asmValue lowers an instruction that only computes. What has no meaning here gives a pure function of its operands.
func (l *lowerer) asmValue(b *asmBlock, mods, ops []string) bool {
	if len(ops) < 2 {
		return false
	}
	t := ptxTypes[mods[len(mods)-1]]
	if mods[len(mods)-1] == "pred" {
		t = tBool
	}
	var args []ir.Expr
	for _, o := range ops[1:] {
		parts := vectorOperands(o)
		if len(parts) == 1 && parts[0] == o && strings.HasPrefix(o, "%") && l.asmOperand(b, o) == nil {
			return mods[0] == "mov" && l.asmOpaque(b, ops[0]) // a special register: a clock, the SM's number
		}
		for _, part := range parts {
			x := l.asmOperand(b, part)
			if x == nil {
				return false
			}
			args = append(args, x)
		}
	}
	as := func(i int) ir.Expr { return asmBits(rval(typeOfBits(args[i]), args[i]), t).x }
	set := func(x ir.Expr) bool { return l.asmSet(b, ops[0], rval(typeOfBits(x), x)) }
	op, binaryOp := asmArithmetic[mods[0]]
	switch {
	case mods[0] == "addc" || mods[0] == "subc" || mods[0] == "madc": // which read a carry besides
		return l.asmOpaque(b, ops[0])
	case mods[0] == "mov" && len(args) == 1 && !strings.HasPrefix(ops[0], "{"):
		return set(args[0])
	case mods[0] == "cvta" && len(args) == 1:
		switch {
		case len(mods) > 2 && mods[1] == "to" && strings.HasPrefix(mods[2], "shared"):
			return set(&ir.Call{Name: "__cvta_generic_to_shared", T: ir.U64, Args: []ir.Expr{convert(args[0], ir.Ptr)}})
		case strings.HasPrefix(mods[1], "shared"):
			return set(genericOf(args[0]))
		case mods[1] == "to" || mods[1] == "global":
			return set(args[0])
		}
		return false
	case mods[0] == "cvt" && len(mods) == 3 && len(args) == 1 && ptxTypes[mods[1]] != nil && t != nil && !t.isFloat() && !ptxTypes[mods[1]].isFloat():
		return set(convert(as(0), ptxTypes[mods[1]].ir()))
	case mods[0] == "mapa" && len(args) == 2:
		p := genericOf(args[0])
		if args[0].Type().Size() == 8 && len(mods) == 2 {
			p = convert(args[0], ir.Ptr)
		}
		remote := &ir.Call{Name: "mapa", T: ir.Ptr, Args: []ir.Expr{convert(p, ir.Ptr), convert(args[1], ir.U32)}}
		if len(mods) == 2 {
			return set(remote)
		}
		return set(&ir.Call{Name: "__cvta_generic_to_shared", T: ir.U64, Args: []ir.Expr{remote}})
	case mods[0] == "setp" && len(mods) == 3 && len(args) == 2 && t != nil && asmComparisons[mods[1]] != 0 && !strings.Contains(ops[0], "|"):
		return set(binary(asmComparisons[mods[1]], as(0), as(1)))
	case mods[0] == "selp" && len(args) == 3 && t != nil:
		return set(selectExpr(convert(args[2], ir.Bool), as(0), as(1)))
	case binaryOp && len(mods) == 2 && len(args) == 2 && t != nil && !t.isFloat() && t != tBool:
		return set(binary(op, as(0), as(1)))
	case t == tBool && binaryOp && len(args) == 2:
		return set(convert(binary(op, convert(args[0], ir.I32), convert(args[1], ir.I32)), ir.Bool))
	case t == tBool && mods[0] == "not":
		return set(unary(ir.LogNot, convert(args[0], ir.Bool)))
	}
	for i, d := range destinations(ops[0]) {
		dt := l.asmTypeOf(b, d)
		if dt == nil {
			return false
		}
		name := "asm." + strconv.Itoa(i) + " " + strings.Join(mods, ".")
		if !l.asmSet(b, d, rval(dt, &ir.Call{Name: name, T: dt.ir(), Args: args})) {
			return false
		}
	}
	return true
}

// asmTypeOf is the type of what an operand names.
func (l *lowerer) asmTypeOf(b *asmBlock, s string) *ctype {
	if i, ok := b.number(s); ok && i < len(b.outs) {
		return b.outs[i].t.unqualified()
	}
	if v := b.locals[s]; v != nil {
		return v.t
	}
	return nil
}

// asmOpaque gives operands, such as `{%0, %1}` or `%0|p`, values of which nothing is known.
func (l *lowerer) asmOpaque(b *asmBlock, dst string) bool {
	for _, d := range destinations(dst) {
		t := l.asmTypeOf(b, d)
		if d == "_" {
			continue
		}
		if t == nil || !l.asmSet(b, d, l.special(&callSite{n: b.n}, t)) {
			return false
		}
	}
	return true
}

// destinations are what an instruction sets: the elements of a vector, and a predicate beside them.
func destinations(s string) []string {
	var list []string
	for _, d := range vectorOperands(s) {
		list = append(list, strings.Split(d, "|")...)
	}
	return list
}
