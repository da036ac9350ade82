package lower

// This file lowers kernels: one function for each set of template arguments.

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// instantiate returns the instance of a kernel for a scope that binds its template arguments.
func (un *unitState) instantiate(sym *symbol, in *scope, key string) *kernelInstance {
	id := instanceID(sym, key)
	if un.asked != nil {
		un.asked[id] = true
	}
	if k := un.kernels[id]; k != nil {
		return k
	}
	if key != "" && len(un.kernels) >= maxKernels {
		return un.tooMany(sym, in, key)
	}
	k := &kernelInstance{sym: sym, key: key, fn: &ir.Func{}}
	un.kernels[id] = k
	if !un.wanted(sym.node) {
		*k.fn = *un.withRestarts(func(l *lowerer) { l.declared(sym, in, key, &k.params) })
		return k
	}
	un.order = append(un.order, k)
	un.lowerKernel(k, in, key)
	return k
}

// instanceID tells an instance from all others of the unit.
func instanceID(sym *symbol, key string) string { return itoa(sym.node.Start) + "<" + key + ">" }

// tooMany stands for the instances of a template that come after too many others: one for all, of which
// nothing is known but its parameters.
func (un *unitState) tooMany(sym *symbol, in *scope, key string) *kernelInstance {
	id := itoa(sym.node.Start) + "<...>"
	if k := un.kernels[id]; k != nil {
		return k
	}
	k := &kernelInstance{sym: sym, key: key}
	k.fn = un.withRestarts(func(l *lowerer) { l.declared(sym, in, key, &k.params) })
	k.fn.Unknowns = []string{"too many instances of kernel templates"}
	un.kernels[id] = k
	if un.wanted(sym.node) {
		un.order = append(un.order, k)
	}
	return k
}

// declaredKernel stands for a kernel that is only declared here: a function with parameters and
// no body, which is not among the module's kernels.
func (un *unitState) declaredKernel(fs *fnset) *kernelInstance {
	for _, sym := range fs.syms {
		if sym.kind != symFunc || sym.tparams != nil || sym.node.Child("body") != nil || !hasWord(un.u, sym.node, "__global__") {
			continue
		}
		id := itoa(sym.node.Start)
		if un.kernels[id] == nil {
			k := &kernelInstance{sym: sym}
			k.fn = un.withRestarts(func(l *lowerer) { l.declared(sym, sym.scope, "", &k.params) })
			un.kernels[id] = k
		}
		return un.kernels[id]
	}
	return nil
}

// declared makes a function of a kernel's parameters alone.
func (l *lowerer) declared(sym *symbol, in *scope, key string, params *[]*ctype) {
	l.fn.Name, l.fn.Instance = sym.name, key
	l.fn.Span = l.un.u.Origin(sym.node.Start, sym.node.End).Span
	l.frame = &frame{ret: tVoid, top: l.out, root: true, names: map[string]bool{}}
	l.scope = newScope(in, scopeFunction)
	l.rootParams(sym, in, params)
	l.fn.Body = nil
	l.fn.Unknowns = []string{"defined in another file"}
}

// kernel lowers one instance.
func (l *lowerer) kernel(sym *symbol, in *scope, key string, params *[]*ctype) {
	l.fn.Name, l.fn.Instance = sym.name, key
	l.fn.Span = l.un.u.Origin(sym.node.Start, sym.node.End).Span
	l.launchBounds(sym.node, in)
	l.function(sym, in, params, key)
}

// function lowers a kernel or a host function as the root: parameters, then the body.
func (l *lowerer) function(sym *symbol, in *scope, params *[]*ctype, key string) {
	body := sym.node.Child("body")
	for s := in; s != nil; s = s.parent {
		l.guarded = l.guarded || s.kind == scopeFunction && s.this == nil // half-typed code: a function in another one
	}
	l.scope = newScope(in, scopeFunction)
	l.frame = &frame{ret: tVoid, top: l.out, key: key, root: true, body: body, names: l.assignedNames(body)}
	l.active = append(l.active, activation{body, key})
	l.rootParams(sym, in, params)
	l.brokenHeader(sym.node)
	if this := in.this; this != nil && this.t.rec.sym != nil && this.t.rec.sym.name == sym.name {
		l.fieldInits(*this, this.t.rec, sym.node, body)
	}
	l.compound(body, true)
}

// rootParams makes the Params of a function that is lowered as the root, and lists their types.
func (l *lowerer) rootParams(sym *symbol, in *scope, params *[]*ctype) {
	*params = (*params)[:0]
	for _, p := range l.un.parameters(sym.decl) {
		if p.Kind == "parameter_declaration" && p.Child("declarator") == nil && l.text(p) == "void" {
			continue
		}
		if p.Kind == "variadic_parameter_declaration" && in.kind == scopeTemplate {
			l.paramPack(p, in, params)
			continue
		}
		t := l.typeNode(p, in).decayParam()
		*params = append(*params, t)
		l.param(p, t)
	}
}

// param makes the Params of one parameter and binds its name.
func (l *lowerer) param(p *syntax.Node, t *ctype) {
	nameNode := nameOf(p.Child("declarator"))
	name := ""
	if nameNode != nil {
		name = l.text(nameNode)
	}
	v := l.paramValue(name, t, p)
	if nameNode == nil {
		return
	}
	assigned := l.frame.names[name] || l.isPlaced(nameNode)
	switch {
	case v.cat == vRval && !assigned:
		v = v.withDecl(nameNode)
	case v.cat == vAgg && !assigned && t.flat():
		v = v.withDecl(nameNode)
	case v.cat == vRval || v.cat == vAgg:
		place := l.newVariable(name, nameNode, t)
		l.assign(place, v, p)
		v = place
	}
	l.scope.add(&symbol{kind: symVar, name: name, v: &v})
}

// paramPack makes the Params of a parameter pack, as many as its types are.
func (l *lowerer) paramPack(p *syntax.Node, in *scope, params *[]*ctype) {
	sym := &symbol{kind: symPack}
	if name := nameOf(p.Child("declarator")); name != nil {
		sym.name = strings.TrimLeft(l.text(name), ". ")
	}
	l.eachPack(p, in, func() {
		t := l.typeNode(p, in).decayParam()
		*params = append(*params, t)
		v := l.paramValue(sym.name, t, p)
		if place := l.newVariable(sym.name, p, t); place.cat != vPoison {
			l.assign(place, v, p)
			v = place
		}
		sym.pack = append(sym.pack, targ{v: &v})
	})
	l.scope.add(sym)
}

// paramValue makes one Param for each scalar of a parameter.
func (l *lowerer) paramValue(name string, t *ctype, p *syntax.Node) value {
	switch {
	case t.kind == kRef: // not allowed on kernels; on host functions a place elsewhere
		ptr := l.paramValue(name, pointerTo(t.elem), p)
		return value{t: t.elem, cat: vMem, x: ptr.x, name: name}
	case t.isScalar():
		param := l.newParam(name, t, p)
		return value{t: t.unqualified(), cat: vRval, x: &ir.ParamRef{P: param}, name: name}
	case t.kind == kRecord && t.rec.lib == libTexture:
		return value{t: t, cat: vStatic, name: name}
	case t.kind == kRecord && l.unlaid(t.rec) == "" && t.leaves() > maxParamScalars:
		o := l.newObject(name, ir.Constant, t)
		return value{t: t.unqualified(), cat: vMem, x: &ir.ObjAddr{Obj: o}, name: name}
	case t.kind == kRecord && l.unlaid(t.rec) == "" && !t.rec.union:
		v := value{t: t.unqualified(), cat: vAgg, name: name}
		for _, f := range t.rec.fields {
			v.elems = append(v.elems, l.paramValue(join(name, f.name), f.t, p))
		}
		return v
	case t.kind == kArray && t.len >= 0:
		v := value{t: t.unqualified(), cat: vAgg, name: name}
		for i := range t.len {
			v.elems = append(v.elems, l.paramValue(name+"["+itoa(int(i))+"]", t.elem, p))
		}
		return v
	case t.kind == kClosure:
		return l.closureParam(name, t, p)
	case t.kind == kOpaque && strings.HasPrefix(t.name, "function "):
		return l.functionParam(t)
	case t.kind == kRecord && t.rec.union && l.unlaid(t.rec) == "":
		return l.unionParam(name, t, p)
	}
	reason := "parameter of type " + t.String()
	if t.kind == kRecord && l.unlaid(t.rec) != "" {
		reason = l.unlaid(t.rec)
	}
	if !l.host {
		l.unknown(p, reason, false)
	}
	return value{t: t, cat: vPoison, reason: reason, name: name}
}

// unionParam keeps a union's bytes in words.
func (l *lowerer) unionParam(name string, t *ctype, p *syntax.Node) value {
	place := l.inMemory(name, t)
	for off, word := range t.words() {
		param := l.newParam(name+"."+itoa(int(off)), word, p)
		l.emit(&ir.Store{T: word.ir(), Ptr: ptrAdd(place.x, constInt(ir.I64, off)), X: &ir.ParamRef{P: param}, Site: l.site(p, name)})
	}
	return place
}

func (l *lowerer) functionParam(t *ctype) value {
	name := strings.TrimPrefix(t.name, "function ")
	return value{t: t, cat: vFns, fns: &fnset{name: name, syms: l.scope.lookup(name), scope: l.scope}}
}

// closureParam makes a lambda's captured variables Params.
func (l *lowerer) closureParam(name string, t *ctype, p *syntax.Node) value {
	env := newScope(t.closure.scope.parent, scopeFunction)
	for _, captured := range capturedNames(t.closure) {
		old := t.closure.scope.syms[captured][0].v
		v := *old
		if v.t.kind == kClosure || !isFixed(v) { // a lambda in it has captured what it names
			v = l.paramValue(join(name, captured), v.t.unqualified(), p)
		}
		switch captured {
		case capturedCopy:
			env.this = &v
		case capturedThere:
			env.this = &value{t: v.t.elem, cat: vMem, x: v.x, name: v.name}
		}
		env.add(&symbol{kind: symVar, name: captured, v: &v})
	}
	c := &closure{node: t.closure.node, scope: env, id: t.closure.id}
	if env.this == nil {
		env.this = &value{t: tInt, cat: vPoison, reason: "an object that the lambda does not capture"} // else it would be the host's
	}
	l.guarded = true
	return value{t: &ctype{kind: kClosure, closure: c}, cat: vStatic}
}

// capturedNames lists what a lambda captured, in a fixed order.
func capturedNames(c *closure) []string {
	var out []string
	for name, syms := range c.scope.syms {
		if len(syms) > 0 && syms[0].v != nil {
			out = append(out, name)
		}
	}
	sortStrings(out)
	return out
}

func (l *lowerer) newParam(name string, t *ctype, p *syntax.Node) *ir.Param {
	param := &ir.Param{Index: len(l.fn.Params), Name: name, Type: t.ir()}
	if t.kind == kPtr {
		param.Elem, param.ElemSize, param.Const = t.elem.ir(), t.elem.size(), t.elem.isConst
		if t.elem.kind == kRecord && t.elem.rec.lib == libAtomic {
			param.Elem = t.elem.rec.fields[0].t.ir()
		}
		if t.elem.kind == kPtr || t.elem.kind == kRecord || t.elem.kind == kArray {
			inner, _ := t.elem.innermost()
			param.Const = inner.isConst
		}
		if d := p.Child("declarator"); d != nil {
			text := l.text(d)
			param.Restrict = strings.Contains(text, "restrict")
		}
	}
	l.fn.Params = append(l.fn.Params, param)
	return param
}

var clusterDims = regexp.MustCompile(`cluster_dims(?:__)?\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?(?:,\s*(\d+)\s*)?\)`)

// launchBounds reads __launch_bounds__ and __cluster_dims__.
func (l *lowerer) launchBounds(n *syntax.Node, in *scope) {
	body := n.Child("body")
	walk(n, func(k *syntax.Node) bool {
		if k == body {
			return false
		}
		if k.Kind == "launch_bounds" {
			if kids := namedChildren(k); len(kids) > 0 {
				if v, ok := l.constInt(kids[0], in); ok {
					l.fn.MaxThreads = int(max(v, 0))
				}
			}
		}
		return true
	})
	head := l.un.u.Text[n.Start:body.Start]
	if m := clusterDims.FindStringSubmatch(head); m != nil {
		for i := range l.fn.Cluster {
			l.fn.Cluster[i] = 1
			if v, err := strconv.Atoi(m[i+1]); err == nil {
				l.fn.Cluster[i] = v
			}
		}
	}
}

// unlaunched lowers the kernels of the file that no launch in it has reached.
func (un *unitState) unlaunched() {
	un.alone = true
	seen := map[*syntax.Node]bool{}
	for _, k := range un.order {
		seen[k.sym.node] = true
	}
	for _, sym := range un.functions(un.global) {
		if seen[sym.node] || !hasWord(un.u, sym.node, "__global__") || un.fileOf(sym.node) != un.focus {
			continue
		}
		seen[sym.node] = true
		if sym.tparams == nil {
			un.instantiate(sym, sym.scope, "")
			continue
		}
		un.instantiateDefault(sym)
	}
}

// instantiateDefault lowers a template that nothing launches, with its explicit
// instantiations' arguments, or else its parameters' defaults and the types of which most is understood.
func (un *unitState) instantiateDefault(sym *symbol) {
	if list := un.explicitOf(sym); len(list) > 0 {
		for _, c := range list {
			un.instantiate(c.sym, c.scope, c.key)
		}
		return
	}
	choices := un.choicesOf(sym)
	if _, _, ok := un.defaultArgs(sym.tparams, sym.scope, choices[0].values, nil); !ok {
		fn := &ir.Func{Name: sym.name, Span: un.u.Origin(sym.node.Start, sym.node.End).Span, Unknowns: []string{"template without instantiation"}}
		ir.Detach(fn)
		un.order = append(un.order, &kernelInstance{sym: sym, fn: fn})
		return
	}
	un.byBestGuess(sym.tparams, func(types guess) {
		for _, c := range choices {
			if in, key, ok := un.defaultArgs(sym.tparams, sym.scope, c.values, types); ok {
				un.instantiate(sym, in, key).trial = c.trial
			}
		}
	})
}

// defaultArgs binds template parameters to their defaults, types without one to float or as guessed, and numbers as given.
func (un *unitState) defaultArgs(params *syntax.Node, parent *scope, values map[string]value, types guess) (*scope, string, bool) {
	l := un.newLowerer()
	l.demoted, l.placed = map[*syntax.Node]bool{}, map[*syntax.Node]bool{}
	var args []targ
	in := newScope(parent, scopeTemplate)
	for _, p := range l.tparams(params) {
		a := targ{}
		switch {
		case p.pack:
			a.list = true
		case p.kind == 't' && p.def != nil:
			a.t = l.typeNode(p.def, in)
		case p.kind == 't':
			a.t = cmp.Or(types[p.name], tFloat)
		case p.kind == 'v' && p.def != nil:
			if v, ok := l.constValue(p.def, in); ok {
				a.v = &v
			}
		case p.kind == 'v':
			if v, ok := values[p.name]; ok {
				a.v = &v
			}
		}
		if a.t == nil && a.v == nil && !a.list {
			return nil, "", false
		}
		args = append(args, a)
		bindParam(in, p, a)
	}
	return in, argsKey(args), true
}

// functions lists the functions with bodies in a scope and the namespaces in it.
func (un *unitState) functions(s *scope) []*symbol {
	var out []*symbol
	un.eachSymbol(s, func(sym *symbol) {
		if sym.kind == symFunc && sym.node.Child("body") != nil {
			out = append(append(out, sym), sym.specs...)
		}
	})
	sortSymbols(out)
	return out
}

// eachSymbol visits the symbols of a scope and of the namespaces in it once.
func (un *unitState) eachSymbol(s *scope, f func(*symbol)) {
	seen := map[*scope]bool{}
	var visit func(s *scope)
	visit = func(s *scope) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, syms := range s.syms {
			for _, sym := range syms {
				if sym.kind == symNamespace && sym.inner != nil {
					visit(sym.inner)
				} else if sym.scope == s {
					f(sym)
				}
			}
		}
	}
	visit(s)
}
