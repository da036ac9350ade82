package interp

// This file defines the inner loop, which runs the code of one thread.

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// exec runs a thread until it waits, ends, traps, or has taken its steps, of which the last ones, as many as it may run ahead,
// must be such that nobody else sees them, nor can change what they do. It returns the number of steps taken.
func (r *run) exec(t *thread, budget, ahead int) int {
	var (
		code = r.p.code
		regs = t.regs
		pc   = t.pc
		left = budget
	)
	for left > 0 {
		left--
		in := &code[pc]
		pc++
		switch in.op {
		case opMove:
			regs[in.dst] = regs[in.a]
		case opAdd:
			regs[in.dst] = regs[in.a] + regs[in.b]
		case opAddS32:
			regs[in.dst] = uint64(int32(regs[in.a] + regs[in.b]))
		case opAddU32:
			regs[in.dst] = uint64(uint32(regs[in.a] + regs[in.b]))
		case opSub:
			regs[in.dst] = regs[in.a] - regs[in.b]
		case opSubS32:
			regs[in.dst] = uint64(int32(regs[in.a] - regs[in.b]))
		case opSubU32:
			regs[in.dst] = uint64(uint32(regs[in.a] - regs[in.b]))
		case opMul:
			regs[in.dst] = regs[in.a] * regs[in.b]
		case opMulS32:
			regs[in.dst] = uint64(int32(regs[in.a] * regs[in.b]))
		case opMulU32:
			regs[in.dst] = uint64(uint32(regs[in.a] * regs[in.b]))
		case opAddIndex, opSubIndex, opMulIndex:
			whole := exact(in.op, regs[in.a], regs[in.b])
			t.overflowed = t.overflowed || whole != int64(int32(whole))
			regs[in.dst] = uint64(int32(whole))
		case opDivS, opDivU, opRemS, opRemU:
			if regs[in.b] == 0 {
				if left < ahead {
					return t.pause(pc, budget-left)
				}
				t.pc = pc
				r.trap(t, TrapDivision, "division by zero")
				return budget - left
			}
			regs[in.dst] = divide(in.op, regs[in.a], regs[in.b])
		case opAnd:
			regs[in.dst] = regs[in.a] & regs[in.b]
		case opOr:
			regs[in.dst] = regs[in.a] | regs[in.b]
		case opXor:
			regs[in.dst] = regs[in.a] ^ regs[in.b]
		case opNot:
			regs[in.dst] = ^regs[in.a]
		case opShl: // counts beyond the width give 0 and the sign, as PTX has it
			regs[in.dst] = regs[in.a] << regs[in.b]
		case opShrS:
			regs[in.dst] = uint64(int64(regs[in.a]) >> regs[in.b])
		case opShrU:
			regs[in.dst] = regs[in.a] >> regs[in.b]
		case opMinS:
			regs[in.dst] = uint64(min(int64(regs[in.a]), int64(regs[in.b])))
		case opMinU:
			regs[in.dst] = min(regs[in.a], regs[in.b])
		case opMaxS:
			regs[in.dst] = uint64(max(int64(regs[in.a]), int64(regs[in.b])))
		case opMaxU:
			regs[in.dst] = max(regs[in.a], regs[in.b])
		case opEq:
			regs[in.dst] = truth(regs[in.a] == regs[in.b])
		case opNe:
			regs[in.dst] = truth(regs[in.a] != regs[in.b])
		case opLtS:
			regs[in.dst] = truth(int64(regs[in.a]) < int64(regs[in.b]))
		case opLtU:
			regs[in.dst] = truth(regs[in.a] < regs[in.b])
		case opLeS:
			regs[in.dst] = truth(int64(regs[in.a]) <= int64(regs[in.b]))
		case opLeU:
			regs[in.dst] = truth(regs[in.a] <= regs[in.b])
		case opAddF32:
			regs[in.dst] = bits32(single(regs[in.a]) + single(regs[in.b]))
		case opSubF32:
			regs[in.dst] = bits32(single(regs[in.a]) - single(regs[in.b]))
		case opMulF32:
			regs[in.dst] = bits32(single(regs[in.a]) * single(regs[in.b]))
		case opDivF32:
			regs[in.dst] = bits32(single(regs[in.a]) / single(regs[in.b]))
		case opEqF32:
			regs[in.dst] = truth(single(regs[in.a]) == single(regs[in.b]))
		case opNeF32:
			regs[in.dst] = truth(single(regs[in.a]) != single(regs[in.b]))
		case opLtF32:
			regs[in.dst] = truth(single(regs[in.a]) < single(regs[in.b]))
		case opLeF32:
			regs[in.dst] = truth(single(regs[in.a]) <= single(regs[in.b]))
		case opAddF64:
			regs[in.dst] = math.Float64bits(double(regs[in.a]) + double(regs[in.b]))
		case opSubF64:
			regs[in.dst] = math.Float64bits(double(regs[in.a]) - double(regs[in.b]))
		case opMulF64:
			regs[in.dst] = math.Float64bits(double(regs[in.a]) * double(regs[in.b]))
		case opDivF64:
			regs[in.dst] = math.Float64bits(double(regs[in.a]) / double(regs[in.b]))
		case opEqF64:
			regs[in.dst] = truth(double(regs[in.a]) == double(regs[in.b]))
		case opNeF64:
			regs[in.dst] = truth(double(regs[in.a]) != double(regs[in.b]))
		case opLtF64:
			regs[in.dst] = truth(double(regs[in.a]) < double(regs[in.b]))
		case opLeF64:
			regs[in.dst] = truth(double(regs[in.a]) <= double(regs[in.b]))
		case opFloat:
			regs[in.dst] = floatOp(ir.Op(in.c), in.t, regs[in.a], regs[in.b])
		case opNormalize:
			regs[in.dst] = normalize(in.t, regs[in.a])
		case opConvert:
			regs[in.dst] = convert(in.t, ir.Type(in.c), regs[in.a])
		case opSelect:
			if regs[in.c] != 0 {
				regs[in.dst] = regs[in.a]
			} else {
				regs[in.dst] = regs[in.b]
			}
		case opAddress:
			regs[in.dst] = regs[in.a] + regs[in.b]*uint64(int64(in.c))
		case opCall:
			if left < ahead && r.p.calls[in.c].fn == nil {
				return t.pause(pc, budget-left)
			}
			regs[in.dst] = r.call(in.c, regs)
		case opMapa:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			regs[in.dst] = r.mapa(t.block.cluster, regs[in.a], regs[in.b])
		case opLoadS32:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			if b := r.direct(regs[in.a], 4); b != nil {
				regs[in.dst] = uint64(int32(binary.LittleEndian.Uint32(b)))
			} else if v, ok := r.load(t, pc, in); ok {
				regs[in.dst] = v
			} else {
				return budget - left
			}
		case opLoadU32:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			if b := r.direct(regs[in.a], 4); b != nil {
				regs[in.dst] = uint64(binary.LittleEndian.Uint32(b))
			} else if v, ok := r.load(t, pc, in); ok {
				regs[in.dst] = v
			} else {
				return budget - left
			}
		case opLoad64:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			if b := r.direct(regs[in.a], 8); b != nil {
				regs[in.dst] = binary.LittleEndian.Uint64(b)
			} else if v, ok := r.load(t, pc, in); ok {
				regs[in.dst] = v
			} else {
				return budget - left
			}
		case opLoad:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			v, ok := r.load(t, pc, in)
			if !ok {
				return budget - left
			}
			regs[in.dst] = v
		case opStore32:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			if b := r.direct(regs[in.a], 4); b != nil {
				binary.LittleEndian.PutUint32(b, uint32(regs[in.b]))
			} else if !r.store(t, pc, in) {
				return budget - left
			}
		case opStore64:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			if b := r.direct(regs[in.a], 8); b != nil {
				binary.LittleEndian.PutUint64(b, regs[in.b])
			} else if !r.store(t, pc, in) {
				return budget - left
			}
		case opStore:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			if !r.store(t, pc, in) {
				return budget - left
			}
		case opAtomic:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			if !r.atomic(t, pc, in) {
				return budget - left
			}
			if r.unchanged && left > spinSteps+ahead {
				budget, left = budget-left+spinSteps+ahead, spinSteps+ahead
			}
		case opJump:
			pc = in.c
		case opJumpIf:
			if regs[in.a] != 0 {
				pc = in.c
			}
		case opJumpUnless:
			if regs[in.a] == 0 {
				pc = in.c
			}
		case opJumpEq:
			if regs[in.a] == regs[in.b] {
				pc = in.c
			}
		case opJumpNe:
			if regs[in.a] != regs[in.b] {
				pc = in.c
			}
		case opJumpLtS:
			if int64(regs[in.a]) < int64(regs[in.b]) {
				pc = in.c
			}
		case opJumpLtU:
			if regs[in.a] < regs[in.b] {
				pc = in.c
			}
		case opJumpGeS:
			if int64(regs[in.a]) >= int64(regs[in.b]) {
				pc = in.c
			}
		case opJumpGeU:
			if regs[in.a] >= regs[in.b] {
				pc = in.c
			}
		default:
			if left < ahead {
				return t.pause(pc, budget-left)
			}
			t.pc = pc
			if !r.operate(t, in) {
				return budget - left
			}
		}
	}
	t.pc = pc
	return budget - left
}

// pause takes back the step that a thread has begun.
func (t *thread) pause(pc int32, steps int) int {
	t.pc = pc - 1
	return steps - 1
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func single(v uint64) float32 { return math.Float32frombits(uint32(v)) }
func bits32(v float32) uint64 { return uint64(math.Float32bits(v)) }
func double(v uint64) float64 { return math.Float64frombits(v) }

func divide(op opcode, x, y uint64) uint64 {
	switch op {
	case opDivS:
		return uint64(int64(x) / int64(y))
	case opRemS:
		return uint64(int64(x) % int64(y))
	case opDivU:
		return x / y
	}
	return x % y
}

// floatOp computes the operations without an opcode of their own. Half arithmetic is done in
// double precision and rounded once more, which is exact for these operations.
func floatOp(op ir.Op, t ir.Type, a, b uint64) uint64 {
	x, y := toFloat(t, a), toFloat(t, b)
	switch op {
	case ir.Add:
		return fromFloat(t, x+y)
	case ir.Sub:
		return fromFloat(t, x-y)
	case ir.Mul:
		return fromFloat(t, x*y)
	case ir.Div:
		return fromFloat(t, x/y)
	case ir.Min:
		return fromFloat(t, minFloat(x, y))
	case ir.Max:
		return fromFloat(t, maxFloat(x, y))
	case ir.Eq:
		return truth(x == y)
	case ir.Ne:
		return truth(x != y)
	case ir.Lt:
		return truth(x < y)
	case ir.Le:
		return truth(x <= y)
	}
	return 0
}

// operate carries out what is not plain computation. It returns false when the thread stops:
// it waits, ends, or has trapped.
func (r *run) operate(t *thread, in *instr) bool {
	switch in.op {
	case opReturn:
		_, t.Returned = r.p.at[t.pc-1].(*ir.Return)
		r.exit(t)
		return false
	case opTrap:
		r.trap(t, TrapStatement, "the kernel traps")
		return false
	case opAssume:
		if t.regs[in.a] == 0 {
			r.trap(t, TrapAssumption, "an assumption does not hold")
			return false
		}
		return true
	}
	o := &r.p.stmts[in.c]
	switch in.op {
	case opFence:
		if r.listener != nil {
			r.listener.Fence(t.Thread, o.stmt.(*ir.Fence))
		}
		return true
	case opBarrier:
		r.moved() // an arrival alone wakes nobody
		return r.barrier(t, o)
	case opWarp:
		return r.warpOp(t, o)
	case opNamed:
		return r.named(t, o)
	}
	r.unknown(t, o)
	return true
}

// unknown gives the registers that a statement may have set arbitrary values.
func (r *run) unknown(t *thread, o *operation) {
	reason := "host statement"
	if u, ok := o.stmt.(*ir.Unknown); ok {
		reason = u.Reason
	}
	r.opaque(reason)
	t.unknowns++
	for i, reg := range ir.Defs(o.stmt) {
		r.setReg(t, reg, mix(r.options.Seed^mix(uint64(t.ID)<<32|uint64(o.site))^mix(uint64(t.unknowns)<<8|uint64(i))))
	}
}

// setReg gives a register bits that are cut to its type; of a pointer it makes null.
func (r *run) setReg(t *thread, reg *ir.Reg, v uint64) {
	if reg == nil {
		return
	}
	if reg.Type == ir.Ptr {
		v = 0
	}
	t.regs[reg.ID] = normalize(reg.Type, v)
}

// clocks are the functions that read a clock. Each reading is a tick later than the one
// before, so that loops which wait for a time come to their end.
var clocks = map[string]bool{"clock": true, "clock64": true, "__clock": true, "__clock64": true, "globaltimer": true, "__globaltimer": true}

const tick = 1000

func (r *run) call(number int32, regs []uint64) uint64 {
	k := &r.p.calls[number]
	args := r.args[:0]
	for _, a := range k.args {
		args = append(args, regs[a])
	}
	r.args = args
	if k.fn != nil {
		return k.fn(args)
	}
	if k.clock {
		r.ticks += tick
		return normalize(k.t, r.ticks)
	}
	if !r.told[number] {
		r.told[number] = true
		r.opaque(k.what)
	}
	h := k.hash
	for _, a := range args {
		h = mix(h ^ a)
	}
	if k.t == ir.Ptr {
		return 0
	}
	if k.t.IsFloat() {
		return fromFloat(k.t, float64(h>>40)/(1<<24))
	}
	return normalize(k.t, h)
}

func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// direct returns the bytes at an address if nobody listens and they are at hand: inside of an
// object and touched before.
func (r *run) direct(addr uint64, size int64) []byte {
	if r.listener != nil {
		return nil
	}
	number := addr>>objectShift - 1
	if number >= uint64(len(r.memory.objects)) {
		return nil
	}
	o := r.memory.objects[number]
	offset := int64(addr&offsetMask) - objectBias
	if offset < 0 || offset+size > int64(len(o.flat)) || o.fill != nil {
		return nil
	}
	return o.flat[offset:]
}

// locate finds the object of an address and records an access out of bounds.
func (r *run) locate(t *thread, addr uint64, size, site int, kind race.Access) (*object, int64, bool) {
	number := addr>>objectShift - 1
	if number >= uint64(len(r.memory.objects)) {
		reason := fmt.Sprintf("access through 0x%x, which is no address", addr)
		if addr == 0 {
			reason = "access through a null pointer"
		}
		r.trap(t, TrapPointer, reason)
		return nil, 0, false
	}
	o := r.memory.objects[number]
	offset := int64(addr&offsetMask) - objectBias
	if o.Size > 0 && (offset < 0 || offset+int64(size) > o.Size) {
		r.outOfBounds(t, o, offset, site, kind)
	}
	return o, offset, true
}

func (r *run) load(t *thread, pc int32, in *instr) (uint64, bool) {
	t.pc = pc
	a := &r.p.accesses[in.c]
	o, offset, ok := r.locate(t, t.regs[in.a], a.Size, a.Site, a.Kind)
	if !ok {
		return 0, false
	}
	v := r.memory.load(o, offset, a.Size)
	if in.t == ir.Ptr {
		v = r.pointerAt(o, offset, v)
	}
	if r.memory.full {
		return 0, r.memoryLimit()
	}
	if a.Strength.Volatile || a.Strength.Order != ir.Weak {
		r.polls(t)
	}
	r.report(t, a, o, offset, v, v, false)
	return normalize(in.t, v), true
}

func (r *run) store(t *thread, pc int32, in *instr) bool {
	t.pc = pc
	a := &r.p.accesses[in.c]
	o, offset, ok := r.locate(t, t.regs[in.a], a.Size, a.Site, a.Kind)
	if !ok {
		return false
	}
	v := cut(in.t, t.regs[in.b])
	var old uint64
	if r.listener != nil {
		old = r.memory.load(o, offset, a.Size)
	}
	if old != v {
		r.moved()
	}
	o.holdsPointers = o.holdsPointers || in.t == ir.Ptr
	r.memory.store(o, offset, a.Size, v)
	if r.memory.full {
		return r.memoryLimit()
	}
	r.report(t, a, o, offset, old, v, true)
	return true
}

func (r *run) atomic(t *thread, pc int32, in *instr) bool {
	t.pc = pc
	a := &r.p.accesses[in.c]
	s := a.Stmt.(*ir.Atomic)
	o, offset, ok := r.locate(t, t.regs[in.a], a.Size, a.Site, a.Kind)
	if !ok {
		return false
	}
	old := normalize(in.t, r.memory.load(o, offset, a.Size))
	value, wrote := t.regs[in.b], true
	if s.Op == ir.AtomicCAS {
		if wrote = old == t.regs[in.dst]; !wrote {
			value = old
		}
	} else {
		value = modify(s.Op, in.t, old, value)
	}
	same := cut(in.t, old) == cut(in.t, value)
	o.holdsPointers = o.holdsPointers || a.Size == 8
	r.unchanged = same && s.Dst != nil && r.p.read[s.Dst.ID] // nobody waits who does not look
	r.memory.store(o, offset, a.Size, cut(in.t, value))
	if r.memory.full {
		return r.memoryLimit()
	}
	if s.Dst != nil {
		t.regs[s.Dst.ID] = old
	}
	if same {
		r.polls(t)
	} else {
		r.moved()
	}
	r.report(t, a, o, offset, cut(in.t, old), cut(in.t, value), wrote)
	return true
}

// modify computes the new value of an atomic other than CAS, on register values.
func modify(op ir.AtomicOp, t ir.Type, old, x uint64) uint64 {
	switch op {
	case ir.AtomicExch:
		return x
	case ir.AtomicMin:
		return minMax(ir.Min, t, old, x)
	case ir.AtomicMax:
		return minMax(ir.Max, t, old, x)
	case ir.AtomicInc:
		if cut(t, old) >= cut(t, x) {
			return 0
		}
		return normalize(t, old+1)
	case ir.AtomicDec:
		if cut(t, old) == 0 || cut(t, old) > cut(t, x) {
			return x
		}
		return normalize(t, old-1)
	case ir.AtomicAnd:
		return old & x
	case ir.AtomicOr:
		return old | x
	case ir.AtomicXor:
		return old ^ x
	}
	sum := ir.Add
	if op == ir.AtomicSub {
		sum = ir.Sub
	}
	if t.IsFloat() {
		return floatOp(sum, t, old, x)
	}
	if sum == ir.Sub {
		x = -x
	}
	return normalize(t, old+x)
}

// report tells the listener of an access.
func (r *run) report(t *thread, i *Instruction, o *object, offset int64, old, new uint64, wrote bool) {
	r.reportOf(nil, t, i, o, offset, old, new, wrote)
}

// reportOf tells the listener of an access by an asynchronous copy, or by the thread itself for nil. Plain accesses of a
// thread whose index has overflowed are nobody's.
func (r *run) reportOf(copy *AsyncOp, t *thread, i *Instruction, o *object, offset int64, old, new uint64, wrote bool) {
	if r.listener == nil || o.Space == ir.Local || t.overflowed && i.Strength.Order == ir.Weak {
		return
	}
	event := &r.event
	event.Instruction, event.Object, event.Offset, event.Old, event.New, event.Wrote, event.Async = i, o.Object, offset, old, new, wrote, copy
	r.listener.Access(t.Thread, event)
}
