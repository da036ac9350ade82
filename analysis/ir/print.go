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
	"crypto/sha256"
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

// Digest is a hash of the printed form without sites.
func Digest(f *Func) (sum [sha256.Size]byte) {
	if f.Printed != sum {
		return f.Printed
	}
	h := sha256.New()
	_ = Print(h, f, false) // a hash never fails
	return [sha256.Size]byte(h.Sum(nil))
}

// ExprString returns the printed form of an expression outside of a function: registers that
// share a name print alike.
func ExprString(e Expr) string {
	p := newPrinter(&Func{}, false)
	p.top(e)
	return p.out.String()
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

// put writes texts, expressions without outer parentheses, and names of registers and labels.
func (p *printer) put(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			p.out.WriteString(part)
		case *Reg:
			p.out.WriteString(p.reg(part))
		case *Label:
			p.out.WriteString(p.label(part))
		case []Expr:
			for i, e := range part {
				if i > 0 {
					p.out.WriteString(", ")
				}
				p.top(e)
			}
		case Expr:
			p.top(part)
		case fmt.Stringer:
			p.out.WriteString(part.String())
		default:
			fmt.Fprint(&p.out, part)
		}
	}
}

func (p *printer) indent() {
	for range p.depth {
		p.out.WriteString("  ")
	}
}

// line writes a line that belongs to no site.
func (p *printer) line(parts ...any) {
	p.indent()
	p.put(parts...)
	p.out.WriteByte('\n')
}

// endLine ends a line, with the site of its statement if that is asked for.
func (p *printer) endLine(s Stmt) {
	if site, ok := SiteOf(s); ok && p.withSites {
		fmt.Fprintf(&p.out, " ; site %d", site)
		if site >= 0 && site < len(p.f.Sites) {
			span := p.f.Sites[site].Span
			fmt.Fprintf(&p.out, " %s:%d-%d", strings.ReplaceAll(span.File, "\n", " "), span.Start, span.End)
		}
	}
	p.out.WriteByte('\n')
}

func (p *printer) header() {
	f := p.f
	p.put("func ", word(f.Name))
	if f.Instance != "" {
		p.put(" ", strconv.Quote(f.Instance))
	}
	p.put(" {\n")
	p.depth++
	start := p.out.Len()
	if f.MaxThreads != 0 {
		p.line("launch_bounds ", f.MaxThreads)
	}
	if f.Cluster != [3]int{} {
		p.line("cluster ", f.Cluster[0], " ", f.Cluster[1], " ", f.Cluster[2])
	}
	for _, u := range f.Unknowns {
		p.line("unknowns ", strconv.Quote(u))
	}
	for _, a := range f.Assumes {
		p.line("assumes ", strconv.Quote(a))
	}
	for _, a := range f.Params {
		p.line("param ", p.names[a], " ", a.Type, paramTraits(a))
	}
	for _, o := range f.Objects {
		p.line(o.Space, " ", p.names[o], " ", o.Elem, " bytes ", o.Size, " align ", o.Align, objectTraits(o))
	}
	for _, r := range f.Regs {
		p.line("reg ", r, " ", r.Type)
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
	p.indent()
	switch s := s.(type) {
	case *If:
		p.put("if ", s.Cond, " {")
		p.endLine(s)
		p.nested(s.Then)
		if len(s.Else) > 0 {
			p.line("} else {")
			p.nested(s.Else)
		}
		p.line("}")
	case *Loop:
		p.put(s.Label, ": loop {")
		p.endLine(s)
		p.nested(s.Head)
		p.line("} while ", s.Cond, " {")
		p.nested(s.Body)
		if len(s.Post) > 0 {
			p.line("} post {")
			p.nested(s.Post)
		}
		p.line("}")
	case *Block:
		p.put(s.Label, ": block {\n")
		p.nested(s.Body)
		p.line("}")
	default:
		p.simple(s)
		p.endLine(s)
	}
}

func (p *printer) nested(list []Stmt) {
	p.depth++
	p.stmts(list)
	p.depth--
}

// simple prints a statement that holds no others.
func (p *printer) simple(s Stmt) {
	for _, r := range Defs(s) {
		if _, ok := s.(*Unknown); !ok {
			p.put(r, " = ")
		}
	}
	switch s := s.(type) {
	case *Assign:
		p.put(s.X)
	case *Load:
		link := ""
		if s.Link {
			link = "link "
		}
		p.put("load ", link, strength(s.Strength), part(s.Part), s.T, " ", s.Ptr)
	case *Store:
		p.put("store ", strength(s.Strength), part(s.Part), s.T, " ", s.Ptr, ", ", s.X)
	case *Atomic:
		p.put("atomic ", s.Op, " ", strength(s.Strength), s.T, " ", s.Ptr, ", ")
		if s.Compare != nil {
			p.put(s.Compare, ", ")
		}
		p.put(s.X)
	case *Fence:
		p.put("fence ", s.Order, " ", scopeWord(s.Scope))
	case *Barrier:
		p.barrier(s)
	case *WarpOp:
		p.put("warp ", word(s.Op))
		p.clause("mask", s.Mask)
		if len(s.Args) > 0 {
			p.put(" args ", s.Args)
		}
	case *Named:
		p.put("named ", word(s.Op))
		if len(s.Args) > 0 {
			p.put(" ", s.Args)
		}
	case *Break:
		p.put("break ", s.Target)
	case *Continue:
		p.put("continue ", s.Target)
	case *Return:
		p.put("return")
	case *Trap:
		p.put("trap")
	case *Assume:
		p.put("assume ", s.Cond)
	case *Unknown:
		p.unknown(s)
	default:
		p.host(s)
	}
}

func (p *printer) host(s Stmt) {
	switch s := s.(type) {
	case *Launch:
		p.launch(s)
	case *Alloc:
		p.put("alloc ", word(s.Name), " bytes ", s.Bytes)
	case *HostCopy:
		if s.Src == nil {
			p.put("set ", s.Dst, ", ", s.Bytes)
			if s.Value != nil {
				p.put(" to ", s.Value)
			}
		} else {
			p.put("copy ", s.Dst, ", ", s.Src, ", ", s.Bytes)
		}
		p.again(s.Again)
	default:
		p.put(fmt.Sprintf("<%T>", s))
	}
}

func (p *printer) barrier(s *Barrier) {
	p.put("barrier ", s.Level, " ", s.Mode)
	p.clause("mask", s.Mask)
	p.clause("id", s.ID)
	p.clause("count", s.Count)
	if s.Reduce != "" {
		p.put(" reduce ", word(s.Reduce))
		p.clause("of", s.Pred)
	}
}

func (p *printer) unknown(s *Unknown) {
	p.put("unknown ", strconv.Quote(s.Reason))
	if s.Memory {
		p.put(" memory")
	}
	for i, r := range s.Dst {
		if i == 0 {
			p.put(" sets ", r)
		} else {
			p.put(", ", r)
		}
	}
}

func (p *printer) launch(s *Launch) {
	p.put("launch ", word(s.Kernel.Name))
	if s.Kernel.Instance != "" {
		p.put(" ", strconv.Quote(s.Kernel.Instance))
	}
	p.put(" grid ", s.Grid[:], " block ", s.Block[:])
	if s.Cluster[0] != nil {
		p.put(" cluster ", s.Cluster[:])
	}
	p.clause("shared_bytes", s.SharedBytes)
	if s.Cooperative {
		p.put(" cooperative")
	}
	p.again(s.Again)
	if s.Anyhow {
		p.put(" anyhow")
	}
	if len(s.Args) > 0 {
		p.put(" args ", s.Args)
	}
}

func (p *printer) again(is bool) {
	if is {
		p.put(" again")
	}
}

func (p *printer) reg(r *Reg) string {
	if r == nil {
		return "%<nil>"
	}
	return p.nameOf(r, "%", r.Name, r.ID)
}

func (p *printer) label(l *Label) string {
	n, ok := p.labels[l]
	if !ok {
		n = len(p.labels) + 1
		p.labels[l] = n
	}
	return "L" + strconv.Itoa(n)
}

func (p *printer) clause(keyword string, e Expr) {
	if e != nil {
		p.put(" ", keyword, " ", e)
	}
}

func part(p Part) string {
	if p.Of == 0 {
		return ""
	}
	return fmt.Sprintf("at %d of %d ", p.At, p.Of)
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
	"threadIdx", "blockIdx", "blockDim", "gridDim", "clusterIdx", "clusterDim", "blockInCluster", "clusterSize",
	"laneId", "warpId", "dynamicSharedSize",
}

// HasAxis reports whether the variable has x, y and z.
func (v BuiltinVar) HasAxis() bool { return v < LaneID }

// String returns the name without the axis.
func (v BuiltinVar) String() string { return builtinNames[v] }

// top prints an expression that nothing encloses, without outer parentheses.
func (p *printer) top(e Expr) {
	switch e := e.(type) {
	case *PtrAdd:
		if e.Last > 0 {
			p.expr(e)
			return
		}
		p.infix(e.Base, "+", e.Offset)
	case *Binary:
		if token, ok := binaryToken[e.Op]; ok {
			p.infix(e.X, token, e.Y)
			return
		}
		p.expr(e)
	default:
		p.expr(e)
	}
}

func (p *printer) infix(x Expr, token string, y Expr) {
	p.expr(x)
	p.put(" ", token, " ")
	p.expr(y)
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case nil:
		p.put("<nil>")
	case *Const:
		p.put(constant(e))
	case *RegRef:
		p.put(e.R)
	case *ParamRef:
		p.put(p.nameOf(e.P, "$", e.P.Name, e.P.Index))
	case *ObjAddr:
		p.put(p.nameOf(e.Obj, "@", e.Obj.Name, e.Obj.ID))
	case *Builtin:
		p.put(e.Var)
		if e.Var.HasAxis() {
			p.put(".", "xyz"[e.Axis:e.Axis+1])
		}
	case *PtrAdd:
		if e.Last > 0 {
			p.put("within(", e.Base, ", ", e.Offset, ", ", strconv.FormatInt(e.Last, 10), ")")
			return
		}
		p.put("(", e, ")")
	case *Unary:
		if e.Op == Neg {
			p.put("-(", e.X, ")")
			return
		}
		p.put(unaryToken[e.Op])
		p.expr(e.X)
	case *Binary:
		if _, ok := binaryToken[e.Op]; ok {
			p.put("(", e, ")")
		} else {
			p.put(e.Op, "(", e.X, ", ", e.Y, ")")
		}
	case *Convert:
		p.put(e.T, "(", e.X, ")")
	case *Select:
		p.put("select(", e.Cond, ", ", e.X, ", ", e.Y, ")")
	case *Call:
		p.put("call ", e.T, " ", word(e.Name), "(", e.Args, ")")
	default:
		p.put(fmt.Sprintf("<%T>", e))
	}
}

// nameOf returns the name of a parameter or an object; one of another function has none here.
func (p *printer) nameOf(owner any, sigil, name string, id int) string {
	if known, ok := p.names[owner]; ok {
		return known
	}
	return symbol(sigil, name, id)
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
		return strconv.FormatInt(c.Int(), 10) + suffix
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
