// This file decodes mov: copies, packing and unpacking of vectors, special registers and
// addresses.

package sim

import (
	"math/bits"
	"strings"

	"github.com/warplint/warplint/dynamic/ptx"
)

func decodeMov(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	t.allow(in, "")
	ty := in.Type(0)
	d, s := &in.Operands[0], &in.Operands[1]
	switch {
	case ty == ptx.Pred:
		p, not := t.predicate(s)
		t.emit(instr{run: runMovP, d: t.target(d, ptx.Pred), a: p, b: p, imm: int64(not & 1)})
	case d.Kind == ptx.VectorOperand:
		t.unpack(d, s, ty)
	case s.Kind == ptx.VectorOperand:
		t.pack(d, s, ty)
	case ty == ptx.B128:
		t.moveDouble(d, s)
	case s.Kind == ptx.SpecialOperand:
		t.special(s.Name, slotOf{classOf(ty), t.target(d, ty)})
	case s.Kind == ptx.SymbolOperand:
		t.addressOf(s, slotOf{classOf(ty), t.target(d, ty)})
	default:
		t.emit(instr{run: operations["mov."+bitsType(ty).String()].run, d: t.target(d, ty), a: t.source(s, ty)})
	}
}

func (t *translator) moveDouble(d, s *ptx.Operand) {
	to, from := t.target(d, ptx.B128), t.source(s, ptx.B128)
	for i := range ref(2) {
		t.emit(instr{run: operations["mov.b64"].run, d: to + i, a: from + i})
	}
}

// piece is one element of a vector that stands for some bits of a wider value.
type piece struct {
	r     ref
	wide  bool
	size  uint // bits
	shift uint
}

// pieces gives the registers of a vector's elements.
func (t *translator) pieces(v *ptx.Operand, ty ptx.Type, target bool) []piece {
	n := len(v.Elems)
	if n == 0 || ty.Size()%n != 0 {
		t.fail("%d elements in %s", n, mnemonic(t.in))
	}
	size := uint(8 * ty.Size() / n)
	element := map[uint]ptx.Type{8: ptx.B8, 16: ptx.B16, 32: ptx.B32, 64: ptx.B64}[size]
	if element == ptx.NoType {
		t.fail("%d elements in %s", n, mnemonic(t.in))
	}
	var list []piece
	for i := range v.Elems {
		e := &v.Elems[i]
		p := piece{size: size, shift: uint(i) * size, wide: size == 64}
		if target {
			p.r = t.target(e, element)
		} else {
			p.r = t.source(e, element)
		}
		list = append(list, p)
	}
	return list
}

func (t *translator) unpack(d, s *ptx.Operand, ty ptx.Type) {
	t.emit(instr{run: runUnpack, a: t.source(s, ty), x: t.pieces(d, ty, true), imm: packed(ty)})
}

func (t *translator) pack(d, s *ptx.Operand, ty ptx.Type) {
	t.emit(instr{run: runPack, d: t.target(d, ty), x: t.pieces(s, ty, false), imm: packed(ty)})
}

// packed tells registers of 32 bits, of 64 and of 128 apart.
func packed(ty ptx.Type) int64 {
	switch classOf(ty) {
	case long:
		return 1
	case double:
		return 2
	}
	return 0
}

func runUnpack(w *warp, in *instr, m uint32) {
	list := in.x.([]piece)
	if in.imm == 1 && len(list) == 2 {
		w.unpackHalves(w.source64(in.a), list, m)
		return
	}
	forLanes(m, func(i int) {
		low := w.lane(in.a, in.imm > 0, i)
		high := uint64(0)
		if in.imm == 2 {
			high = w.lane(in.a+1, true, i)
		}
		for _, p := range list {
			v, shift := low, p.shift
			if shift >= 64 {
				v, shift = high, shift-64
			}
			v >>= shift
			if p.size < 64 {
				v &= 1<<p.size - 1
			}
			w.setLane(p.r, p.wide, i, v)
		}
	})
}

// unpackHalves is the frequent case of two words in a long.
func (w *warp) unpackHalves(from *[32]uint64, list []piece, m uint32) {
	for k, p := range list {
		to, shift := w.target32(p.r), 32*k
		for rest := m; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest) & 31
			to[i] = uint32(from[i] >> shift)
		}
	}
}

func runPack(w *warp, in *instr, m uint32) {
	list := in.x.([]piece)
	forLanes(m, func(i int) {
		var v [2]uint64
		for _, p := range list {
			v[p.shift/64] |= w.lane(p.r, p.wide, i) << (p.shift % 64)
		}
		w.setLane(in.d, in.imm > 0, i, v[0])
		if in.imm == 2 {
			w.setLane(in.d+1, true, i, v[1])
		}
	})
}

// addressOf emits the address of a variable or function: the one that its own space uses.
func (t *translator) addressOf(o *ptx.Operand, to slotOf) {
	if v := t.frameVariable(o.Name); v != nil && (v.Space == ptx.LocalSpace || v.Space == ptx.ParamSpace) {
		run := runFrameAddress32
		if to.class == long {
			run = runFrameAddress64
		}
		t.emit(instr{run: run, d: to.index, imm: int64(t.fn.offsets[o.Name]) + o.Offset})
		return
	}
	address, _ := t.symbol(o.Name)
	t.load(to, address+uint64(o.Offset))
}

// load emits the load of a constant.
func (t *translator) load(to slotOf, v uint64) {
	if to.class == long {
		t.emit(instr{run: operations["mov.b64"].run, d: to.index, a: t.constant64(v)})
	} else {
		t.emit(instr{run: operations["mov.b32"].run, d: to.index, a: t.constant32(uint32(v))})
	}
}

// frameVariable finds a local variable, or a parameter of a function that is no kernel.
func (t *translator) frameVariable(name string) *ptx.Variable {
	if v := t.locals[name]; v != nil {
		return v
	}
	if t.fn.source.Entry {
		return nil
	}
	for _, list := range [][]*ptx.Variable{t.fn.params, t.fn.returns} {
		for _, v := range list {
			if v.Name == name {
				return v
			}
		}
	}
	return nil
}

// symbol gives the address of what does not stand in a frame, and its space.
func (t *translator) symbol(name string) (uint64, ptx.Space) {
	if at, ok := t.program.shared[t.fn.source.Name+"\x00"+name]; ok {
		return uint64(at), ptx.SharedSpace
	}
	if at, ok := t.program.shared[name]; ok {
		return uint64(at), ptx.SharedSpace
	}
	for _, v := range t.module.source.Variables {
		if v.Name == name && v.Space == ptx.SharedSpace && v.Unsized {
			return uint64(t.program.dynamicShared()), ptx.SharedSpace
		}
	}
	if v := t.locals[name]; v != nil && v.Space == ptx.SharedSpace && v.Unsized {
		return uint64(t.program.dynamicShared()), ptx.SharedSpace
	}
	if p, ok := t.program.params[name]; ok && t.fn.source.Entry {
		return uint64(p.Offset), ptx.ParamSpace
	}
	if address, ok := t.module.address(name); ok {
		return address, ptx.GlobalSpace
	}
	t.fail("%s is not defined", name)
	return 0, 0
}

// special emits the read of a special register.
func (t *translator) special(name string, to slotOf) {
	base, axis, _ := strings.Cut(strings.TrimPrefix(name, "%"), ".")
	k := strings.Index("xyzw", axis)
	if axis == "" {
		k = 0
	}
	if base == "tid" && k < 3 && to.class == word {
		t.emit(instr{run: runThreadIndex, d: to.index, imm: int64(k)})
		return
	}
	if f := laneSpecials[base]; f != nil {
		t.emit(instr{run: runLaneSpecial, d: to.index, x: f, imm: int64(to.class)})
		return
	}
	f := warpSpecials[base]
	if f != nil && strings.HasPrefix(base, "envreg") {
		t.program.workspace, t.program.syncsGrid = true, true
	}
	if f == nil {
		t.fail("special register %s is not supported", name)
	}
	t.emit(instr{run: runWarpSpecial, d: to.index, x: &warpSpecial{f, k, to.class == long}})
}

func runThreadIndex(w *warp, in *instr, m uint32) {
	from, d := &w.block.launch.tid[in.imm][w.index], w.target32(in.d)
	if m == fullMask {
		*d = *from
		return
	}
	forLanes(m, func(i int) { d[i] = from[i] })
}

// laneSpecials are the registers that differ between lanes.
var laneSpecials = map[string]func(lane uint32) uint32{
	"laneid":      func(l uint32) uint32 { return l },
	"lanemask_eq": func(l uint32) uint32 { return 1 << l },
	"lanemask_le": func(l uint32) uint32 { return 1<<(l+1) - 1 },
	"lanemask_lt": func(l uint32) uint32 { return 1<<l - 1 },
	"lanemask_ge": func(l uint32) uint32 { return ^uint32(0) << l },
	"lanemask_gt": func(l uint32) uint32 { return ^uint32(0) << l << 1 },
}

func runLaneSpecial(w *warp, in *instr, m uint32) {
	f := in.x.(func(uint32) uint32)
	forLanes(m, func(i int) { w.setLane(in.d, class(in.imm) == long, i, uint64(f(uint32(i)))) })
}

type warpSpecial struct {
	value func(w *warp, axis int) uint64
	axis  int
	wide  bool
}

func runWarpSpecial(w *warp, in *instr, m uint32) {
	s := in.x.(*warpSpecial)
	v := s.value(w, s.axis)
	if s.wide {
		fill(w.target64(in.d), m, v)
	} else {
		fill(w.target32(in.d), m, uint32(v))
	}
}

// Clocks count the instructions of the launch, one nanosecond each, so that they are the same
// in every run. Reading a clock takes longer, as it does on a GPU: a loop that waits for a time to
// pass should not have to be executed so often.
func (w *warp) clock() uint64 {
	const reading = 40
	w.core.updates++
	w.core.clockReads++
	return w.core.instructions + reading*w.core.clockReads
}

func dimension(d [3]int, axis int) uint64 {
	if axis > 2 {
		return 0
	}
	return uint64(d[axis])
}

// warpSpecials are the registers that are the same for all lanes.
var warpSpecials = map[string]func(w *warp, axis int) uint64{
	"tid":             func(w *warp, axis int) uint64 { return 0 },
	"ntid":            func(w *warp, axis int) uint64 { return dimension(w.block.launch.config.Block, axis) },
	"nctaid":          func(w *warp, axis int) uint64 { return dimension(w.block.launch.config.Grid, axis) },
	"ctaid":           func(w *warp, axis int) uint64 { return w.block.at(axis) },
	"warpid":          func(w *warp, _ int) uint64 { return uint64(w.index) },
	"nwarpid":         func(w *warp, _ int) uint64 { return 64 },
	"smid":            func(w *warp, _ int) uint64 { return uint64(w.block.index % 132) },
	"nsmid":           func(w *warp, _ int) uint64 { return 132 },
	"gridid":          func(w *warp, _ int) uint64 { return uint64(w.block.launch.event.ID) },
	"clock":           func(w *warp, _ int) uint64 { return w.clock() },
	"clock_hi":        func(w *warp, _ int) uint64 { return w.clock() >> 32 },
	"clock64":         func(w *warp, _ int) uint64 { return w.clock() },
	"globaltimer":     func(w *warp, _ int) uint64 { return w.clock() },
	"globaltimer_lo":  func(w *warp, _ int) uint64 { return w.clock() & 0xffffffff },
	"globaltimer_hi":  func(w *warp, _ int) uint64 { return w.clock() >> 32 },
	"cluster_nctaid":  func(w *warp, axis int) uint64 { return dimension(w.block.launch.config.Cluster, axis) },
	"cluster_ctarank": func(w *warp, _ int) uint64 { return uint64(w.block.rank) },
	"cluster_nctarank": func(w *warp, _ int) uint64 {
		return uint64(w.block.launch.config.Cluster.Count())
	},
	"cluster_ctaid": func(w *warp, axis int) uint64 {
		return w.block.at(axis) % max(dimension(w.block.launch.config.Cluster, axis), 1)
	},
	"clusterid": func(w *warp, axis int) uint64 {
		return w.block.at(axis) / max(dimension(w.block.launch.config.Cluster, axis), 1)
	},
	"nclusterid": func(w *warp, axis int) uint64 {
		c := &w.block.launch.config
		return dimension(c.Grid, axis) / max(dimension(c.Cluster, axis), 1)
	},
	"is_explicit_cluster": func(w *warp, _ int) uint64 {
		if w.block.launch.config.Cluster.Count() > 1 {
			return 1
		}
		return 0
	},
	// What a driver says of its own; nvcc's cooperative groups look here for memory to count in.
	"envreg1":           func(w *warp, _ int) uint64 { return w.block.launch.workspace >> 32 },
	"envreg2":           func(w *warp, _ int) uint64 { return w.block.launch.workspace & 0xffffffff },
	"dynamic_smem_size": func(w *warp, _ int) uint64 { return uint64(w.block.launch.config.Shared) },
	"total_smem_size":   func(w *warp, _ int) uint64 { return uint64(len(w.block.shared)) },
	"aggr_smem_size":    func(w *warp, _ int) uint64 { return uint64(len(w.block.shared)) },
}

func (b *block) at(axis int) uint64 {
	if axis > 2 {
		return 0
	}
	return uint64(b.ctaid[axis])
}
