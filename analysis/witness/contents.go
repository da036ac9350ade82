package witness

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
)

// This file chooses what memory holds when a launch begins.

// contents are the contents that are tried: zeros first; then data, small numbers, which are
// good indices, and larger ones, for conditions on it, with zeros where threads count by
// atomics; at last, arbitrary values there too.
var contents = []struct {
	random bool
	limit  uint64 // 0 means all values
	counts bool   // what atomics update is random, too
}{{}, {true, 1 << 12, false}, {true, 64, false}, {true, 64, true}, {true, 1 << 12, true}, {true, 0, true}}

// heedsMemory reports whether a kernel acts upon what memory holds: whether a value that was read may
// be part of an address or a condition. Where it does not, all contents show the same.
func heedsMemory(f *ir.Func) bool {
	matters := map[*ir.Reg]bool{}
	sources := map[*ir.Reg][]*ir.Reg{}
	read := map[*ir.Reg]bool{}
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
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

// fill gives the buffers of a launch the k-th contents. Each buffer has its own, and flags and
// locks start at zero: with arbitrary values in them threads would wait for ever, or would not
// wait at all.
func (p *plan) fill(k int) {
	c := contents[k]
	for i := range p.launch.Buffers {
		b := &p.launch.Buffers[i]
		if b.Fill = nil; c.random {
			b.Fill = p.flags[i].zeroed(interp.Random(uint64(k+1)<<8+uint64(i), 4, c.limit))
		}
		if c.random && !c.counts && b.Fill != nil {
			b.Fill = p.counters[i].zeroed(b.Fill)
		}
	}
}

// places is a set of places in a buffer: for each of them, every offset that leaves the
// remainder, of so many bytes.
type places []struct{ modulus, remainder, size int64 }

// zeroed is a filler that leaves the places at zero; nil if they are the whole buffer.
func (s places) zeroed(fill interp.Filler) interp.Filler {
	for _, p := range s {
		if p.modulus <= p.size {
			return nil
		}
	}
	if len(s) == 0 {
		return fill
	}
	return func(offset int64, data []byte) {
		fill(offset, data)
		for _, p := range s {
			at := (p.remainder - offset%p.modulus + p.modulus) % p.modulus
			for ; at < int64(len(data)); at += p.modulus {
				clear(data[at:min(at+p.size, int64(len(data)))])
			}
		}
	}
}

// places lists the places of a buffer at which accesses of a sort are made.
func (v *assignment) places(key any, sort func(*access.Access) bool) places {
	var out places
	for _, a := range v.s.Accesses {
		if v.key(a.Base) != key || !sort(a) {
			continue
		}
		modulus := a.Off.Gcd()
		remainder := a.Off.Constant()
		if modulus == 0 {
			modulus = 1 << 40 // one place
		}
		out = append(out, struct{ modulus, remainder, size int64 }{modulus, (remainder%modulus + modulus) % modulus, a.Size})
	}
	return out
}

// waited reports whether threads poll a place, or take it as a lock.
func (v *assignment) waited(a *access.Access) bool { return v.polled[a.Site] || claims(a) }

func counted(a *access.Access) bool { return a.Kind == race.Atomic }

// claims reports whether an access is a compare-and-swap of two constants, as locks are taken.
func claims(a *access.Access) bool {
	at, ok := a.Stmt.(*ir.Atomic)
	if !ok || at.Op != ir.AtomicCAS {
		return false
	}
	if a.Compare == nil || a.Value == nil {
		return false
	}
	_, compare := a.Compare.IsConst()
	_, value := a.Value.IsConst()
	return compare && value
}

// key is what the buffer of a base is found by: the parameter, or what the host has bound to it.
func (v *assignment) key(b *access.Base) any {
	if l := v.s.Launch; l != nil && slices.ContainsFunc(l.Args, func(a access.Value) bool { return a.Base == b }) {
		return b
	}
	if b.Param != nil {
		return b.Param
	}
	return b
}
