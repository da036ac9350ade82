package witness

import (
	"maps"
	"slices"
	"sync"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file chooses what memory holds when a launch begins.

// contents are the contents that are tried: zeros first; then data, small numbers, which are
// good indices, and larger ones, for conditions on it, with zeros where threads count by
// atomics, and with forests where elements lead to others of their array; then the numbers that conditions ask for, and all values, as floats have; then arbitrary
// values where threads count, too; at last, offsets of segments that ascend.
var contents = []struct {
	random bool
	limit  uint64 // 0 means all values
	counts bool   // what atomics count is random, too
	down   bool   // the elements that lead to others lead downwards
	words  bool   // what conditions compare with is there
	ascend bool   // offsets of segments do
	seed   uint64
}{
	{seed: 1},
	{random: true, limit: 1 << 12, seed: 2},
	{random: true, limit: 64, down: true, seed: 3},
	{random: true, limit: 64, words: true, seed: 4},
	{random: true, limit: 8, words: true, seed: 8},
	{random: true, seed: 9},
	{random: true, limit: 64, counts: true, seed: 5},
	{random: true, limit: 1 << 12, counts: true, seed: 6},
	{random: true, counts: true, seed: 7},
	{ascend: true},
}

// heedsMemory reports whether a kernel acts upon what memory holds: whether a value that was read may
// be part of an address or a condition. Where it does not, all contents show the same.
func heedsMemory(f *ir.Func) bool {
	matters := map[*ir.Reg]bool{}
	sources := map[*ir.Reg][]*ir.Reg{}
	read := map[*ir.Reg]bool{}
	escaped := ir.Escaped(f.Body)
	held := map[*ir.Object]*ir.Reg{nil: nil} // what private objects hold, as if it were one register
	in := func(s ir.Stmt) *ir.Reg {
		o := ir.Private(s, escaped)
		if _, ok := held[o]; !ok {
			held[o] = &ir.Reg{}
		}
		return held[o]
	}
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		if r := in(s); r != nil {
			switch s := s.(type) {
			case *ir.Load:
				sources[s.Dst] = append(sources[s.Dst], r)
			case *ir.Store:
				sources[r] = append(sources[r], ir.Registers(s.X)...)
			}
			for _, r := range ir.Registers(ir.Address(s)) {
				matters[r] = true
			}
			return true
		}
		switch s := s.(type) {
		case *ir.Assign:
			sources[s.Dst] = append(sources[s.Dst], ir.Registers(s.X)...)
		case *ir.WarpOp:
			for _, e := range ir.Operands(s) {
				sources[s.Dst] = append(sources[s.Dst], ir.Registers(e)...)
			}
		default:
			for _, r := range ir.Defs(s) {
				read[r] = true
			}
			for _, r := range steering(s) {
				matters[r] = true
			}
		}
		return true
	})
	work := slices.Collect(maps.Keys(matters))
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		if read[r] {
			return true
		}
		for _, from := range sources[r] {
			if !matters[from] {
				matters[from] = true
				work = append(work, from)
			}
		}
	}
	return false
}

// steering lists the registers that have a say in what a statement accesses, or in what runs next.
func steering(s ir.Stmt) []*ir.Reg {
	switch s := s.(type) {
	case *ir.Store:
		return ir.Registers(s.Ptr)
	case *ir.Atomic:
		return ir.Registers(s.Ptr)
	}
	var out []*ir.Reg
	for _, e := range ir.Operands(s) {
		out = append(out, ir.Registers(e)...)
	}
	return out
}

// drawn is memory that may begin with any of the contents.
type drawn struct {
	name     string
	key      any        // see assignment.key
	variable *ir.Object // nil for a buffer
	// flags and counters are the places that threads wait at, and those that atomics update.
	flags, counters []race.Stripe
	chain           bool         // elements lead to others
	start           int64        // where the first pointer points, in bytes
	words           func() words // what conditions compare the elements with
	float           ir.Type      // of the elements, if all are floating-point numbers of one type
	given           []race.Word  // what is there in each case
	ascends         int64        // the size of its elements if they are offsets of segments, else 0
}

// draw describes the memory with a key, given which addresses are in it.
func (v *assignment) draw(name string, key any, into func(ir.Expr) bool) drawn {
	of := [...]any{name, key}
	chain, known := v.chains[of]
	if !known {
		chain = chained(v.s.Func, into)
		v.chains[of] = chain
	}
	return drawn{name: name, key: key, flags: v.places(key, v.waited), counters: v.places(key, counted), chain: chain,
		words: sync.OnceValue(func() words { return v.words(key) }), float: v.floatsIn(key), given: v.givenWords(key), ascends: v.ascends(key)}
}

// floatsIn is the type of the elements of a buffer or variable if all are floating-point numbers of one type, else [ir.Void].
func (v *assignment) floatsIn(key any) ir.Type {
	out := ir.Void
	for _, a := range v.s.Accesses {
		if v.key(a.Base) != key {
			continue
		}
		t := ir.Void
		switch st := a.Stmt.(type) {
		case *ir.Load:
			t = st.T
		case *ir.Store:
			t = st.T
		case *ir.Atomic:
			t = st.T
		}
		if t != ir.F32 && t != ir.F64 || out != ir.Void && t != out {
			return ir.Void
		}
		out = t
	}
	return out
}

// givenWords are the words of a buffer or variable that hold certain numbers in this launch.
func (v *assignment) givenWords(key any) (out []race.Word) {
	for _, c := range v.s.Given {
		if c.Op != term.EqZero {
			continue
		}
		for _, t := range c.P.Terms() {
			for _, a := range t.Mono.Atoms {
				if w, ok := v.s.Words[a]; ok && v.key(w.Base) == key {
					x, _ := v.leaf(a)
					out = append(out, race.Word{Offset: w.Offset, Size: w.Type.Size(), Value: x})
				}
			}
		}
	}
	return out
}

// filled lists the variables of a kernel that others may have filled before it reads them: arrays, and what it does
// not write itself, if the source leaves them at zero.
func filled(s *access.Summary) []*ir.Object {
	reads, writes := map[*ir.Object]bool{}, map[*ir.Object]bool{}
	for _, a := range s.Accesses {
		if o := a.Base.Object; o != nil {
			reads[o] = reads[o] || a.Result != nil || !a.Writes()
			writes[o] = writes[o] || a.Writes()
		}
	}
	var out []*ir.Object
	for _, o := range s.Func.Objects {
		if o.Space == ir.Global && !o.Given() && reads[o] && (len(o.Dims) > 0 || !writes[o]) {
			out = append(out, o)
		}
	}
	return out
}

// fill gives the buffers and variables of a launch the k-th contents.
func (p *plan) fill(k int) {
	for i, d := range p.drawn {
		var fill interp.Filler
		if m := p.memory(d, i, k); m != nil {
			fill = m.Fill
		}
		switch {
		case d.variable == nil:
			p.launch.Buffers[i].Fill = fill
		case fill != nil || p.launch.Variables[d.variable.ID].Fill != nil:
			variables := maps.Clone(p.launch.Variables)
			if variables == nil {
				variables = map[int]interp.Buffer{}
			}
			variables[d.variable.ID] = interp.Buffer{Fill: fill}
			p.launch.Variables = variables
		}
	}
}

// memory is what the i-th of the memory that is drawn holds in the k-th contents, nil for zeros. Each has its own, and
// flags and locks start at zero: with arbitrary values in them threads would wait for ever, or would not wait at all.
func (p *plan) memory(d drawn, i, k int) *race.Memory {
	c := contents[k]
	if c.ascend && d.ascends > 0 {
		return ascending(d)
	}
	zero := slices.Clone(d.flags)
	if !c.counts {
		zero = append(zero, d.counters...)
	}
	if !c.random || slices.ContainsFunc(zero, func(z race.Stripe) bool { return z.Modulus <= z.Size }) {
		return holding(d.given)
	}
	limit := c.limit
	if p.below > 0 && (limit == 0 || p.below < limit) {
		limit = p.below
	}
	m := &race.Memory{Seed: c.seed<<8 + uint64(i), Width: 4, Below: limit, Zero: zero, Words: d.given}
	if c.down && d.chain {
		m.Down = true
		return m
	}
	if d.float != ir.Void && limit > 0 { // as bits, small numbers are all next to zero
		m.Width, m.Float = int(d.float.Size()), true
	}
	if c.words {
		if w := d.words(); len(w.values) > 0 {
			m.Width, m.Values, m.Float = w.width, w.values, false
		}
	}
	return m
}

// memories is what the k-th contents are for the parameters that have memory of their own, and for variables.
func (p *plan) memories(k int) map[string]race.Memory {
	out := maps.Clone(p.constants)
	for i, d := range p.drawn {
		if m := p.memory(d, i, k); m != nil {
			m.Start = d.start
			out[d.name] = *m
		}
	}
	return out
}

// holding is memory of zeros but for some words, nil if there are none.
func holding(words []race.Word) *race.Memory {
	if len(words) == 0 {
		return nil
	}
	return &race.Memory{Width: 4, Below: 1, Words: words}
}

// places lists the places of a buffer at which accesses of a sort are made.
func (v *assignment) places(key any, sort func(*access.Access) bool) []race.Stripe {
	var out []race.Stripe
	for _, a := range v.s.Accesses {
		if v.key(a.Base) != key || !sort(a) {
			continue
		}
		modulus := a.Off.Gcd()
		remainder := a.Off.Constant()
		if modulus == 0 {
			modulus = 1 << 40 // one place
		}
		out = append(out, race.Stripe{Modulus: modulus, Remainder: (remainder%modulus + modulus) % modulus, Size: a.Size})
	}
	return out
}

// waited reports whether threads poll a place, or take it as a lock.
func (v *assignment) waited(a *access.Access) bool { return v.polled[a.Site] || claims(a) }

// chained reports whether a kernel goes from element to element of some memory: what it has read there says where it
// reads next.
func chained(f *ir.Func, into func(ir.Expr) bool) bool {
	from := map[*ir.Reg]bool{}
	holds := func(e ir.Expr) bool {
		found := false
		ir.WalkExpr(e, func(e ir.Expr) {
			r, ok := e.(*ir.RegRef)
			found = found || ok && from[r.R]
		})
		return found
	}
	found := false
	for grown := true; grown && !found; {
		grown = false
		ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
			var at ir.Expr
			switch s := s.(type) {
			case *ir.Load:
				at = s.Ptr
			case *ir.Store:
				at = s.Ptr
			case *ir.Atomic:
				at = s.Ptr
			case *ir.Assign:
				if holds(s.X) && !from[s.Dst] {
					from[s.Dst], grown = true, true
				}
				return true
			default:
				return true
			}
			if !into(at) {
				return true
			}
			found = found || holds(at)
			for _, r := range ir.Defs(s) {
				grown = grown || !from[r]
				from[r] = true
			}
			return true
		})
	}
	return found
}

// pointsInto reports whether an address is made from a parameter.
func pointsInto(e ir.Expr, param *ir.Param) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		p, ok := e.(*ir.ParamRef)
		found = found || ok && p.P == param
	})
	return found
}

// pointsAt reports whether an address is made from that of a variable.
func pointsAt(e ir.Expr, o *ir.Object) bool {
	at, ok := ir.Root(e)
	return ok && at.Obj == o
}

// counted reports whether threads count at a place by an atomic, upwards, or hand numbers on by exchanges there: who
// comes first finds what is none of theirs. What they only count down has begun with a number, and who adds nothing reads.
func counted(a *access.Access) bool {
	at, ok := a.Stmt.(*ir.Atomic)
	if ok && at.Op == ir.AtomicExch {
		return a.Result != nil && a.Value != nil && a.Value.Variance() > term.Grid
	}
	if !ok || at.Op == ir.AtomicAdd && a.Value != nil && !at.T.IsFloat() && !positive(a.Value) {
		return false
	}
	return at.Op == ir.AtomicAdd || at.Op == ir.AtomicInc
}

func positive(p *term.Poly) bool {
	_, hi := p.Range()
	return hi > 0
}

// claims reports whether an access is a compare-and-swap of zero and another constant, as locks are taken. What
// is free if it holds another number, such as the level of a vertex, has to hold that number.
func claims(a *access.Access) bool {
	at, ok := a.Stmt.(*ir.Atomic)
	if !ok || at.Op != ir.AtomicCAS {
		return false
	}
	if a.Compare == nil || a.Value == nil {
		return false
	}
	free, isConst := a.Compare.IsConst()
	_, isConst2 := a.Value.IsConst()
	return isConst && free == 0 && isConst2
}

// key is what the buffer of a base is found by: the parameter, or what the host has bound to it.
func (v *assignment) key(b *access.Base) any { return keyOf(v.s, b) }

func keyOf(s *access.Summary, b *access.Base) any {
	if l := s.Launch; l != nil && slices.ContainsFunc(l.Args, func(a access.Value) bool { return a.Base == b }) {
		return b
	}
	switch {
	case b.Param != nil:
		return b.Param
	case b.Object != nil:
		return b.Object
	}
	return b
}
