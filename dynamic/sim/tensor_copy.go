// This file executes copies of boxes of a tensor (PTX ISA, "Data Movement and Conversion Instructions: Tensor copy"), in tile
// mode. A box lies in shared memory without gaps, the first coordinate's elements next to each other.

package sim

import (
	"encoding/binary"
	"unsafe"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// tensorOp is one cp.async.bulk.tensor or cp.reduce.async.bulk.tensor.
type tensorOp struct {
	copyOp
	object *memop // the tensor map
	coords []ref
	store  bool   // from shared memory to the tensor
	reduce string // how that updates elements; empty for a copy
}

// tensorMap is what cuTensorMapEncodeTiled (cudart/client/tensor.c) puts into a CUtensorMap, or MadeUpTensorMap, without dimensions.
type tensorMap struct {
	element uint64
	kind    tensorKind
	base    uint64
	sizes   []uint64 // in elements
	strides []uint64 // in bytes, the first is an element
	box     []uint64 // in elements
	swizzle uint64   // how many bits of an address, from bit 4 on, are changed by those from bit 7 on
	nan     bool     // what lies outside is not a number, instead of zero
}

// tensorKind is a CUtensorMapDataType.
type tensorKind uint8

// tensorTypes are the types that a reduction takes elements for.
var tensorTypes = [...]ptx.Type{ptx.U8, ptx.U16, ptx.U32, ptx.S32, ptx.U64, ptx.S64, ptx.F16, ptx.F32, ptx.F64, ptx.BF16, ptx.F32, ptx.F32, ptx.F32}

// notNumbers are the elements that stand for what lies outside, of types that have such.
var notNumbers = map[ptx.Type]uint64{ptx.F16: 0x7fff, ptx.BF16: 0x7fff, ptx.F32: 0x7fffffff, ptx.F64: 0x7fffffffffffffff}

const (
	tensorMapBytes = 128
	tensorMapMagic = 0x4d544c57
	boxAlign       = 128 // of boxes in shared memory
)

// tensorCopy decodes "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [to], [map, {x, y}],
// [mbarrier]{, mask}" and the way back, "….global.shared::cta.tile.bulk_group [map, {x, y}], [from]".
func (t *translator) tensorCopy(in *ptx.Instr) {
	t.allow(in, "async bulk tensor reduce tile 1d 2d 3d 4d 5d global shared::cluster shared::cta bulk_group mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint "+reductionWords)
	t.operands(in, 2, 6)
	op := &tensorOp{copyOp: copyOp{bulk: true, read: noRef, ignore: noRef, multicast: noRef, size: noRef}}
	op.store = !in.Has("mbarrier::complete_tx::bytes")
	there, here := &in.Operands[1], &in.Operands[0]
	if op.store {
		there, here = here, there
	}
	dimensions := int(one(in, "1d 2d 3d 4d 5d", "0d")[0] - '0')
	if dimensions == 0 {
		t.unsupported()
	}
	if there.Kind != ptx.AddressOperand || len(there.Elems) != 1 || there.Elems[0].Kind != ptx.VectorOperand || len(there.Elems[0].Elems) != dimensions {
		t.fail("%s needs a tensor map and %d coordinates", mnemonic(in), dimensions)
	}
	for i := range there.Elems[0].Elems {
		op.coords = append(op.coords, t.source(&there.Elems[0].Elems[i], ptx.S32))
	}
	object := *there
	object.Elems = nil
	op.object = t.memory(&ptx.Instr{Op: in.Op, Line: in.Line}, &object)
	tensor := t.memory(&ptx.Instr{Op: in.Op, Modifiers: []string{"global"}, Line: in.Line}, &object)
	shared := t.memory(&ptx.Instr{Op: in.Op, Modifiers: []string{"shared"}, Line: in.Line}, here)
	tensor.bytes, shared.bytes = 1, 1
	op.to, op.from = shared, tensor
	rest := in.Operands[2:]
	if op.store {
		op.to, op.from = tensor, shared
	} else {
		if len(rest) == 0 {
			t.fail("%s without an mbarrier", mnemonic(in))
		}
		t.completion(in, &op.copyOp, &rest[0])
		rest = rest[1:]
	}
	op.to.kind, op.from.kind = event.Write, event.Read
	if in.Has("multicast::cluster") && len(rest) > 0 {
		op.multicast = t.source(&rest[0], ptx.U16)
	}
	if in.Has("reduce") {
		if op.reduce = one(in, reductionWords, ""); op.reduce == "" {
			t.unsupported()
		}
	}
	t.emit(instr{run: runTensorCopy, x: op})
}

func runTensorCopy(w *warp, in *instr, m uint32) {
	op := in.x.(*tensorOp)
	shared := op.to
	if op.store {
		shared = op.from
	}
	var bars [32]uint64
	if op.mbarrier != nil {
		w.addresses(op.mbarrier, m)
		bars = w.core.access.Addr
	}
	w.addresses(op.object, m)
	objects := w.core.access.Addr
	w.addresses(shared, m)
	places := w.core.access.Addr
	w.core.changes++
	forLanes(m, func(i int) {
		c := &boxCopy{w: w, op: op.copyOp, lane: i, tensor: w.tensorMap(op.object, objects[i], i, len(op.coords)), store: op.store}
		for _, r := range op.coords {
			c.at = append(c.at, int64(int32(w.source32(r)[i])))
		}
		if op.reduce != "" {
			c.reduces(op.reduce)
		}
		if op.multicast == noRef {
			c.run(places[i], bars[i])
			return
		}
		for rank := range w.block.cluster.blocks {
			if w.source32(op.multicast)[i]>>rank&1 != 0 {
				in := uint64(rank+1) << 24
				c.run(places[i]&^(0xff<<24)|in, bars[i]&^(0xff<<24)|in)
			}
		}
	})
}

// tensorMap reads the object at an address, which may be a parameter.
func (w *warp) tensorMap(op *memop, a uint64, lane, rank int) *tensorMap {
	var win window
	if !w.find(op, &win, a) || a < win.base || win.size < tensorMapBytes || a-win.base > win.size-tensorMapBytes {
		w.stray(op, a, lane)
	}
	if a%64 != 0 && !win.local {
		w.fault(Misaligned, lane, "a tensor map at %#x, which is no multiple of 64", a)
	}
	var bytes [tensorMapBytes]byte
	if win.local {
		for i := 0; i < tensorMapBytes; i += 8 {
			binary.LittleEndian.PutUint64(bytes[i:], w.readLocal(a-win.base+uint64(i), 8, lane))
		}
	} else {
		copy(bytes[:], bytesAt(&win, a, tensorMapBytes))
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(bytes[8*i:]) }
	head := word(0)
	if uint32(head) != tensorMapMagic {
		w.fault(Invalid, lane, "no tensor map at %#x: cuTensorMapEncodeTiled has made none there", a)
	}
	have := int(head >> 32 & 0xff)
	if have != rank && have != 0 {
		w.fault(Invalid, lane, "%d coordinates for a tensor of %d dimensions", rank, have)
	}
	m := &tensorMap{kind: tensorKind(head >> 40), swizzle: head >> 48 & 0xff, nan: head>>56&1 != 0, base: word(1)}
	if int(m.kind) >= len(tensorTypes) {
		w.fault(Invalid, lane, "a tensor map at %#x of elements of type %d", a, m.kind)
	}
	m.element = uint64(tensorTypes[m.kind].Size())
	if have == 0 {
		return m
	}
	m.strides = append(m.strides, m.element)
	for d := range rank {
		m.sizes = append(m.sizes, word(2+d))
		m.box = append(m.box, uint64(binary.LittleEndian.Uint16(bytes[8*11+2*d:])))
		if d > 0 {
			m.strides = append(m.strides, word(6+d))
		}
	}
	return m
}

// boxCopy is the copy of one box.
type boxCopy struct {
	w      *warp
	op     copyOp
	lane   int
	store  bool
	tensor *tensorMap
	at     []int64    // the box's first element
	told   event.Copy // rows that follow each other are told as one
}

// reduces says which function updates the tensor's elements.
func (c *boxCopy) reduces(name string) {
	ty := tensorTypes[c.tensor.kind]
	update, _, ok := atomicUpdate(name, ty)
	if !ok || c.tensor.element < 2 {
		c.w.fault(Invalid, c.lane, "%s of a tensor's elements of type %v", name, ty)
	}
	to := *c.op.to
	to.update, to.size = update, int(c.tensor.element)
	c.op.to = &to
}

// run copies between the tensor and the box that begins at a shared address.
func (c *boxCopy) run(shared, mbarrier uint64) {
	m := c.tensor
	if shared%boxAlign != 0 {
		c.w.fault(Misaligned, c.lane, "a tensor's box at shared address %#x, which is no multiple of %d", shared, boxAlign)
	}
	if m.box == nil {
		c.runMadeUp(shared, mbarrier)
		return
	}
	row := m.box[0] * m.element
	if m.swizzle != 0 && row != 16<<m.swizzle {
		c.w.fault(Invalid, c.lane, "a swizzle of %d bytes with rows of %d bytes is not simulated", 16<<m.swizzle, row)
	}
	// What each row has of the tensor.
	low := min(max(0, -c.at[0]), int64(m.box[0]))
	high := max(min(int64(m.box[0]), int64(m.sizes[0])-c.at[0]), low)
	index := make([]uint64, len(m.box))
	bytes := uint64(0)
	for more := true; more; bytes += row {
		inside, a := low < high, m.base+uint64(c.at[0]+low)*m.element
		for d := 1; d < len(index); d++ {
			at := c.at[d] + int64(index[d])
			inside = inside && at >= 0 && at < int64(m.sizes[d])
			a += uint64(at) * m.strides[d]
		}
		if inside {
			c.row(shared+bytes, a, uint64(low)*m.element, uint64(high-low)*m.element, row, mbarrier)
		} else if !c.store {
			c.row(shared+bytes, 0, 0, 0, row, mbarrier)
		}
		more = false
		for d := 1; d < len(index) && !more; d++ {
			if index[d]++; index[d] < m.box[d] {
				more = true
			} else {
				index[d] = 0
			}
		}
	}
	c.tell()
	if c.op.mbarrier != nil {
		c.w.completeBytes(c.op.mbarrier, mbarrier, int(bytes), c.lane)
	}
}

// row moves a row of the box at a shared address: n of its bytes, from an offset on, lie in the tensor, at a.
func (c *boxCopy) row(shared, a, offset, n, row, mbarrier uint64) {
	m, tensor, box := c.tensor, c.op.from, c.op.to
	if c.store {
		tensor, box = box, tensor
	}
	there := c.w.piece(tensor, a, n, c.lane)
	here := make([]byte, row)
	if !c.store {
		if fill, ok := notNumbers[tensorTypes[m.kind]]; ok && m.nan {
			for at := uint64(0); at < row; at += m.element {
				writeBytes(unsafe.Pointer(&here[at]), int(m.element), fill)
			}
		}
		copy(here[offset:], there)
	}
	for at := uint64(0); at < row; at += 16 {
		place := shared + at
		place ^= place >> 7 & (1<<m.swizzle - 1) << 4
		part := c.w.piece(box, place, 16, c.lane)
		if c.store {
			copy(here[at:], part)
		} else {
			copy(part, here[at:])
		}
	}
	from, to, read, written := a, shared, n, row
	if c.store {
		from, to, read, written = shared+offset, a, n, n
		if m.swizzle != 0 {
			from, read = shared, row
		}
		if c.op.to.update != nil {
			updateBytes(c.op.to, there, here[offset:][:n], false)
		} else {
			copy(there, here[offset:])
		}
	}
	c.note(from, to, read, written, mbarrier)
}

// note tells of a row, together with the one before if both ends go on there.
func (c *boxCopy) note(from, to, read, written, mbarrier uint64) {
	if c.w.core.listener == nil {
		return
	}
	e, i := &c.told, c.lane
	if e.Mask != 0 && e.SourceSize[i] == e.TargetSize[i] && read == written &&
		e.Source[i]+uint64(e.SourceSize[i]) == from && e.Target[i]+uint64(e.TargetSize[i]) == to {
		e.SourceSize[i] += uint32(read)
		e.TargetSize[i] += uint32(written)
		return
	}
	c.tell()
	*e = c.w.copyEvent(&c.op, 1<<i)
	e.Source[i], e.Target[i], e.SourceSize[i], e.TargetSize[i], e.Mbarrier[i] = from, to, uint32(read), uint32(written), mbarrier
}

func (c *boxCopy) tell() {
	if c.told.Mask != 0 {
		c.w.tellCopy(&c.op, &c.told, c.told.Mask)
		c.told.Mask = 0
	}
}
