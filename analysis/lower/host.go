package lower

// This file lowers host functions for what they say of launches: dimensions, arguments,
// allocations and the conditions on the way. What it does not understand is a value that is
// not known.

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

func sortStrings(s []string) { sort.Strings(s) }

func sortSymbols(list []*symbol) {
	sort.SliceStable(list, func(i, j int) bool { return list[i].node.Start < list[j].node.Start })
}

// hosts lowers the host functions that launch and are not called by another such function.
func (un *unitState) hosts(m *ir.Module) {
	list := un.hostFunctions()
	calls, direct := map[*symbol]map[string]bool{}, map[*symbol]bool{}
	un.launching = map[*syntax.Node]bool{}
	for _, sym := range list {
		names, launches := un.callsOf(sym.node.Child("body"))
		if class := un.owner[sym]; class != nil && strings.TrimPrefix(sym.name, "~") == class.name {
			un.madeBy(sym.node, class, names)
		}
		calls[sym] = names
		if launches && un.mayLaunch(sym) {
			un.launching[sym.node], direct[sym] = true, true
		}
	}
	un.spreadLaunching(list, calls)
	callers := map[string][]*symbol{}
	for _, sym := range list {
		if un.launching[sym.node] {
			for name := range calls[sym] {
				if name != sym.name {
					callers[name] = append(callers[name], sym)
				}
			}
		}
	}
	un.called = map[*syntax.Node]bool{}
	kept := un.keptFunctions()
	for _, sym := range list {
		un.called[sym.node] = !kept[sym.name] && slices.ContainsFunc(callers[sym.name], func(caller *symbol) bool { return un.means(caller, sym) })
	}
	var inlined []*symbol
	for _, sym := range list {
		if un.launching[sym.node] && !un.called[sym.node] {
			m.Hosts = append(m.Hosts, un.hostInstances(sym)...)
		} else if direct[sym] {
			inlined = append(inlined, sym)
		}
	}
	// A call that was not understood, as of a method of an object that holds others which are not, has lost the launches.
	for _, sym := range inlined {
		if !un.launchedIn(sym, m.Hosts) {
			m.Hosts = append(m.Hosts, un.hostInstances(sym)...)
		}
	}
	m.Hosts = append(m.Hosts, un.lostLaunches()...)
}

// launchedIn reports whether a launch that stands in a function is among those of the hosts.
func (un *unitState) launchedIn(sym *symbol, hosts []*ir.Func) bool {
	in := un.u.Origin(sym.node.Start, sym.node.End).Span
	return slices.ContainsFunc(hosts, func(h *ir.Func) bool {
		for l := range ir.All[*ir.Launch](h.Body) {
			if at := h.Sites[l.Site].Span; at.File == in.File && in.Start <= at.Start && at.End <= in.End {
				return true
			}
		}
		return false
	})
}

// hostInstances lowers a host function, and notes its launches as lost if it is given up.
func (un *unitState) hostInstances(sym *symbol) []*ir.Func {
	list := un.instancesOf(sym)
	if slices.ContainsFunc(list, func(fn *ir.Func) bool { return len(fn.Body) == 0 && len(fn.Unknowns) > 0 }) {
		un.loses(sym.node)
	}
	return list
}

// instancesOf lowers a host function, a template for each explicit instantiation.
func (un *unitState) instancesOf(sym *symbol) []*ir.Func {
	if un.owner[sym] != nil {
		return un.methodInstances(sym)
	}
	if sym.tparams == nil {
		return []*ir.Func{un.lowerHost(sym)}
	}
	var out []*ir.Func
	for _, c := range un.explicitOf(sym) {
		out = append(out, un.host(sym, c.scope, c.key, nil))
	}
	if len(out) == 0 {
		un.byBestGuess(sym.tparams, func(types guess) {
			if in, key, ok := un.defaultArgs(sym.tparams, sym.scope, nil, types); ok {
				out = []*ir.Func{un.host(sym, in, key, nil)}
			}
		})
	}
	return out
}

// methodInstances lowers a member function with an object that is not known.
func (un *unitState) methodInstances(sym *symbol) []*ir.Func {
	class := un.owner[sym]
	l := un.newLowerer()
	l.demoted, l.placed = map[*syntax.Node]bool{}, map[*syntax.Node]bool{}
	var recs []*record
	switch {
	case class.tparams == nil:
		recs = append(recs, l.instance(class, nil))
	default:
		for _, e := range un.explicit {
			for _, k := range e.node.Children {
				if (k.Kind == "class_specifier" || k.Kind == "struct_specifier") && k.Child("name") != nil {
					if t := l.tryType(k.Child("name"), e.in); t != nil && t.kind == kRecord && t.rec.sym == class {
						recs = append(recs, t.rec)
					}
				}
			}
		}
		if in, _, ok := un.defaultArgs(class.tparams, class.scope, nil, nil); ok && len(recs) == 0 {
			var args []targ
			for _, p := range l.tparams(class.tparams) {
				if syms := in.syms[p.name]; len(syms) > 0 {
					args = append(args, targ{t: syms[0].t, v: syms[0].v})
				}
			}
			recs = append(recs, l.instance(class, args))
		}
	}
	var out []*ir.Func
	for _, rec := range recs {
		if rec.scope == nil || sym.tparams != nil && class.tparams == nil {
			continue
		}
		in := rec.scope
		if sym.tparams != nil {
			in = l.outsideScope(sym, &candidate{scope: in, in: rec}, &symbol{})
		}
		out = append(out, un.host(sym, in, argsKey(rec.args), rec))
	}
	return out
}

// explicitOf lists the explicit instantiations of a function template.
func (un *unitState) explicitOf(sym *symbol) []*candidate {
	l := un.newLowerer()
	l.demoted, l.placed = map[*syntax.Node]bool{}, map[*syntax.Node]bool{}
	var out []*candidate
	for _, e := range un.explicit {
		d := functionDeclarator(e.node.Child("declarator"))
		if d == nil {
			continue
		}
		r := l.resolve(d.Child("declarator"), e.in)
		fs := &fnset{name: r.name, syms: []*symbol{sym}, args: r.args, scope: e.in}
		found := false
		for _, s := range r.syms {
			found = found || s == sym
		}
		if !found {
			continue
		}
		var args []argument
		for _, p := range l.un.parameters(d) {
			t := l.typeNode(p, e.in).noRef()
			args = append(args, argument{value{t: t, cat: vMem, x: zero(ir.Ptr)}, p})
		}
		var c *candidate
		l.inScratch(func() { c = l.choose(fs, args) })
		if c != nil {
			out = append(out, c)
		}
	}
	return out
}

// hostFunctions lists the functions and the classes' member functions that run on the host.
func (un *unitState) hostFunctions() []*symbol {
	if un.owner != nil {
		return un.onHost
	}
	var out []*symbol
	un.owner = map[*symbol]*symbol{}
	for _, p := range un.parts {
		for _, sym := range un.functions(p.global) {
			if un.runsOnHost(sym) {
				out = append(out, sym)
			}
		}
		out = append(out, slices.DeleteFunc(un.lambdasOutside(p), func(sym *symbol) bool { return !un.runsOnHost(sym) })...)
		for _, class := range un.classes(p.global) {
			for _, sym := range un.members(class) {
				if un.runsOnHost(sym) {
					out = append(out, sym)
					un.owner[sym] = class
				}
			}
			out = append(out, slices.DeleteFunc(friendsOf(class), func(sym *symbol) bool { return !un.runsOnHost(sym) })...)
		}
	}
	un.onHost = out
	return out
}

// friendsOf lists the functions that a class defines as friends.
func friendsOf(class *symbol) (out []*symbol) {
	body := class.node.Child("body")
	if body == nil || body.ChildByKind("friend_declaration") == nil {
		return nil
	}
	seen := map[*syntax.Node]bool{}
	for _, syms := range enclosingNamespace(class.scope).syms {
		for _, sym := range syms {
			if sym.kind == symFunc && body.Start <= sym.node.Start && sym.node.End <= body.End && sym.node.Child("body") != nil && !seen[sym.node] {
				seen[sym.node] = true
				out = append(out, sym)
			}
		}
	}
	sortSymbols(out)
	return out
}

func (un *unitState) runsOnHost(sym *symbol) bool {
	return !hasWord(un.u, sym.node, "__global__") && (!hasWord(un.u, sym.node, "__device__") || hasWord(un.u, sym.node, "__host__"))
}

// members lists the member functions with bodies of a class, in it and outside.
func (un *unitState) members(class *symbol) []*symbol {
	var out []*symbol
	if body := class.node.Child("body"); body != nil {
		s := newScope(class.scope, scopeClass)
		s.rec = &record{name: class.name}
		(&collector{u: un.u, global: class.scope.root()}).items(body.Children, s)
		for _, syms := range s.syms {
			for _, sym := range syms {
				if sym.kind == symFunc && sym.node.Child("body") != nil {
					out = append(out, sym)
				}
			}
		}
	}
	out = append(out, class.outside...)
	sortSymbols(out)
	return out
}

// classes lists the classes at namespace level.
func (un *unitState) classes(s *scope) []*symbol {
	var out []*symbol
	un.eachSymbol(s, func(sym *symbol) {
		if sym.kind == symClass {
			out = append(out, sym)
		}
	})
	sortSymbols(out)
	return out
}

// spreadLaunching marks the functions that call a launching one, by name.
func (un *unitState) spreadLaunching(list []*symbol, calls map[*symbol]map[string]bool) {
	for changed := true; changed; {
		changed = false
		names := map[string]bool{}
		for _, sym := range list {
			if un.launching[sym.node] {
				names[sym.name] = true
			}
		}
		for _, sym := range list {
			if un.launching[sym.node] {
				continue
			}
			for name := range calls[sym] {
				if names[name] {
					un.launching[sym.node], changed = true, true
					break
				}
			}
		}
	}
}

// host lowers one host function; a member function gets its object behind the parameter this.
func (un *unitState) host(sym *symbol, in *scope, key string, rec *record) *ir.Func {
	return un.withRestarts(func(l *lowerer) { l.hostFunction(sym, in, key, rec) })
}

func (l *lowerer) hostFunction(sym *symbol, in *scope, key string, rec *record) {
	var params []*ctype
	l.host = true
	l.fn.Name, l.fn.Instance = sym.name, key
	if rec != nil {
		in = newScope(in, scopeFunction)
		p := l.newParam("this", pointerTo(recordType(rec)), sym.node)
		in.this = &value{t: recordType(rec), cat: vMem, x: &ir.ParamRef{P: p}}
	}
	l.fn.Span = l.un.u.Origin(sym.node.Start, sym.node.End).Span
	l.function(sym, in, &params, key)
	if l.launchesAgain {
		ir.WalkStmts(l.fn.Body, func(s ir.Stmt) bool {
			repeat(s)
			return true
		})
	}
}

// smallBody is the length of text up to which a host function that launches nothing is
// inlined for the value it gives, and allocatingBody that of one that allocates memory of the device.
const smallBody, allocatingBody = 600, 6000

func (l *lowerer) worthInlining(sym *symbol) bool {
	if l.un.launching[sym.node] {
		return true
	}
	body := sym.node.Child("body")
	most := smallBody
	if l.un.allocates(sym) {
		most = allocatingBody
	}
	return body.End-body.Start <= most && len(l.active) < 8
}

// allocates reports whether a function allocates memory of the device, so that it says where pointers lead.
func (un *unitState) allocates(sym *symbol) bool {
	yes, known := un.allocating[sym.node]
	if !known {
		names, _ := un.callsOf(sym.node.Child("body"))
		for name := range names {
			yes = yes || strings.HasPrefix(name, "cudaMalloc") || name == "cudaHostAlloc"
		}
		un.allocating[sym.node] = yes
	}
	return yes
}

// launch lowers kernel<<<grid, block, shared, stream>>>(args).
func (l *lowerer) launch(n, fn, config, args *syntax.Node) value {
	cfg := namedChildren(config)
	pointer := l.load(l.expr(stripParens(fn)), fn)
	fs := kernelSet(pointer)
	list := l.arguments(args)
	if !l.host {
		return l.deviceLaunch(n, fs, cfg, list)
	}
	if len(cfg) < 2 || fs == nil && pointer.cat != vRval {
		return l.launchOfAny(n, len(list))
	}
	s := &ir.Launch{}
	s.Grid, s.Block = l.dimensions(cfg[0]), l.dimensions(cfg[1])
	if len(cfg) > 2 {
		s.SharedBytes = l.scalar(cfg[2], tULong)
	}
	return l.launchPointer(n, s, pointer, func(*fnset) []argument { return list })
}

// deviceLaunch lowers a launch by a kernel.
func (l *lowerer) deviceLaunch(n *syntax.Node, fs *fnset, cfg []*syntax.Node, list []argument) value {
	if fs == nil || len(cfg) < 2 {
		return l.unknown(n, "launch of an unknown kernel", true)
	}
	k := l.kernelFor(fs, list)
	for _, a := range list {
		l.load(a.v, a.n)
	}
	s := &ir.Launch{Grid: l.dimensions(cfg[0]), Block: l.dimensions(cfg[1])}
	if len(cfg) > 2 {
		s.SharedBytes = l.scalar(cfg[2], tULong)
	}
	return l.childGrid(n, fs, k, s, list)
}

// newStream is a call that makes a stream or an event where its first argument points to.
func newStream(l *lowerer, c *callSite) value {
	if len(c.args) == 0 {
		return l.rejectArity(c)
	}
	place := l.deref(c.value(l, 0), c.args[0].n)
	if place.isPlace() && place.t.isScalar() {
		l.assign(place, l.arbitrary(c.n, place.t.unqualified()), c.n)
	}
	return l.opaqueResult(c, tInt)
}

// arbitrary is a value that nothing is known of.
func (l *lowerer) arbitrary(n *syntax.Node, t *ctype) value {
	r := l.newReg(t.ir(), "")
	if l.host {
		l.emit(&ir.Unknown{Reason: "value that the runtime gives", Dst: []*ir.Reg{r}, Site: l.site(n, "")})
	} else {
		l.emit(&ir.Named{Op: "special", Dst: r, Site: l.site(n, "")})
	}
	return rval(t, &ir.RegRef{R: r})
}

// launchPointer launches the kernel that a pointer holds the address of, with the arguments that
// args gives for each.
func (l *lowerer) launchPointer(n *syntax.Node, s *ir.Launch, pointer value, args func(*fnset) []argument) value {
	if fs := kernelSet(pointer); fs != nil {
		return l.emitLaunch(n, s, fs, args(fs))
	}
	x, t := l.bits(pointer), pointer.t
	if x == nil || x.Type() != ir.Ptr || t.kind != kPtr || t.elem.kind != kFunc && t.elem.kind != kVoid {
		return l.launchOfAny(n, -1)
	}
	list, all := l.candidatesOf(x, t.elem)
	list = slices.DeleteFunc(list, func(sym *symbol) bool { return !hasWord(l.un.u, sym.node, "__global__") })
	if len(list) == 0 || len(list) > maxBranches {
		return l.launchOfAny(n, -1)
	}
	x = l.temp(x)
	var branches []branch
	for _, sym := range list {
		fs := &fnset{name: sym.name, syms: []*symbol{sym}, scope: l.scope}
		branches = append(branches, branch{binary(ir.Eq, x, l.functionAddress(fs)), func() value {
			one := *s
			return l.emitLaunch(n, &one, fs, args(fs))
		}})
	}
	return l.dispatch(n, tVoid, branches, all, unknownKernel)
}

const unknownKernel = "launch of an unknown kernel"

// launchOfAny is a launch of which nobody knows what it launches: it may be any kernel whose address the program takes and that
// has so many parameters, -1 for any number.
func (l *lowerer) launchOfAny(n *syntax.Node, params int) value {
	if l.host {
		var sets []*fnset
		for _, sym := range l.taken(tVoid) {
			sets = append(sets, &fnset{name: sym.name, syms: []*symbol{sym}, scope: l.scope})
		}
		sets = append(sets, l.instancesTaken()...)
		here := l.un.partOf(n)
		for _, fs := range sets {
			if sym := fs.syms[0]; l.un.partOf(sym.node) == here && (params < 0 || len(l.un.parameters(sym.decl)) == params) {
				l.mayLaunch(n, fs)
			}
		}
	}
	return l.unknown(n, unknownKernel, true)
}

// mayLaunch emits a launch of which nothing is known, nor whether it is made.
func (l *lowerer) mayLaunch(n *syntax.Node, fs *fnset) {
	if len(fs.syms) != 1 {
		return
	}
	sym := fs.syms[0]
	if !hasWord(l.un.u, sym.node, "__global__") || sym.node.Child("body") == nil {
		return
	}
	l.wholeUnit = true
	var args []argument
	for _, p := range l.un.parameters(sym.decl) {
		t := l.tryType(p, sym.scope)
		if t == nil || sym.tparams != nil {
			t = opaque("unknown")
		}
		args = append(args, argumentOf(t, p))
	}
	l.maybe(n, sym.name, func() {
		l.emitLaunch(n, l.anyLaunch(n), fs, args)
	}, func() {})
}

// anyLaunch is a launch of which nobody knows how it is made, without its kernel.
func (l *lowerer) anyLaunch(n *syntax.Node) *ir.Launch {
	s := &ir.Launch{Anyhow: true}
	for i := range s.Grid {
		s.Grid[i], s.Block[i] = l.unknownScalar(n, ir.U32, "launch dimension"), l.unknownScalar(n, ir.U32, "launch dimension")
	}
	return s
}

// kernelSet is the function that a launch names.
func kernelSet(v value) *fnset {
	if v.cat == vRval && v.target != nil && v.target.cat == vFns {
		v = *v.target
	}
	if v.cat != vFns {
		return nil
	}
	return v.fns
}

// kernelFor chooses the kernel and instantiates it.
func (l *lowerer) kernelFor(fs *fnset, args []argument) *kernelInstance {
	if c := l.choose(fs, args); c != nil && c.sym.node.Child("body") != nil {
		return l.un.instantiate(c.sym, c.scope, c.key)
	}
	return l.un.declaredKernel(fs)
}

func (l *lowerer) emitLaunch(n *syntax.Node, s *ir.Launch, fs *fnset, args []argument) value {
	k := l.kernelFor(fs, args)
	if k == nil {
		return l.unknown(n, "launch of "+fs.name+", which is not defined here", true)
	}
	if !hasWord(l.un.u, k.sym.node, "__global__") {
		return l.unknown(n, "launch of "+fs.name+", which is no kernel", true)
	}
	if !l.host {
		return l.childGrid(n, fs, k, s, args)
	}
	s.Kernel = k.fn
	l.un.launched[k.fn] = k
	pointers := map[string]value{} // that are not understood, by what is written
	for i, t := range l.un.paramsOf(k) {
		var v value
		switch {
		case i < len(args):
			v = l.argumentFor(l.alike(pointers, args[i], t, true), t)
		default:
			if ps := l.un.parameters(k.sym.decl); i < len(ps) && ps[i].Child("default_value") != nil {
				d := ps[i].Child("default_value")
				v = l.convertTo(l.expr(d), t, d)
			}
		}
		l.launchArgs(&s.Args, v, t, n)
	}
	for len(s.Args) < len(k.fn.Params) {
		s.Args = append(s.Args, l.unknownScalar(n, k.fn.Params[len(s.Args)].Type, "kernel argument"))
	}
	s.Args = s.Args[:len(k.fn.Params)]
	l.onItsOwn(s.Args)
	for i := range s.Args {
		s.Args[i] = convert(s.Args[i], k.fn.Params[i].Type)
	}
	s.Site = l.site(n, "")
	l.emit(s)
	return value{t: tVoid}
}

func (l *lowerer) argumentFor(a argument, t *ctype) value {
	if t.kind == kClosure || t.kind == kOpaque {
		return l.load(a.v, a.n)
	}
	return l.convertTo(a.v, t, a.n)
}

// launchArgs flattens an argument as the kernel's Params are.
func (l *lowerer) launchArgs(out *[]ir.Expr, v value, t *ctype, n *syntax.Node) {
	switch {
	case t.isScalar():
		x := l.bits(v)
		if x == nil || x.Type() != t.ir() && (x.Type() == ir.Void) {
			x = l.unknownScalar(n, t.ir(), reasonOf(v))
		}
		*out = append(*out, x)
	case t.kind == kRecord && (t.rec.lib == libTexture || t.leaves() > maxParamScalars):
	case t.kind == kRecord && l.unlaid(t.rec) == "" && !t.rec.union:
		for i, f := range t.rec.fields {
			l.launchArgs(out, l.partOf(v, i, n), f.t, n)
		}
	case t.kind == kRecord && l.unlaid(t.rec) == "":
		for off, word := range t.words() {
			w := value{t: word, cat: vPoison, reason: "kernel argument"}
			if v.cat == vMem {
				w = l.load(value{t: word, cat: vMem, x: ptrAdd(v.x, constInt(ir.I64, off)), name: v.name}, n)
			}
			l.launchArgs(out, w, word, n)
		}
	case t.kind == kArray:
		for i := range max(t.len, 0) {
			e := value{t: t.elem, cat: vPoison, reason: "kernel argument"}
			if v.cat == vAgg && i < int64(len(v.elems)) || v.cat == vMem {
				e = l.load(l.element(v, i), n)
			}
			l.launchArgs(out, e, t.elem, n)
		}
	case t.kind == kClosure && v.t.kind == kClosure:
		for _, name := range capturedNames(v.t.closure) {
			c := v.t.closure.scope.syms[name][0].v
			if c.t.kind == kClosure || !isFixed(*c) {
				l.launchArgs(out, l.load(*c, n), c.t.unqualified(), n)
			}
		}
	}
}

func (l *lowerer) partOf(v value, i int, n *syntax.Node) value {
	if v.t.kind != kRecord || v.cat != vAgg && v.cat != vMem {
		return value{t: tInt, cat: vPoison, reason: "kernel argument"}
	}
	return l.load(l.member(v, i), n)
}

func (l *lowerer) unknownScalar(n *syntax.Node, t ir.Type, reason string) ir.Expr {
	r := l.newReg(t, "")
	l.emit(&ir.Unknown{Reason: reason, Dst: []*ir.Reg{r}, Site: l.site(n, "")})
	return &ir.RegRef{R: r}
}

// dimensions evaluates a grid or block dimension: an integer or a dim3.
func (l *lowerer) dimensions(n *syntax.Node) [3]ir.Expr { return l.dims(l.expr(n), n) }

func (l *lowerer) dims(v value, n *syntax.Node) [3]ir.Expr {
	d := l.convertTo(v, vectorTypes["dim3"], n)
	var out [3]ir.Expr
	for i := range out {
		var x ir.Expr
		if d.cat == vAgg && i < len(d.elems) {
			x = l.bits(l.load(d.elems[i], n))
		}
		if x == nil {
			x = l.unknownScalar(n, ir.U32, "launch dimension")
		}
		out[i] = x
	}
	return out
}

// hostTable has the functions of the CUDA runtime that say something about launches.
func hostTable() map[string]intrinsic {
	m := map[string]intrinsic{
		"cudaLaunchKernel":            launchAPI(false),
		"cudaLaunchCooperativeKernel": launchAPI(true),
		"cudaLaunchKernelEx":          launchEx,
		"cudaLaunchKernelExC":         launchExC,
		"cudaGraphAddKernelNode":      graphNode, "cudaGraphKernelNodeSetParams": graphNode, "cudaGraphExecKernelNodeSetParams": graphNode,
		"cudaMemcpy": hostCopy, "cudaMemcpyAsync": hostCopy,
		"cudaMemset": hostSet, "cudaMemsetAsync": hostSet,
		"cudaMemcpyToSymbol": symbolCopy(0), "cudaMemcpyToSymbolAsync": symbolCopy(0),
		"cudaMemcpyFromSymbol": symbolCopy(1), "cudaMemcpyFromSymbolAsync": symbolCopy(1),
		"cudaStreamBeginCapture": capture(1), "cudaStreamEndCapture": capture(-1),
		"cudaGetSymbolAddress": symbolAddress, "cudaHostGetDevicePointer": mappedPointer,
		"exit": trap, "_exit": trap, "quick_exit": trap,
		"cudaStreamCreate": newStream, "cudaStreamCreateWithFlags": newStream, "cudaEventCreate": newStream, "cudaEventCreateWithFlags": newStream,
		"malloc": hostMalloc,
		"free":   heapFree,
		"calloc": hostMalloc,
	}
	for _, name := range []string{"cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync"} {
		m[name] = hostAlloc
	}
	m["cudaMallocPitch"] = hostAllocPitch
	for _, name := range strings.Fields(`cudaFree cudaFreeHost cudaFreeAsync cudaDeviceSynchronize cudaThreadSynchronize cudaStreamSynchronize cudaGetLastError
		cudaPeekAtLastError cudaEventRecord cudaEventSynchronize cudaEventDestroy cudaStreamDestroy cudaDeviceReset cudaSetDevice cudaFuncSetAttribute
		cudaFuncSetCacheConfig cudaDeviceSetLimit cudaStreamWaitEvent cudaMemPrefetchAsync cudaMemAdvise cudaGetErrorString strcmp strlen atoi atof fflush fclose rand srand time getenv
		sdkStartTimer sdkStopTimer sdkResetTimer sdkGetTimerValue sdkDeleteTimer cudaFreeArray cudaDestroyTextureObject`) {
		m[name] = harmless
	}
	return m
}

// harmless is a host function that changes nothing that lowering follows.
func harmless(l *lowerer, c *callSite) value {
	for _, a := range c.args {
		l.load(a.v, a.n)
	}
	if !l.host {
		return l.arbitrary(c.n, tInt)
	}
	return l.opaqueResult(c, tInt)
}

// status is the result of a runtime call.
func (l *lowerer) status(c *callSite) value { return l.opaqueResult(c, tInt) }

// opaqueResult is a result that nothing is known of; it costs a statement only where it is used.
func (l *lowerer) opaqueResult(c *callSite, t *ctype) value {
	return value{t: t, cat: vPoison, reason: "result of " + c.name}
}

// hostAlloc lowers cudaMalloc(&p, bytes) and its kin.
func hostAlloc(l *lowerer, c *callSite) value {
	if len(c.args) < 2 {
		return l.rejectArity(c)
	}
	place := l.deref(c.value(l, 0), c.args[0].n)
	if place.t == nil || !place.isPlace() || place.t.kind != kPtr {
		l.clobberArgs(c.n, c.name, c.args[:1])
		return l.status(c)
	}
	dst := l.newReg(ir.Ptr, "")
	l.emit(&ir.Alloc{Dst: dst, Bytes: c.arg(l, 1, tULong), Name: place.name, Site: l.namedSite(c.n, c.nameNode, place.name)})
	l.assign(place, rval(place.t.unqualified(), &ir.RegRef{R: dst}), c.n)
	return l.status(c)
}

// rowAlignment divides the pitch of an allocation: rows begin where accesses coalesce (CUDA Runtime API,
// cudaMallocPitch), which are segments of 32 bytes (CUDA Best Practices Guide, "Coalesced Access").
const rowAlignment = 32

// hostAllocPitch lowers cudaMallocPitch(&p, &pitch, width, height): rows of pitch bytes, which hold
// the width.
func hostAllocPitch(l *lowerer, c *callSite) value {
	if len(c.args) < 4 {
		return l.rejectArity(c)
	}
	at, pitch := l.deref(c.value(l, 0), c.args[0].n), l.deref(c.value(l, 1), c.args[1].n)
	if at.t == nil || !at.isPlace() || at.t.kind != kPtr || pitch.t == nil || !pitch.isPlace() {
		l.clobberArgs(c.n, c.name, c.args[:2])
		return l.status(c)
	}
	bytes := binary(ir.Mul, l.unknownScalar(c.n, ir.U64, "pitch"), &ir.Const{T: ir.U64, Bits: rowAlignment})
	l.emit(&ir.Assume{Cond: binary(ir.Le, c.arg(l, 2, tULong), bytes)})
	l.assign(pitch, rval(tULong, bytes), c.n)
	dst := l.newReg(ir.Ptr, "")
	l.emit(&ir.Alloc{Dst: dst, Bytes: binary(ir.Mul, bytes, c.arg(l, 3, tULong)), Name: at.name, Site: l.namedSite(c.n, c.nameNode, at.name)})
	l.assign(at, rval(at.t.unqualified(), &ir.RegRef{R: dst}), c.n)
	return l.status(c)
}

// hostMalloc lowers malloc(bytes) and calloc(n, size).
func hostMalloc(l *lowerer, c *callSite) value {
	if len(c.args) == 0 {
		return l.rejectArity(c)
	}
	bytes := c.arg(l, 0, tULong)
	if len(c.args) == 2 {
		bytes = binary(ir.Mul, bytes, c.arg(l, 1, tULong))
	}
	if !l.host {
		return rval(voidPtr, l.heapNew(c.n, bytes))
	}
	dst := l.newReg(ir.Ptr, "")
	l.emit(&ir.Alloc{Dst: dst, Bytes: bytes, Site: l.namedSite(c.n, c.nameNode, "")})
	return rval(pointerTo(tVoid), &ir.RegRef{R: dst})
}

func hostCopy(l *lowerer, c *callSite) value {
	if len(c.args) < 3 {
		return l.rejectArity(c)
	}
	var p [2]ir.Expr
	for i := range p {
		v := l.decay(c.value(l, i), c.args[i].n)
		if v.target != nil && i == 0 {
			l.unknown(c.n, "copy from the device", false, l.reachable([]value{v})...)
			return l.status(c)
		}
		if p[i] = l.bits(v); p[i] == nil || p[i].Type() != ir.Ptr {
			p[i] = l.unknownScalar(c.args[i].n, ir.Ptr, "address")
		}
	}
	l.emit(&ir.HostCopy{Dst: p[0], Src: p[1], Bytes: c.arg(l, 2, tULong), Site: l.namedSite(c.n, c.nameNode, "")})
	return l.status(c)
}

func hostSet(l *lowerer, c *callSite) value {
	if len(c.args) < 3 {
		return l.rejectArity(c)
	}
	p := l.bits(l.decay(c.value(l, 0), c.args[0].n))
	if p == nil || p.Type() != ir.Ptr {
		p = l.unknownScalar(c.args[0].n, ir.Ptr, "address")
	}
	l.emit(&ir.HostCopy{Dst: p, Value: c.arg(l, 1, tInt), Bytes: c.arg(l, 2, tULong), Site: l.namedSite(c.n, c.nameNode, "")})
	return l.status(c)
}

// symbolCopy is cudaMemcpyToSymbol(symbol, src, bytes, offset), or cudaMemcpyFromSymbol(dst, symbol, bytes, offset).
func symbolCopy(from int) intrinsic {
	return func(l *lowerer, c *callSite) value {
		symbol, other := from, 1-from
		if len(c.args) < 3 || c.args[symbol].v.cat != vMem {
			l.unknown(c.n, "call of "+c.name, true)
			return l.status(c)
		}
		at := c.args[symbol].v.x
		if len(c.args) > 3 {
			at = ptrAdd(at, c.arg(l, 3, tLong))
		}
		memory := l.bits(l.decay(c.value(l, other), c.args[other].n))
		if memory == nil || memory.Type() != ir.Ptr {
			memory = l.unknownScalar(c.args[other].n, ir.Ptr, "address")
		}
		s := &ir.HostCopy{Dst: at, Src: memory, Bytes: c.arg(l, 2, tULong), Site: l.namedSite(c.n, c.nameNode, c.args[symbol].v.name)}
		if from == 1 {
			s.Dst, s.Src = memory, at
		}
		l.emit(s)
		return l.status(c)
	}
}

// symbolAddress is cudaGetSymbolAddress(&p, symbol).
func symbolAddress(l *lowerer, c *callSite) value {
	if len(c.args) != 2 || c.args[1].v.cat != vMem {
		l.clobberArgs(c.n, c.name, c.args)
		return l.status(c)
	}
	place := l.deref(c.value(l, 0), c.args[0].n)
	if place.isPlace() && place.t.kind == kPtr {
		l.assign(place, rval(place.t.unqualified(), c.args[1].v.x), c.n)
	}
	return l.status(c)
}

// mappedPointer is cudaHostGetDevicePointer(&p, pinned, flags): what the host has pinned, as the device sees it.
func mappedPointer(l *lowerer, c *callSite) value {
	pinned := value{}
	if len(c.args) > 1 {
		pinned = l.load(c.args[1].v, c.args[1].n)
	}
	if pinned.x == nil || pinned.x.Type() != ir.Ptr {
		l.clobberArgs(c.n, c.name, c.args)
		return l.status(c)
	}
	if place := l.deref(c.value(l, 0), c.args[0].n); place.isPlace() && place.t.kind == kPtr {
		l.assign(place, rval(place.t.unqualified(), pinned.x), c.n)
	}
	return l.status(c)
}

// launchAPI is cudaLaunchKernel(kernel, grid, block, arguments, shared, stream), where
// arguments is an array of pointers to them.
func launchAPI(cooperative bool) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) < 4 {
			return l.rejectArity(c)
		}
		s := &ir.Launch{Cooperative: cooperative, Grid: l.dims(c.args[1].v, c.args[1].n), Block: l.dims(c.args[2].v, c.args[2].n)}
		if len(c.args) > 4 {
			s.SharedBytes = c.arg(l, 4, tULong)
		}
		l.launchPointer(c.n, s, c.value(l, 0), func(fs *fnset) []argument { return l.pointedArguments(c, fs, c.args[3]) })
		return l.status(c)
	}
}

// pointedArguments reads the arguments through an array of pointers.
func (l *lowerer) pointedArguments(c *callSite, fs *fnset, list argument) []argument {
	var sym *symbol
	for _, s := range fs.syms {
		if s.kind == symFunc {
			sym = s
		}
	}
	if sym == nil {
		return nil
	}
	v := list.v
	if v.cat != vAgg || v.lvalue {
		v = l.decay(l.load(v, list.n), list.n)
	}
	var out []argument
	in := sym.scope
	if sym.tparams != nil {
		in = l.bindTemplate(sym.tparams, l.templateArgs(sym, fs.args, l.scope), sym.scope)
	}
	for i, p := range l.un.parameters(sym.decl) {
		t := l.typeNode(p, in)
		a := value{t: t, cat: vPoison, reason: "kernel argument"}
		if v.cat == vAgg && i < len(v.elems) && v.elems[i].t.kind == kPtr {
			a = l.load(l.deref(l.pointerCast(v.elems[i], pointerTo(t), c.n), c.n), c.n)
		} else if v.t.kind == kPtr {
			slot := l.pointerAdd(value{t: pointerTo(pointerTo(t)), cat: vRval, x: l.bits(v)}, constInt(ir.I64, int64(i)), c.n)
			if slot.cat == vRval && slot.x != nil {
				a = l.load(l.deref(l.load(l.deref(slot, c.n), c.n), c.n), c.n)
			}
		}
		out = append(out, argument{a, c.n})
	}
	return out
}

// nodeRecord is cudaKernelNodeParams.
func (l *lowerer) nodeRecord() *ctype {
	return l.libRecord("cudaKernelNodeParams", "", []field{
		{name: "func", t: voidPtr}, {name: "gridDim", t: vectorTypes["dim3"]}, {name: "blockDim", t: vectorTypes["dim3"]},
		{name: "sharedMemBytes", t: tUInt}, {name: "kernelParams", t: pointerTo(voidPtr)}, {name: "extra", t: pointerTo(voidPtr)},
	})
}

// graphNode is a call whose last argument points to the parameters of a graph's kernel node. When
// and how often the graph runs, it does not say: a node counts as one launch.
func graphNode(l *lowerer, c *callSite) value {
	if len(c.args) < 2 {
		return l.rejectArity(c)
	}
	last := c.args[len(c.args)-1]
	p := l.deref(l.load(last.v, c.n), last.n)
	if p.t == nil || p.t.kind != kRecord || p.t.rec.name != "cudaKernelNodeParams" {
		l.launchOfAny(c.n, -1)
		return l.status(c)
	}
	part := func(i int) value { return l.load(l.member(p, i), c.n) }
	s := &ir.Launch{Again: true, Grid: l.dims(part(1), c.n), Block: l.dims(part(2), c.n), SharedBytes: l.toScalar(part(3), tULong, c.n)}
	l.launchPointer(c.n, s, part(0), func(fs *fnset) []argument { return l.pointedArguments(c, fs, argument{part(4), last.n}) })
	return l.status(c)
}

// attributeRecord is cudaLaunchAttribute, whose union has a member for each kind of attribute.
func (l *lowerer) attributeRecord() *ctype {
	dims := []field{{name: "x", t: tUInt}, {name: "y", t: tUInt}, {name: "z", t: tUInt}}
	value := l.libRecord("cudaLaunchAttributeValue", "", []field{
		{name: "clusterDim", t: l.libRecord("cudaLaunchAttributeValue::clusterDim", "", dims)}, {name: "cooperative", t: tInt},
		{name: "priority", t: tInt}, {name: "programmaticStreamSerializationAllowed", t: tInt}, {name: "clusterSchedulingPolicyPreference", t: tInt},
	})
	return l.libRecord("cudaLaunchAttribute", "", []field{{name: "id", t: tInt}, {name: "val", t: value}})
}

// configRecord is cudaLaunchConfig_t.
func (l *lowerer) configRecord() *ctype {
	return l.libRecord("cudaLaunchConfig_t", "", []field{
		{name: "gridDim", t: vectorTypes["dim3"]}, {name: "blockDim", t: vectorTypes["dim3"]}, {name: "dynamicSmemBytes", t: tULong},
		{name: "stream", t: pointerTo(tVoid)}, {name: "attrs", t: pointerTo(tVoid)}, {name: "numAttrs", t: tUInt},
	})
}

// launchConfig reads a cudaLaunchConfig_t behind a pointer or a reference.
func (l *lowerer) launchConfig(c *callSite) (*ir.Launch, bool) {
	if len(c.args) < 2 {
		return nil, false
	}
	cfg := c.args[0].v
	if cfg.t.kind == kPtr {
		cfg = l.deref(l.load(cfg, c.n), c.n)
	}
	if cfg.t == nil || cfg.t.kind != kRecord || cfg.t.rec.name != "cudaLaunchConfig_t" || c.args[1].v.cat != vFns {
		return nil, false
	}
	part := func(i int) value { return l.load(l.member(cfg, i), c.n) }
	s := &ir.Launch{Grid: l.dims(part(0), c.n), Block: l.dims(part(1), c.n), SharedBytes: l.toScalar(part(2), tULong, c.n)}
	s.Cluster = l.clusterOf(part(4), l.toScalar(part(5), tUInt, c.n), c.n)
	return s, true
}

// maxAttributes bounds the attributes of a launch that are looked at.
const maxAttributes = 4

// clusterOf is what the attributes of a launch say about clusters.
func (l *lowerer) clusterOf(attributes value, count ir.Expr, n *syntax.Node) (dims [3]ir.Expr) {
	at := l.bits(attributes)
	if at == nil {
		return dims
	}
	record := l.attributeRecord()
	dims = [3]ir.Expr{constInt(ir.U32, 1), constInt(ir.U32, 1), constInt(ir.U32, 1)}
	for i := range int64(maxAttributes) {
		a := value{t: record, cat: vMem, x: ptrAdd(at, constInt(ir.I64, i*record.size()))}
		id, size := l.toScalar(l.load(l.member(a, 0), n), tInt, n), l.member(l.member(a, 1), 0)
		given := binary(ir.LogAnd, binary(ir.Lt, constInt(ir.U32, i), count), binary(ir.Eq, id, constInt(ir.I32, clusterDimension)))
		for axis := range dims {
			dims[axis] = &ir.Select{Cond: given, X: l.toScalar(l.load(l.member(size, axis), n), tUInt, n), Y: dims[axis]}
		}
	}
	return dims
}

// clusterDimension is cudaLaunchAttributeClusterDimension.
const clusterDimension = 4

func launchEx(l *lowerer, c *callSite) value {
	s, ok := l.launchConfig(c)
	if !ok {
		l.launchOfAny(c.n, -1)
		return l.status(c)
	}
	l.emitLaunch(c.n, s, c.args[1].v.fns, c.args[2:])
	return l.status(c)
}

func launchExC(l *lowerer, c *callSite) value {
	s, ok := l.launchConfig(c)
	if !ok || len(c.args) < 3 {
		l.launchOfAny(c.n, -1)
		return l.status(c)
	}
	l.emitLaunch(c.n, s, c.args[1].v.fns, l.pointedArguments(c, c.args[1].v.fns, c.args[2]))
	return l.status(c)
}

// hostCall is the call of a host function that is not defined here.
func (l *lowerer) hostCall(n *syntax.Node, r nameRef, args []argument) value {
	if returnsTwice.MatchString(r.name) {
		l.unsupportedControl(n, r.name)
	}
	l.callbacks(n, r.name, args)
	for i := range args {
		if args[i].v.cat == vMem {
			l.load(args[i].v, args[i].n)
		}
	}
	if interfaceOfC.MatchString(r.name) {
		var pointers []value
		memory := false
		for _, a := range args {
			if fs := kernelSet(a.v); fs != nil && !slices.ContainsFunc(fs.syms, func(sym *symbol) bool { return hasWord(l.un.u, sym.node, "__global__") }) {
				memory = true // it may be called
			}
			memory = memory || a.v.t != nil && a.v.t.kind == kClosure
			if v := l.decay(a.v, a.n); v.cat == vRval {
				pointers = append(pointers, v)
				memory = memory || v.target == nil && a.n.Kind == "pointer_expression"
			}
		}
		if v := l.effect(n, "call of "+r.name, memory, l.reachable(pointers)...); !returnsStatus.MatchString(r.name) {
			return v
		}
		return l.opaqueResult(&callSite{name: r.name}, tInt)
	}
	return l.mayRearrange(n, "call of "+r.name, args)
}

// returnsTwice are the functions behind which a program may come again from elsewhere.
var returnsTwice = regexp.MustCompile(`^(_*(sig)?setjmp|getcontext|vfork)$`)

// mayRearrange is the effect of a function that may change what its arguments lead to.
func (l *lowerer) mayRearrange(n *syntax.Node, reason string, args []argument) value {
	regs, stores := l.rearranged(args)
	changed := slices.DeleteFunc(l.reachable(values(args)), func(r *ir.Reg) bool {
		return slices.ContainsFunc(args, func(a argument) bool { return l.leadsTo(r, a) })
	})
	v := l.effect(n, reason, true, append(changed, regs...)...)
	*l.out = append(*l.out, stores...)
	return v
}

// rearranged are the elements of arrays of pointers that a function is given, as it may put any of them anywhere, and how they
// are set. In an array of which nobody knows how long it is, as that of a vector, two may be one.
func (l *lowerer) rearranged(args []argument) (regs []*ir.Reg, stores []ir.Stmt) {
	seen := map[*ir.Object]bool{}
	size := ir.Ptr.Size()
	for _, a := range args {
		for _, v := range l.tablesIn(a) {
			if v = l.load(l.decay(v, a.n), a.n); v.cat != vRval || v.x == nil {
				continue
			}
			put := func(at, x ir.Expr) {
				stores = append(stores, &ir.Store{T: ir.Ptr, Ptr: at, X: x, Site: l.site(a.n, "")})
			}
			root, ok := ir.Root(v.x)
			if ok && root.Obj.Space == ir.Local && root.Obj.Elem == ir.Ptr && root.Obj.Size <= maxFlatArray*size {
				for at := int64(0); at < root.Obj.Size && !seen[root.Obj]; at += size {
					regs = append(regs, l.newReg(ir.Ptr, ""))
					put(ptrAdd(&ir.ObjAddr{Obj: root.Obj}, constInt(ir.I64, at)), &ir.RegRef{R: regs[len(regs)-1]})
				}
				seen[root.Obj] = true
				continue
			}
			table, one := l.temp(v.x), l.unknownScalar(a.n, ir.Ptr, "pointer in an array")
			for range 2 {
				put(ptrAdd(table, binary(ir.Mul, l.unknownScalar(a.n, ir.I64, placeInside), constInt(ir.I64, size))), one)
			}
		}
	}
	return regs, stores
}

// tablesIn are the pointers to arrays of pointers that an argument is or, of an object, holds. The address of a variable or a
// member leads to that alone.
func (l *lowerer) tablesIn(a argument) (list []value) {
	if a.v.cat == vPoison || a.v.t == nil || a.n != nil && a.n.Kind == "pointer_expression" && l.text(a.n.Child("operator")) == "&" && !isElement(a.n.Child("argument")) {
		return nil
	}
	parts := []value{a.v}
	if a.v.isPlace() && a.v.t.kind == kRecord && !a.v.t.isConst {
		parts = nil
		for i := range a.v.t.rec.fields {
			parts = append(parts, l.member(a.v, i))
		}
	}
	return slices.DeleteFunc(parts, func(v value) bool {
		return v.cat == vPoison || v.t == nil || v.t.kind != kPtr && v.t.kind != kArray || v.t.elem.kind != kPtr || v.t.elem.isConst
	})
}

// leadsTo reports whether a register holds the pointer to an array of pointers in an argument: what the array holds may change, and
// is looked up there.
func (l *lowerer) leadsTo(r *ir.Reg, a argument) bool {
	return slices.ContainsFunc(l.tablesIn(a), func(v value) bool { return v.t.kind == kPtr && slices.Contains(v.regs(), r) })
}

// isElement reports whether an expression is an element of an array.
func isElement(n *syntax.Node) bool {
	return n != nil && stripParens(n).Kind == "subscript_expression"
}

// interfaceOfC are the functions of libraries that are called from C: they take values, and change
// nothing but what the pointers that they are given point to.
var interfaceOfC = regexp.MustCompile(`^(cuda|cu|cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|nvrtc|nvml|gl|glut|glew|glfw)[A-Z]`)

// returnsStatus are those of them that return an enumerator.
var returnsStatus = regexp.MustCompile(`^(cuda|cu|cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|nvrtc|nvml)[A-Z]`)

// hostMethod is the call of a method of a class that is not defined here.
func (l *lowerer) hostMethod(c *callSite, obj value) value {
	l.callbacks(c.n, c.name, c.args)
	if fn := c.n.Child("function"); fn != nil && fn.Kind == "field_expression" {
		l.handsTo(fn.Child("argument"), c.name, namedChildren(c.n.Child("arguments")))
	}
	l.escape(obj)
	return l.effect(c.n, "method "+c.name+" of "+obj.t.String(), true, l.reachable(values(c.args))...)
}
