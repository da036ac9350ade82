package ir

// This file defines the printed form of a function. ParseFunc reads it back.
//
//	func scale "float" {
//	  launch_bounds 256
//	  param $n i32
//	  param $x ptr f32 size 4 restrict
//	  shared @tile f32 bytes 1024 align 4 dims 256
//	  reg %i i32
//	  reg %0 f32
//
//	  %i = i32((blockIdx.x * blockDim.x) + threadIdx.x)
//	  if %i < $n {
//	    %0 = load f32 $x + (i64(%i) * 4i64)
//	    store f32 $x + (i64(%i) * 4i64), %0 * 2f32
//	  }
//	}
//
// Registers start with %, parameters with $, objects with @. Integer literals without a
// suffix are i32. The print holds all that the function means and nothing about where it
// stands, so that equal prints mean equal kernels: caches use its hash as a key.

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// String returns the printed form without sites.
func (f *Func) String() string {
	var b strings.Builder
	_ = Print(&b, f, false) // a Builder never fails
	return b.String()
}

// Print writes the printed form. With sites, each statement that has one ends in a comment
// that gives the site's number and its place.
func Print(w io.Writer, f *Func, withSites bool) error {
	p := newPrinter(f, withSites)
	p.header()
	p.stmts(f.Body)
	p.depth--
	p.line("}")
	_, err := w.Write(p.out.Bytes())
	return err
}

// ExprString returns the printed form of an expression outside of a function: registers that
// share a name print alike.
func ExprString(e Expr) string {
	p := newPrinter(&Func{}, false)
	return p.top(e)
}

type printer struct {
	f         *Func
	withSites bool
	out       bytes.Buffer
	depth     int
	names     map[any]string // of registers, parameters and objects
	labels    map[*Label]int // in order of appearance
}

func newPrinter(f *Func, withSites bool) *printer {
	p := &printer{f: f, withSites: withSites, names: map[any]string{}, labels: map[*Label]int{}}
	taken := map[string]bool{}
	for _, r := range f.Params {
		p.names[r] = uniqueName(taken, "$", r.Name, r.Index)
	}
	for _, o := range f.Objects {
		p.names[o] = uniqueName(taken, "@", o.Name, o.ID)
	}
	for _, r := range f.Regs {
		p.names[r] = uniqueName(taken, "%", r.Name, r.ID)
	}
	return p
}

// uniqueName gives the first bearer of a name the bare name, later ones the name and their number.
func uniqueName(taken map[string]bool, sigil, name string, id int) string {
	s := symbol(sigil, name, id)
	if taken[s] {
		s += "#" + strconv.Itoa(id)
	}
	taken[s] = true
	return s
}

func symbol(sigil, name string, id int) string {
	if name == "" {
		return sigil + strconv.Itoa(id)
	}
	return sigil + word(name)
}

// word quotes a name that is no identifier.
func word(name string) string {
	for i, r := range name {
		if !isWordRune(r, i == 0) {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

func isWordRune(r rune, first bool) bool {
	return r == '_' || unicode.IsLetter(r) || !first && (r == '.' || unicode.IsDigit(r))
}

func (p *printer) line(format string, args ...any) {
	p.lineAt(-1, format, args...)
}

func (p *printer) lineAt(site int, format string, args ...any) {
	for range p.depth {
		p.out.WriteString("  ")
	}
	fmt.Fprintf(&p.out, format, args...)
	if p.withSites && site >= 0 {
		fmt.Fprintf(&p.out, " ; site %d", site)
		if site < len(p.f.Sites) {
			span := p.f.Sites[site].Span
			fmt.Fprintf(&p.out, " %s:%d-%d", strings.ReplaceAll(span.File, "\n", " "), span.Start, span.End)
		}
	}
	p.out.WriteByte('\n')
}

func (p *printer) header() {
	f := p.f
	if f.Instance != "" {
		p.line("func %s %q {", word(f.Name), f.Instance)
	} else {
		p.line("func %s {", word(f.Name))
	}
	p.depth++
	start := p.out.Len()
	if f.MaxThreads != 0 {
		p.line("launch_bounds %d", f.MaxThreads)
	}
	if f.Cluster != [3]int{} {
		p.line("cluster %d %d %d", f.Cluster[0], f.Cluster[1], f.Cluster[2])
	}
	for _, u := range f.Unknowns {
		p.line("unknowns %q", u)
	}
	for _, a := range f.Params {
		p.line("param %s %s%s", p.names[a], a.Type, paramTraits(a))
	}
	for _, o := range f.Objects {
		p.line("%s %s %s bytes %d align %d%s", o.Space, p.names[o], o.Elem, o.Size, o.Align, objectTraits(o))
	}
	for _, r := range f.Regs {
		p.line("reg %s %s", p.names[r], r.Type)
	}
	if p.out.Len() > start {
		p.out.WriteByte('\n')
	}
}

func paramTraits(a *Param) string {
	s := ""
	if a.Type == Ptr || a.Elem != Void || a.ElemSize != 0 {
		s = fmt.Sprintf(" %s size %d", a.Elem, a.ElemSize)
	}
	if a.Restrict {
		s += " restrict"
	}
	if a.Const {
		s += " const"
	}
	return s
}

func objectTraits(o *Object) string {
	s := ""
	if len(o.Dims) > 0 {
		s = " dims"
		for _, d := range o.Dims {
			s += fmt.Sprintf(" %d", d)
		}
	}
	if o.Init != nil {
		s += ` init "` + hex.EncodeToString(o.Init) + `"`
	}
	return s
}

func (p *printer) stmts(list []Stmt) {
	for _, s := range list {
		p.stmt(s)
	}
}

func (p *printer) stmt(s Stmt) {
	site, ok := SiteOf(s)
	if !ok {
		site = -1
	}
	switch s := s.(type) {
	case *If:
		p.lineAt(site, "if %s {", p.top(s.Cond))
		p.nested(s.Then)
		if len(s.Else) > 0 {
			p.line("} else {")
			p.nested(s.Else)
		}
		p.line("}")
	case *Loop:
		p.lineAt(site, "%s: loop {", p.label(s.Label))
		p.nested(s.Head)
		p.line("} while %s {", p.top(s.Cond))
		p.nested(s.Body)
		if len(s.Post) > 0 {
			p.line("} post {")
			p.nested(s.Post)
		}
		p.line("}")
	case *Block:
		p.line("%s: block {", p.label(s.Label))
		p.nested(s.Body)
		p.line("}")
	default:
		p.lineAt(site, "%s", p.simple(s))
	}
}

func (p *printer) nested(list []Stmt) {
	p.depth++
	p.stmts(list)
	p.depth--
}

// simple prints a statement that holds no others.
func (p *printer) simple(s Stmt) string {
	switch s := s.(type) {
	case *Assign:
		return p.dst(s.Dst) + p.top(s.X)
	case *Load:
		return fmt.Sprintf("%sload %s%s %s", p.dst(s.Dst), strength(s.Strength), s.T, p.top(s.Ptr))
	case *Store:
		return fmt.Sprintf("store %s%s %s, %s", strength(s.Strength), s.T, p.top(s.Ptr), p.top(s.X))
	case *Atomic:
		operands := p.top(s.X)
		if s.Compare != nil {
			operands = p.top(s.Compare) + ", " + operands
		}
		return fmt.Sprintf("%satomic %s %s%s %s, %s", p.dst(s.Dst), s.Op, strength(s.Strength), s.T, p.top(s.Ptr), operands)
	case *Fence:
		return fmt.Sprintf("fence %s %s", s.Order, scopeWord(s.Scope))
	case *Barrier:
		return p.barrier(s)
	case *WarpOp:
		text := p.dst(s.Dst) + "warp " + word(s.Op) + p.clause("mask", s.Mask)
		if len(s.Args) > 0 {
			text += " args " + p.list(s.Args)
		}
		return text
	case *Named:
		return strings.TrimRight(p.dst(s.Dst)+"named "+word(s.Op)+" "+p.list(s.Args), " ")
	case *Break:
		return "break " + p.label(s.Target)
	case *Continue:
		return "continue " + p.label(s.Target)
	case *Return:
		return "return"
	case *Trap:
		return "trap"
	case *Assume:
		return "assume " + p.top(s.Cond)
	case *Unknown:
		return p.unknown(s)
	case *Launch:
		return p.launch(s)
	case *Alloc:
		return fmt.Sprintf("%salloc %s bytes %s", p.dst(s.Dst), word(s.Name), p.top(s.Bytes))
	case *HostCopy:
		if s.Src == nil {
			return fmt.Sprintf("set %s, %s", p.top(s.Dst), p.top(s.Bytes))
		}
		return fmt.Sprintf("copy %s, %s, %s", p.top(s.Dst), p.top(s.Src), p.top(s.Bytes))
	}
	return fmt.Sprintf("<%T>", s)
}

func (p *printer) barrier(s *Barrier) string {
	text := fmt.Sprintf("%sbarrier %s %s", p.dst(s.Dst), s.Level, s.Mode)
	text += p.clause("mask", s.Mask) + p.clause("id", s.ID) + p.clause("count", s.Count)
	if s.Reduce != "" {
		text += " reduce " + word(s.Reduce) + p.clause("of", s.Pred)
	}
	return text
}

func (p *printer) unknown(s *Unknown) string {
	text := "unknown " + strconv.Quote(s.Reason)
	if s.Memory {
		text += " memory"
	}
	for i, r := range s.Dst {
		if i == 0 {
			text += " sets "
		} else {
			text += ", "
		}
		text += p.reg(r)
	}
	return text
}

func (p *printer) launch(s *Launch) string {
	text := "launch " + word(s.Kernel.Name)
	if s.Kernel.Instance != "" {
		text += " " + strconv.Quote(s.Kernel.Instance)
	}
	text += " grid " + p.list(s.Grid[:]) + " block " + p.list(s.Block[:]) + p.clause("shared_bytes", s.SharedBytes)
	if s.Cooperative {
		text += " cooperative"
	}
	if len(s.Args) > 0 {
		text += " args " + p.list(s.Args)
	}
	return text
}

func (p *printer) dst(r *Reg) string {
	if r == nil {
		return ""
	}
	return p.reg(r) + " = "
}

func (p *printer) reg(r *Reg) string {
	if r == nil {
		return "%<nil>"
	}
	if name, ok := p.names[r]; ok {
		return name
	}
	return symbol("%", r.Name, r.ID)
}

func (p *printer) label(l *Label) string {
	n, ok := p.labels[l]
	if !ok {
		n = len(p.labels) + 1
		p.labels[l] = n
	}
	return "L" + strconv.Itoa(n)
}

func (p *printer) clause(keyword string, e Expr) string {
	if e == nil {
		return ""
	}
	return " " + keyword + " " + p.top(e)
}

func (p *printer) list(list []Expr) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = p.top(e)
	}
	return strings.Join(parts, ", ")
}

func strength(s Strength) string {
	text := ""
	if s.Volatile {
		text = "volatile "
	}
	if s.Order != Weak || s.Scope != 0 {
		text += s.Order.String() + " " + scopeWord(s.Scope) + " "
	}
	return text
}

// binaryToken holds the operators that print infix; Min and Max print as functions.
var binaryToken = map[Op]string{
	Add: "+", Sub: "-", Mul: "*", Div: "/", Rem: "%", And: "&", Or: "|", Xor: "^", Shl: "<<", Shr: ">>",
	Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=", LogAnd: "&&", LogOr: "||",
}

var unaryToken = map[Op]string{Neg: "-", BitNot: "~", LogNot: "!"}

var builtinNames = [...]string{
	"threadIdx", "blockIdx", "blockDim", "gridDim", "clusterIdx", "clusterDim", "blockInCluster",
	"laneId", "warpId", "dynamicSharedSize",
}

// HasAxis reports whether the variable has x, y and z.
func (v BuiltinVar) HasAxis() bool { return v < LaneID }

// String returns the name without the axis.
func (v BuiltinVar) String() string { return builtinNames[v] }

// top prints an expression that nothing encloses, without outer parentheses.
func (p *printer) top(e Expr) string {
	switch e := e.(type) {
	case *PtrAdd:
		return p.expr(e.Base) + " + " + p.expr(e.Offset)
	case *Binary:
		if token, ok := binaryToken[e.Op]; ok {
			return p.expr(e.X) + " " + token + " " + p.expr(e.Y)
		}
	}
	return p.expr(e)
}

func (p *printer) expr(e Expr) string {
	switch e := e.(type) {
	case nil:
		return "<nil>"
	case *Const:
		return constant(e)
	case *RegRef:
		return p.reg(e.R)
	case *ParamRef:
		if name, ok := p.names[e.P]; ok {
			return name
		}
		return symbol("$", e.P.Name, e.P.Index)
	case *ObjAddr:
		if name, ok := p.names[e.Obj]; ok {
			return name
		}
		return symbol("@", e.Obj.Name, e.Obj.ID)
	case *Builtin:
		if e.Var.HasAxis() {
			return e.Var.String() + "." + string("xyz"[e.Axis])
		}
		return e.Var.String()
	case *PtrAdd:
		return "(" + p.top(e) + ")"
	case *Unary:
		if e.Op == Neg {
			return "-(" + p.top(e.X) + ")"
		}
		return unaryToken[e.Op] + p.expr(e.X)
	case *Binary:
		if _, ok := binaryToken[e.Op]; ok {
			return "(" + p.top(e) + ")"
		}
		return e.Op.String() + "(" + p.top(e.X) + ", " + p.top(e.Y) + ")"
	case *Convert:
		return e.T.String() + "(" + p.top(e.X) + ")"
	case *Select:
		return "select(" + p.top(e.Cond) + ", " + p.top(e.X) + ", " + p.top(e.Y) + ")"
	case *Call:
		return "call " + e.T.String() + " " + word(e.Name) + "(" + p.list(e.Args) + ")"
	}
	return fmt.Sprintf("<%T>", e)
}

// constant prints values that people write as they write them, and others by their bits.
func constant(c *Const) string {
	switch {
	case c.T == Bool && c.Bits == 0:
		return "false"
	case c.T == Bool && c.Bits == 1:
		return "true"
	case c.T == Ptr && c.Bits == 0:
		return "null"
	case c.T.IsInt() && c.T != Bool && fits(c.Bits, c.T):
		return integer(c)
	case c.T == F32 && c.Bits>>32 == 0:
		v := float64(math.Float32frombits(uint32(c.Bits)))
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 32) + "f32"
		}
	case c.T == F64:
		v := math.Float64frombits(c.Bits)
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64) + "f64"
		}
	}
	return fmt.Sprintf("bits(%s, 0x%x)", c.T, c.Bits)
}

func integer(c *Const) string {
	suffix := c.T.String()
	if c.T == I32 {
		suffix = ""
	}
	if c.T.IsSigned() {
		return strconv.FormatInt(int64(c.Bits<<(64-c.T.Bits()))>>(64-c.T.Bits()), 10) + suffix
	}
	if c.Bits >= 1<<16 {
		return "0x" + strconv.FormatUint(c.Bits, 16) + suffix
	}
	return strconv.FormatUint(c.Bits, 10) + suffix
}

// fits reports whether bits are cut to the type's width.
func fits(bits uint64, t Type) bool {
	n := int(t.Size()) * 8
	if t == Bool {
		n = 1
	}
	return n == 64 || bits>>n == 0
}

func scopeWord(s fmt.Stringer) string {
	if word := s.String(); word != "" {
		return word
	}
	return "none"
}
