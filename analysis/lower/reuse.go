package lower

// This file keeps lowered functions for the next version of a text.
//
// DESIGN. What a kernel is lowered to depends on the declarations that it can reach by names:
// its own piece of text, the pieces that declare a name which stands in it, and so on. These
// pieces are its closure. A piece counts as declaring a name if any scope has it from there, so a
// closure is too large rather than too small; pieces that act without being named, such as
// operators and using-directives, belong to all closures. The key of a kernel is a hash of the
// texts of its closure and of its template arguments: equal keys mean equal kernels. Only the
// places are others, and are found anew.
//
// That this holds is not taken on trust: while a kernel is lowered, the pieces are noted whose
// text is read, and if one is not in the closure, the kernel is not kept. Neither is one in
// which lowering does something to the unit: launches, lambdas. A host function launches kernels, which are
// instantiated again when it is taken from the cache.

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/recent"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// Cache keeps lowered functions. It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	kept    *recent.Map[closureKey, *kept]
	lowered int
}

// NewCache returns an empty cache for so many functions.
func NewCache(most int) *Cache { return &Cache{kept: recent.New[closureKey, *kept](most)} }

// Lowered returns how many kernels were lowered so far because the cache did not have them.
func (c *Cache) Lowered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lowered
}

type closureKey [sha256.Size]byte

// kept is a kernel, or a host function, as it was lowered once.
type kept struct {
	fn       *ir.Func
	marks    []mark
	pieces   [][2]int // of the closure, as they stood then
	work     int
	launches []int // where the kernels stood that it launches, in the order of the launches
}

// mark is where a site stands in the expanded text.
type mark struct {
	at, stmt, name [2]int
	calls          [][2]int
}

// closures finds the closures of one unit.
type closures struct {
	pieces   []syntax.Piece
	linked   int              // where the linked units begin
	blocks   []string         // by piece: the heads of the blocks around it
	declares map[string][]int // by name: the pieces that declare it
	always   []int            // pieces of all closures
	touched  map[int]bool
	last     int // the piece touched last
}

func (un *unitState) newClosures() *closures {
	c := &closures{pieces: un.u.Pieces(), declares: map[string][]int{}, touched: map[int]bool{}, linked: un.u.Root.End}
	c.blocks = make([]string, len(c.pieces))
	var open []string
	for i, p := range c.pieces {
		switch {
		case p.Begin:
			open = append(open, strings.Join(strings.Fields(p.Text()), " "))
		case p.Last:
			open = open[:max(len(open)-1, 0)]
		default:
			c.blocks[i] = strings.Join(open, " ")
			if actsUnnamed(p) {
				c.always = append(c.always, i)
			}
		}
	}
	declare := func(name string, sym *symbol) {
		i := c.find(sym.node.Start)
		if i < 0 || slices.Contains(c.declares[name], i) {
			return
		}
		c.declares[name] = append(c.declares[name], i)
		if calledUnnamed(name) {
			c.always = append(c.always, i)
		}
	}
	for _, part := range un.parts {
		un.eachSymbol(part.global, func(sym *symbol) {
			if sym.node == nil {
				return
			}
			for _, list := range [][]*symbol{{sym}, sym.specs, sym.outside} {
				for _, s := range list {
					declare(sym.name, s)
				}
			}
		})
	}
	return c
}

// actsUnnamed reports whether a piece acts on others that do not name it: by how it begins, or,
// where the text is broken, by a word somewhere in it.
func actsUnnamed(p syntax.Piece) bool {
	if p.HasError {
		for _, word := range []string{"namespace", "operator", "template", "using"} {
			if _, ok := slices.BinarySearch(p.Names(), word); ok {
				return true
			}
		}
	}
	text := p.Text()
	first, rest, _ := strings.Cut(text, " ")
	switch {
	case first == "using" || first == "namespace":
		return true
	case strings.HasPrefix(text, "template"): // an explicit instantiation
		return !strings.HasPrefix(strings.TrimLeft(text[len("template"):], " \t\r\n"), "<")
	}
	return first == "extern" && strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "template")
}

// calledUnnamed reports whether a function of the name is called where its name does not stand.
func calledUnnamed(name string) bool {
	return strings.HasPrefix(name, "operator") || name == "begin" || name == "end" || name == "get"
}

// find returns the piece that a place of the text lies in, or -1.
func (c *closures) find(at int) int {
	i := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].Start > at }) - 1
	if i < 0 || at > c.pieces[i].End {
		return -1
	}
	return i
}

// touch notes that a piece was read.
func (c *closures) touch(at int) {
	if p := &c.pieces[c.last]; p.Start <= at && at < p.End && c.touched[c.last] {
		return
	}
	if i := c.find(at); i >= 0 {
		c.last, c.touched[i] = i, true
	}
}

// of returns the closure of a piece, sorted; words are further names that it uses.
func (c *closures) of(piece int, words []string) []int {
	in := map[int]bool{}
	list := []int{}
	add := func(pieces ...int) {
		for _, i := range pieces {
			if !in[i] {
				in[i] = true
				list = append(list, i)
			}
		}
	}
	add(piece)
	add(c.always...)
	for _, name := range words {
		add(c.declares[name]...)
	}
	for i := 0; i < len(list); i++ {
		for _, name := range c.pieces[list[i]].Names() {
			add(c.declares[name]...)
		}
	}
	slices.Sort(list)
	return list
}

// key is the hash of all that goes into a kernel.
func (c *closures) key(kernel *syntax.Node, closure []int, arguments string) closureKey {
	h := sha256.New()
	fmt.Fprintf(h, "%q", arguments)
	var text []byte
	for _, i := range closure {
		p := c.pieces[i]
		if p.Start <= kernel.Start && kernel.Start < p.End {
			fmt.Fprint(h, "kernel at ", kernel.Start-p.Start)
		}
		hash := p.Hash()
		text = strconv.AppendBool(append(text[:0], hash[:]...), p.Start < c.linked)
		text = strconv.AppendQuote(text, c.blocks[i])
		h.Write(text)
	}
	return closureKey(h.Sum(nil))
}

// namesIn lists the identifiers of template arguments.
func namesIn(arguments string) []string {
	return strings.FieldsFunc(arguments, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
	})
}

// lowerKernel lowers an instance, or takes it from the cache.
func (un *unitState) lowerKernel(k *kernelInstance, in *scope, key string) {
	work := un.work
	e := un.look(k.sym.node, key)
	if e.old != nil {
		k.cached, k.in = true, in
		*k.fn = *un.moved(e.old, k.sym.node, e.closure)
		un.work += e.old.work
	} else {
		var children []childLaunch
		new, own := un.noted(&e, func(l *lowerer) {
			l.guessed = un.alone && k.sym.tparams != nil
			l.kernel(k.sym, in, key, &k.params)
			children = l.children
		})
		un.children = append(un.children, children...)
		new.work = un.work - work
		*k.fn = *new.fn
		new.fn = k.fn
		un.cache.put(e.id, new, own && len(children) == 0)
		un.cache.count()
	}
	un.kernelWork += un.work - work
}

// paramsOf are the types of a kernel's parameters. They belong to this unit, so they are not in the cache.
func (un *unitState) paramsOf(k *kernelInstance) []*ctype {
	if k.cached {
		k.cached = false
		un.withRestarts(func(l *lowerer) { l.declared(k.sym, k.in, k.key, &k.params) })
	}
	return k.params
}

// lowerHost lowers a host function, or takes it from the cache. Only what launches no templates is kept: the
// kernels are found again by where they stand.
func (un *unitState) lowerHost(sym *symbol) *ir.Func {
	depends := "host"
	if sym.name == "main" {
		depends += " " + un.earlyText()
	}
	e := un.look(sym.node, depends)
	if e.old != nil {
		fn := un.moved(e.old, sym.node, e.closure)
		if body, ok := un.launchAgain(e.old, e.closure, fn.Body); ok {
			fn.Body = body
			un.work += e.old.work
			return fn
		}
	}
	work, ofKernels := un.work, un.kernelWork
	new, own := un.noted(&e, func(l *lowerer) { l.hostFunction(sym, sym.scope, "", nil) })
	new.work = un.work - work - (un.kernelWork - ofKernels)
	for l := range ir.All[*ir.Launch](new.fn.Body) {
		k := un.launched[l.Kernel]
		at := k.sym.node.Start
		new.launches = append(new.launches, at)
		own = own && k.key == "" && k.sym.node.Child("body") != nil && new.pieceOf(at) >= 0
	}
	un.cache.put(e.id, new, own)
	return new.fn
}

// launchAgain returns statements with the launches of the kernels as they are in this unit; false if it lacks one.
func (un *unitState) launchAgain(k *kept, closure []int, body []ir.Stmt) ([]ir.Stmt, bool) {
	if un.startsAt == nil {
		un.startsAt = map[int]*symbol{}
		for _, p := range un.parts {
			for _, sym := range un.functions(p.global) {
				un.startsAt[sym.node.Start] = sym
			}
		}
	}
	var kernels []*ir.Func
	for _, at := range k.launches {
		i := k.pieceOf(at)
		sym := un.startsAt[at+un.closures.pieces[closure[i]].Start-k.pieces[i][0]]
		if sym == nil {
			return nil, false
		}
		again := un.instantiate(sym, sym.scope, "")
		un.launched[again.fn] = again
		kernels = append(kernels, again.fn)
	}
	return ir.Rewrite(body, func(s ir.Stmt) ir.Stmt {
		if l, ok := s.(*ir.Launch); ok {
			again := *l
			again.Kernel, kernels = kernels[0], kernels[1:]
			return &again
		}
		return s
	}), true
}

// entry is where a function belongs in the cache.
type entry struct {
	old     *kept // what is there, nil for nothing
	id      closureKey
	closure []int // nil where nothing can be kept
}

// look finds a function with template arguments in the cache.
func (un *unitState) look(fn *syntax.Node, arguments string) entry {
	c := un.closures
	if c == nil {
		return entry{}
	}
	piece := c.find(fn.Start)
	if piece < 0 {
		return entry{}
	}
	closure := c.of(piece, namesIn(arguments))
	id := c.key(fn, closure, arguments)
	return entry{un.cache.get(id), id, closure}
}

// noted lowers a function and notes what it reads; own says whether it depends on its closure alone, and does nothing
// to the unit but to instantiate the kernels that it launches.
func (un *unitState) noted(e *entry, build func(l *lowerer)) (new *kept, own bool) {
	var last *lowerer
	lower := func() *ir.Func {
		return un.withRestarts(func(l *lowerer) {
			last = l
			build(l)
		})
	}
	c := un.closures
	if c == nil {
		return &kept{fn: lower()}, false
	}
	outer, asked, lambdas, virtual := c.touched, un.asked, len(un.lambdas), len(un.virtual)
	c.touched, un.asked = map[int]bool{}, map[string]bool{}
	new = &kept{fn: lower(), marks: last.marks}
	new.fn.Printed = ir.Digest(new.fn)
	for l := range ir.All[*ir.Launch](new.fn.Body) {
		if k := un.launched[l.Kernel]; k != nil {
			delete(un.asked, instanceID(k.sym, k.key))
		}
	}
	reads, others := c.touched, len(un.asked)
	c.touched, un.asked = outer, asked
	for i := range reads {
		outer[i] = true
	}
	for _, i := range e.closure {
		new.pieces = append(new.pieces, [2]int{c.pieces[i].Start, c.pieces[i].End})
	}
	own = others == 0 && len(un.lambdas) == lambdas && len(un.virtual) == virtual && un.ctx.Err() == nil && !last.full && !last.wholeUnit
	return new, own && e.closure != nil && c.within(e.closure, reads) && new.complete()
}

// within reports whether all pieces that were read are of the closure.
func (c *closures) within(closure []int, read map[int]bool) bool {
	for i := range read {
		if _, ok := slices.BinarySearch(closure, i); !ok {
			return false
		}
	}
	return true
}

// complete reports whether all places of a kernel lie in its closure.
func (k *kept) complete() bool {
	for _, m := range k.marks {
		for _, r := range append([][2]int{m.at, m.stmt, m.name}, m.calls...) {
			if r != [2]int{} && k.pieceOf(r[0]) < 0 {
				return false
			}
		}
	}
	return true
}

func (k *kept) pieceOf(at int) int {
	i := sort.Search(len(k.pieces), func(i int) bool { return k.pieces[i][0] > at }) - 1
	if i < 0 || at > k.pieces[i][1] {
		return -1
	}
	return i
}

func (c *Cache) get(id closureKey) *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, _ := c.kept.Get(id)
	return k
}

func (c *Cache) put(id closureKey, k *kept, keep bool) {
	if !keep {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Put(id, k)
}

// count notes that a kernel was lowered.
func (c *Cache) count() {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.lowered++
	}
}

// moved is a kept function with the places that it has now.
func (un *unitState) moved(k *kept, node *syntax.Node, closure []int) *ir.Func {
	now := func(r [2]int) source.Span {
		if r == [2]int{} {
			return source.Span{}
		}
		i := k.pieceOf(r[0])
		by := un.closures.pieces[closure[i]].Start - k.pieces[i][0]
		return un.u.Origin(r[0]+by, r[1]+by).Span
	}
	fn := *k.fn
	fn.Span = un.u.Origin(node.Start, node.End).Span
	fn.Sites = slices.Clone(k.fn.Sites)
	for n, m := range k.marks {
		s := &fn.Sites[n]
		i := k.pieceOf(m.at[0])
		by := un.closures.pieces[closure[i]].Start - k.pieces[i][0]
		o := un.u.Origin(m.at[0]+by, m.at[1]+by)
		s.Span, s.Macro, s.Stmt, s.Name, s.Inlined = o.Span, o.Macro, now(m.stmt), source.Span{}, nil
		if span := now(m.name); span.End-span.Start == m.name[1]-m.name[0] {
			s.Name = span
		}
		for _, call := range m.calls {
			s.Inlined = append(s.Inlined, now(call))
		}
	}
	return &fn
}
