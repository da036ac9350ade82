// Package lower turns the syntax tree of a translation unit into IR: a function for each
// kernel instance that is launched, with everything it calls inlined, and one for each host
// function that launches.
//
// It is an evaluator of C++ at compile time that emits what it can't decide: names are looked
// up in scopes, templates are bound by scopes, references and pointers to local variables are
// bound to the variables themselves, constants are folded. Local variables become registers,
// classes are taken apart into one register for each scalar; a variable that turns out to
// need an address is demoted to memory, and the function is lowered again.
//
// What is not understood becomes an ir.Unknown that names the registers it may have changed,
// and lowering goes on behind it. It never guesses.
package lower

import (
	"context"
	"maps"
	"sort"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// The limits bound the work that a hostile or generated text can cause.
const (
	maxStatements    = 200_000   // of one function
	maxDepth         = 64        // of inlined calls
	maxRecursion     = 8         // of one function in itself
	maxConstantDepth = 200       // likewise, with constant arguments
	maxInstances     = 20_000    // of class templates in one unit
	maxArgsKey       = 4096      // bytes of the arguments of one
	maxEvaluated     = 20_000    // recursive calls with constant arguments in one unit
	maxKernels       = 2_000     // kernels in one unit, from which on no template gets further instances
	maxRestarts      = 200       // of lowering one function
	maxWork          = 5_000_000 // statements of one unit, with those that were thrown away
	maxSize          = 1 << 37   // bytes of an object; a bigger one is not understood
	maxFlatArray     = 64        // scalars of an array that is held in registers
	maxNesting       = 400       // of expressions and statements
	// A struct parameter of more scalars is an object in constant memory instead of Params.
	maxParamScalars = 256
)

// unitState is what the functions of one unit share.
type unitState struct {
	ctx            context.Context
	cache          *Cache
	closures       *closures // nil without a cache
	u              *syntax.Unit
	focus          string  // the file whose kernels are wanted
	parts          []*part // the unit, and those that are linked to it
	global         *scope  // of the first part
	explicit       []instantiation
	enums          map[string]*symbol
	instances      int
	libs           map[string]*record
	kernels        map[string]*kernelInstance
	order          []*kernelInstance
	work           int
	evaluated      int // recursive calls with constant arguments
	constants      map[string]constant
	lambdas        map[textual]int
	localIDs       map[textual]int           // of classes of functions
	locals         map[string]*record        // classes of functions, the same ones whenever these are lowered
	taken          map[string]bool           // names of functions whose address is taken; nil until asked for
	early          map[string]bool           // see setEarly; nil until asked for
	typeParts      map[string][]*syntax.Node // see partsOfTypes; nil until asked for
	takenInstances []*syntax.Node            // of templates
	alone          bool                      // the kernels that no launch here has reached are being lowered
	virtual        []*record                 // classes with virtual functions, in the order in which they were met
	onHost         []*symbol                 // see hostFunctions
	owner          map[*symbol]*symbol       // the class of a member function
	launching      map[*syntax.Node]bool     // host functions that reach a launch
	called         map[*syntax.Node]bool     // host functions that launching ones call
	replaced       map[string]bool           // names of which the host copies something into the variable; made when first asked
	launchers      []*symbol                 // those of them whose address the program takes; made when first asked
	methods        map[string][]*symbol      // and those that are methods, by name; likewise
	allocating     map[*syntax.Node]bool     // host functions that do, as far as asked
	assigned       map[*syntax.Node]map[string]bool

	kernelWork int // of work, that on kernels
	launched   map[*ir.Func]*kernelInstance
	lost       []*syntax.Node  // see loses
	asked      map[string]bool // instances of kernels, by the function that is being lowered
	children   []childLaunch
	startsAt   map[int]*symbol // functions by where they stand; nil until asked for
}

// kernelInstance is a kernel with its template arguments.
type kernelInstance struct {
	sym    *symbol
	in     *scope
	key    string
	trial  string   // see ir.Func
	params []*ctype // see paramsOf
	cached bool
	fn     *ir.Func
}

// lowerer lowers one function.
type lowerer struct {
	un         *unitState
	fn         *ir.Func
	out        *[]ir.Stmt
	scope      *scope
	frame      *frame
	stmt       *syntax.Node
	stmtSpan   source.Span
	library    *syntax.Node // the call of a library's function that is being lowered, of package headers
	inlined    []source.Span
	calls      [][2]int     // the same, as ranges of the expanded text
	marks      []mark       // of the sites
	active     []activation // functions being inlined
	host       bool
	children   []childLaunch         // by a kernel
	guessed    bool                  // the types of the kernel's template are guesses
	unused     map[*syntax.Node]bool // calls whose values nobody takes, if they have any
	givenCalls map[*syntax.Node]bool // see callGuessed

	looping     int                 // how many loops around what is lowered may run it again, those of callers included
	escaped     map[*ir.Object]bool // by what is not understood
	cleanups    []cleanup
	converting  int // depth of conversions by constructors
	packIndex   int // which element a pack's name means; -1 outside of an expansion
	count       int
	nesting     int
	labels      int
	full        bool
	doubts      []string           // see doubt
	wholeUnit   bool               // the function depends on declarations that it does not name
	scratch     int                // > 0: what is emitted is thrown away
	unevaluated int                // > 0: only the type of an expression is wanted
	expected    map[*ir.Named]bool // see sizeTensorCopies
	types       map[typeKey]*ctype
	memories    map[typeKey]bool // see inMemoryEither
	globals     map[string]value
	strings     int

	guarded   bool                  // scopes of another function are in sight: a lambda from the host is a parameter
	demoted   map[*syntax.Node]bool // declarators of variables that live in memory
	placed    map[*syntax.Node]bool // declarators of variables that need registers
	recursive map[activation]bool   // functions that call themselves without a bound
	again     bool                  // one of these has grown

	catching      *ir.Label // where a throw goes on, nil for nowhere, see try.go
	repeating     int       // how many of what runs may run it again and again, see repeats.go
	launchesAgain bool      // a host function that launches calls itself

	numbers map[any]int              // see numberOf
	given   map[string]ir.Expr       // to the host, by words that nobody understands
	either  map[*ir.Reg][]*ir.RegRef // of these, what one is: new, or what was given before
	holders []*holder                // see contents.go
}

// Module lowers a unit: its kernels, and the host functions of it and of the units linked to it.
func Module(u *syntax.Unit) *ir.Module { return ModuleFor(context.Background(), u, u.File, nil) }

// ModuleFor lowers of a unit the kernels in one of its files, for a header as a file that
// includes it sees it. What the cache, if any, has of them is used again. When the context ends,
// functions that are not done are unknown.
func ModuleFor(ctx context.Context, u *syntax.Unit, file string, cache *Cache) *ir.Module {
	un := &unitState{
		ctx: ctx, cache: cache, u: u, focus: file, enums: map[string]*symbol{}, kernels: map[string]*kernelInstance{}, lambdas: map[textual]int{}, localIDs: map[textual]int{}, locals: map[string]*record{}, constants: map[string]constant{}, libs: map[string]*record{}, launched: map[*ir.Func]*kernelInstance{},
		assigned: map[*syntax.Node]map[string]bool{}, allocating: map[*syntax.Node]bool{},
	}
	un.newParts()
	if cache != nil {
		un.closures = un.newClosures()
	}
	m := &ir.Module{}
	safely(func() { un.hosts(m) })
	safely(un.unlaunched)
	safely(func() { m.Hosts = append(m.Hosts, un.launchesByKernels()...) })
	for _, k := range un.order {
		k.fn.Trial = k.trial
		m.Kernels = append(m.Kernels, k.fn)
	}
	sort.SliceStable(m.Kernels, func(i, j int) bool { return before(m.Kernels[i].Span, m.Kernels[j].Span) })
	return m
}

// safely turns a broken invariant into a false result instead of a crash of the editor.
func safely(f func()) (ok bool) {
	defer func() {
		if !ok && !panicInTests {
			recover()
		}
	}()
	f()
	return true
}

// panicInTests makes broken invariants visible to tests.
var panicInTests = false

func before(a, b source.Span) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	return a.Start < b.Start
}

func (un *unitState) newLowerer() *lowerer {
	l := &lowerer{un: un, recursive: map[activation]bool{}, fn: &ir.Func{}, escaped: map[*ir.Object]bool{}, scope: un.global, packIndex: -1, globals: map[string]value{}, types: map[typeKey]*ctype{}, memories: map[typeKey]bool{}}
	l.out = &l.fn.Body
	return l
}

func (l *lowerer) text(n *syntax.Node) string {
	if l.un.closures != nil {
		l.un.closures.touch(n.Start)
	}
	return l.un.u.Slice(n)
}

// words is the text of a node on one line, whatever white space it has.
func (l *lowerer) words(n *syntax.Node) string { return strings.Join(strings.Fields(l.text(n)), " ") }

// withRestarts lowers until no variable has to be demoted to memory any more.
func (un *unitState) withRestarts(build func(l *lowerer)) *ir.Func {
	demoted, placed, recursive := map[*syntax.Node]bool{}, map[*syntax.Node]bool{}, map[activation]bool{}
	for i := 0; ; i++ {
		l := un.newLowerer()
		l.demoted, l.placed, l.recursive = demoted, placed, recursive
		whole := safely(func() { build(l) })
		un.work += l.count
		switch {
		case un.ctx.Err() != nil:
			return l.abandoned("the analysis ran out of time")
		case l.full:
			return l.abandoned("too many statements")
		case !whole:
			return l.abandoned(internalError)
		case !l.again && l.host && len(l.fn.Unknowns) > 0: // what stands behind may run before
			return l.abandoned(l.fn.Unknowns[0])
		case !l.again:
			if !safely(l.finish) {
				return l.abandoned(internalError)
			}
			ir.Detach(l.fn)
			return l.fn
		case i == maxRestarts || un.work > maxWork:
			return l.abandoned("too many variables whose address is taken")
		}
	}
}

// finish is what is done to a function once all of it is there.
func (l *lowerer) finish() {
	settleSubscripts(l.fn)
	spread(l.fn, l.escaped)
	awaitPolls(l.fn.Body)
	sizeTensorCopies(l.fn, l.expected)
	fillBefore(l.fn.Body)
	writeOut(l.fn.Body)
	dropUnread(l.fn)
	l.fn.Unknowns = append(l.fn.Unknowns, l.doubts...)
}

// internalError is the reason where an invariant of the lowering is broken.
const internalError = "internal error"

// abandoned is a function of which nothing is known but its parameters.
func (l *lowerer) abandoned(reason string) *ir.Func {
	l.fn.Body, l.fn.Regs, l.fn.Objects, l.fn.Sites, l.marks = nil, nil, nil, nil, nil
	l.fn.Unknowns = []string{reason}
	ir.Detach(l.fn)
	return l.fn
}

// isPlaced reports whether a variable has to live in memory or in registers of its own; none is declared by nil.
func (l *lowerer) isPlaced(decl *syntax.Node) bool { return l.demoted[decl] || l.placed[decl] }

// demote has the variable live in memory when the function is lowered again.
func (l *lowerer) demote(v value) bool {
	if v.decl == nil {
		return false
	}
	if l.scratch == 0 {
		l.demoted[v.decl] = true
		l.again = true
	}
	return true
}

// needPlace has a variable that is bound to a bare value get registers of its own when the
// function is lowered again.
func (l *lowerer) needPlace(v value) bool {
	if v.decl == nil {
		return false
	}
	if l.scratch == 0 {
		l.placed[v.decl] = true
		l.again = true
	}
	return true
}

// activation is a function body that is being inlined, for its template arguments.
type activation struct {
	body *syntax.Node
	key  string
}

// emit appends a statement to the list that is being built.
func (l *lowerer) emit(s ir.Stmt) {
	if l.count++; l.count > maxStatements || l.count%1024 == 0 && l.un.ctx.Err() != nil {
		l.full = true
		return
	}
	if l.repeating > 0 {
		repeat(s)
	}
	*l.out = append(*l.out, s)
}

// collectStmts runs f and returns what it emitted.
func (l *lowerer) collectStmts(f func()) []ir.Stmt {
	var list []ir.Stmt
	old := l.out
	l.out = &list
	f()
	l.out = old
	return list
}

// inScratch runs f and throws away what it emitted, for operands that are not evaluated.
func (l *lowerer) inScratch(f func()) { l.scratchStmts(f) }

// scratchStmts is inScratch that returns what was emitted, for constant expressions.
func (l *lowerer) scratchStmts(f func()) []ir.Stmt {
	regs, sites, objects, unknowns, count, again := len(l.fn.Regs), len(l.fn.Sites), len(l.fn.Objects), len(l.fn.Unknowns), l.count, l.again
	globals, given, holders := l.globals, l.given, l.holders
	l.globals, l.given, l.holders = map[string]value{}, maps.Clone(given), cloneHolders(holders)
	l.scratch++
	list := l.collectStmts(f)
	l.scratch--
	l.globals, l.given, l.holders = globals, given, holders
	l.fn.Regs, l.fn.Sites, l.fn.Objects, l.fn.Unknowns = l.fn.Regs[:regs], l.fn.Sites[:sites], l.fn.Objects[:objects], l.fn.Unknowns[:unknowns]
	l.marks = l.marks[:sites]
	l.count, l.again = count, again
	return list
}

func (l *lowerer) newReg(t ir.Type, name string) *ir.Reg {
	r := &ir.Reg{ID: len(l.fn.Regs), Name: name, Type: t}
	l.fn.Regs = append(l.fn.Regs, r)
	return r
}

func (l *lowerer) newLabel() *ir.Label {
	l.labels++
	return &ir.Label{ID: l.labels}
}

// temp puts an expression into a fresh register, unless it is a constant.
func (l *lowerer) temp(x ir.Expr) ir.Expr {
	if _, ok := x.(*ir.Const); ok {
		return x
	}
	r := l.newReg(x.Type(), "")
	l.emit(&ir.Assign{Dst: r, X: x})
	return &ir.RegRef{R: r}
}

// site records a place.
func (l *lowerer) site(n *syntax.Node, variable string) int {
	if l.library != nil {
		n, variable = l.library, ""
	}
	o := l.un.u.Origin(n.Start, n.End)
	l.fn.Sites = append(l.fn.Sites, ir.Site{Span: o.Span, Macro: o.Macro, Stmt: l.stmtPlace(), Inlined: l.inlined, Variable: variable, Library: l.library != nil})
	m := mark{at: [2]int{n.Start, n.End}, calls: l.calls}
	if l.stmt != nil {
		m.stmt = [2]int{l.stmt.Start, l.stmt.End}
	}
	l.marks = append(l.marks, m)
	return len(l.fn.Sites) - 1
}

// placeSite is site for a scalar that is read or written at its place.
func (l *lowerer) placeSite(n *syntax.Node, v value) int {
	i := l.site(n, v.name)
	l.fn.Sites[i].Type = v.t.bare()
	return i
}

// asParts says of the sites from one on that they are of parts of what stands there in the text, which is no scalar.
func (l *lowerer) asParts(from int) {
	for i := from; i < len(l.fn.Sites); i++ {
		l.fn.Sites[i].Type = ""
	}
}

// namedSite is site for an intrinsic, whose name a fix may replace if it stands in the text and
// not in a macro's definition.
func (l *lowerer) namedSite(n, name *syntax.Node, variable string) int {
	i := l.site(n, variable)
	if name != nil && l.library == nil {
		if span := l.un.u.Origin(name.Start, name.End).Span; span.End-span.Start == name.End-name.Start {
			l.fn.Sites[i].Name = span
			l.marks[i].name = [2]int{name.Start, name.End}
		}
	}
	return i
}

func (l *lowerer) stmtPlace() source.Span {
	if l.stmt == nil {
		return source.Span{}
	}
	if l.stmtSpan.IsZero() {
		l.stmtSpan = l.un.u.Origin(l.stmt.Start, l.stmt.End).Span
	}
	return l.stmtSpan
}

// unknown emits an Unknown and returns the poisoned value that stands for its result.
func (l *lowerer) unknown(n *syntax.Node, reason string, memory bool, dst ...*ir.Reg) value {
	if memory {
		l.escapeAll()
	}
	return l.effect(n, reason, memory, dst...)
}

// escapeAll notes that what is not understood may name any object.
func (l *lowerer) escapeAll() {
	for _, o := range l.fn.Objects {
		l.escaped[o] = true
	}
}

// effect is like unknown for what gets at no objects but those that it is given, see reachable.
func (l *lowerer) effect(n *syntax.Node, reason string, memory bool, dst ...*ir.Reg) value {
	l.emit(&ir.Unknown{Reason: reason, Dst: dst, Memory: memory, Site: l.site(n, "")})
	return value{t: opaque("unknown"), cat: vPoison, reason: reason}
}

// unknownOf emits an Unknown that gives a value of the type.
func (l *lowerer) unknownOf(n *syntax.Node, t *ctype, reason string, memory bool) value {
	if !t.isScalar() && !(t.flat() && t.kind != kOpaque && t.kind != kGroup && t.kind != kClosure) {
		v := l.unknown(n, reason, memory)
		v.t = t
		return v
	}
	if memory {
		l.escapeAll()
	}
	v := l.place(t.unqualified(), "")
	l.emit(&ir.Unknown{Reason: reason, Dst: v.regs(), Memory: memory, Site: l.site(n, "")})
	return v
}
