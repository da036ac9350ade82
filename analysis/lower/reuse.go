package lower

// This file keeps lowered kernels for the next version of a text.
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
// which lowering does something to the unit: launches, lambdas.

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// Cache keeps lowered kernels. It is safe for concurrent use.
type Cache struct {
	most    int
	mu      sync.Mutex
	kept    map[closureKey]*kept
	lowered int
}

// NewCache returns an empty cache, which starts anew when it has so many kernels.
func NewCache(most int) *Cache { return &Cache{most: most, kept: map[closureKey]*kept{}} }

// Lowered returns how many kernels were lowered so far because the cache did not have them.
func (c *Cache) Lowered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lowered
}

type closureKey [sha256.Size]byte

// kept is a kernel as it was lowered once.
type kept struct {
	fn     *ir.Func
	marks  []mark
	pieces [][2]int // of the closure, as they stood then
	work   int
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
	for _, i := range closure {
		p := c.pieces[i]
		if p.Start <= kernel.Start && kernel.Start < p.End {
			fmt.Fprint(h, "kernel at ", kernel.Start-p.Start)
		}
		fmt.Fprintf(h, "%x %t %q", p.Hash(), p.Start < c.linked, c.blocks[i])
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
	c := un.closures
	if c == nil {
		*k.fn = *un.withRestarts(func(l *lowerer) { l.kernel(k.sym, in, key, &k.params) })
		return
	}
	piece := c.find(k.sym.node.Start)
	var closure []int
	var id closureKey
	if piece >= 0 {
		closure = c.of(piece, namesIn(key))
		id = c.key(k.sym.node, closure, key)
		if old := un.cache.get(id); old != nil {
			un.withRestarts(func(l *lowerer) { l.declared(k.sym, in, key, &k.params) }) // their types belong to this unit
			*k.fn = *un.moved(old, k.sym.node, closure)
			un.work += old.work
			return
		}
	}
	outer, lambdas, kernels, work := c.touched, len(un.lambdas), len(un.kernels), un.work
	c.touched = map[int]bool{}
	var last *lowerer
	*k.fn = *un.withRestarts(func(l *lowerer) {
		last = l
		l.kernel(k.sym, in, key, &k.params)
	})
	reads := c.touched
	c.touched = outer
	for i := range reads {
		outer[i] = true
	}
	entry := &kept{fn: k.fn, marks: last.marks, work: un.work - work}
	for _, i := range closure {
		entry.pieces = append(entry.pieces, [2]int{c.pieces[i].Start, c.pieces[i].End})
	}
	own := len(un.lambdas) == lambdas && len(un.kernels) == kernels && un.ctx.Err() == nil && !last.full && !last.wholeUnit
	un.cache.put(id, entry, own && piece >= 0 && c.within(closure, reads) && entry.complete())
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
	return c.kept[id]
}

func (c *Cache) put(id closureKey, k *kept, keep bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lowered++
	if !keep {
		return
	}
	if len(c.kept) >= c.most {
		c.kept = map[closureKey]*kept{}
	}
	c.kept[id] = k
}

// moved is a kept kernel with the places that it has now.
func (un *unitState) moved(k *kept, kernel *syntax.Node, closure []int) *ir.Func {
	now := func(r [2]int) source.Span {
		if r == [2]int{} {
			return source.Span{}
		}
		i := k.pieceOf(r[0])
		by := un.closures.pieces[closure[i]].Start - k.pieces[i][0]
		return un.u.Origin(r[0]+by, r[1]+by).Span
	}
	fn := *k.fn
	fn.Span = un.u.Origin(kernel.Start, kernel.End).Span
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
