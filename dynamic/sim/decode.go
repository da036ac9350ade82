// This file names the decoder of each family of instructions, and decodes the arithmetic ones
// by the table of operations.

package sim

import (
	"strings"

	"github.com/warplint/warplint/dynamic/ptx"
)

// decoders has the families that need more than the table.
var decoders map[ptx.Opcode]func(t *translator, in *ptx.Instr)

func init() {
	decoders = map[ptx.Opcode]func(t *translator, in *ptx.Instr){
		ptx.Add: decodeCarry, ptx.Addc: decodeCarry, ptx.Sub: decodeCarry, ptx.Subc: decodeCarry,
		ptx.Mad: decodeCarry, ptx.Madc: decodeCarry,
		ptx.Mov: decodeMov, ptx.Cvt: decodeCvt,
		ptx.Setp: decodeSetp, ptx.Set: decodeSet, ptx.Selp: decodeSelp, ptx.Slct: decodeSlct,
		ptx.Lop3: decodeLop3, ptx.Testp: decodeTestp,
		ptx.And: decodeLogic, ptx.Or: decodeLogic, ptx.Xor: decodeLogic, ptx.Not: decodeLogic,

		ptx.Ld: decodeLoad, ptx.Ldu: decodeLoad, ptx.St: decodeStore,
		ptx.Atom: decodeAtomic, ptx.Red: decodeAtomic,
		ptx.Cvta: decodeCvta, ptx.Isspacep: decodeIsspacep, ptx.Mapa: decodeMapa, ptx.Alloca: decodeAlloca, ptx.Getctarank: decodeGetctarank,
		ptx.Fence: decodeFence, ptx.Membar: decodeFence,
		ptx.Prefetch: decodeNothing, ptx.Prefetchu: decodeNothing, ptx.Applypriority: decodeNothing,
		ptx.Discard: decodeNothing, ptx.Createpolicy: decodePolicy,
		ptx.Cp: decodeCopy, ptx.Mbarrier: decodeMbarrier,

		ptx.Bra: decodeBranch, ptx.Brx: decodeBranchIndexed, ptx.Call: decodeCall, ptx.Ret: decodeReturn,
		ptx.Exit: decodeExit, ptx.Trap: decodeTrap, ptx.Brkpt: decodeTrap,
		ptx.Bar: decodeBarrier, ptx.Barrier: decodeBarrier,
		ptx.Vote: decodeVote, ptx.Shfl: decodeShuffle, ptx.Match: decodeMatch, ptx.Redux: decodeRedux,
		ptx.Activemask: decodeActiveMask, ptx.Elect: decodeElect,
		ptx.Wmma: decodeWmma, ptx.Mma: decodeMma,
		ptx.Ldmatrix: decodeLdmatrix, ptx.Stmatrix: decodeStmatrix, ptx.Movmatrix: decodeMovmatrix,
		ptx.Vadd: decodeScalarVideo, ptx.Vsub: decodeScalarVideo, ptx.Vabsdiff: decodeScalarVideo, ptx.Vmin: decodeScalarVideo, ptx.Vmax: decodeScalarVideo,
		ptx.Vadd2: decodeVideo, ptx.Vsub2: decodeVideo, ptx.Vavrg2: decodeVideo,
		ptx.Vabsdiff2: decodeVideo, ptx.Vmin2: decodeVideo, ptx.Vmax2: decodeVideo,
		ptx.Vadd4: decodeVideo, ptx.Vsub4: decodeVideo, ptx.Vavrg4: decodeVideo,
		ptx.Vabsdiff4: decodeVideo, ptx.Vmin4: decodeVideo, ptx.Vmax4: decodeVideo,
		ptx.Nanosleep: decodeSleep, ptx.Pmevent: decodeNothing, ptx.Setmaxnreg: decodeNothing,
		ptx.Griddepcontrol: decodeNothing,
	}
}

func decodeNothing(t *translator, in *ptx.Instr) {}

// arithmetic decodes an instruction that the table of operations has, or that is composed of a
// scalar function.
func (t *translator) arithmetic(in *ptx.Instr) {
	if key := operationKey(in); t.operation(in, key) {
		return
	}
	if t.packed(in) || t.floating(in) {
		return
	}
	t.unsupported()
}

// operationKey is the instruction's key in ops.txt: rounding to nearest is written out there.
func operationKey(in *ptx.Instr) string {
	var b strings.Builder
	b.WriteString(in.Op.String())
	if ty := in.Type(0); (ty == ptx.F32 || ty == ptx.F64) && one(in, "rn rz rm rp approx full", "") == "" {
		switch in.Op {
		case ptx.Add, ptx.Sub, ptx.Mul, ptx.Mad, ptx.Fma, ptx.Div, ptx.Rcp, ptx.Sqrt:
			b.WriteString(".rn")
		}
	}
	for _, m := range in.Modifiers {
		b.WriteString("." + m)
	}
	for _, ty := range in.Types {
		b.WriteString("." + ty.String())
	}
	return b.String()
}

// operation emits the operation with a key; false if there is none.
func (t *translator) operation(in *ptx.Instr, key string) bool {
	op, ok := operations[key]
	if !ok {
		return false
	}
	target, sources, _ := strings.Cut(op.shape, ":")
	t.operands(in, len(sources)+1, len(sources)+1)
	ty := in.Type(len(in.Types) - 1)
	code := instr{run: op.run}
	refs := [...]*ref{&code.a, &code.b, &code.c, &code.d2}
	for i := range sources {
		*refs[i] = t.source(&in.Operands[i+1], t.operandType(in, ty, sources[i], i))
	}
	code.d = t.target(&in.Operands[0], typeOfShape(target[0]))
	t.emit(code)
	return true
}

func typeOfShape(c byte) ptx.Type {
	switch c {
	case 'l', 'g', 'G':
		return ptx.B64
	case 'p':
		return ptx.Pred
	}
	return ptx.B32
}

// operandType is the type of a source, which matters for constants: the instruction's if its
// class is that of the shape.
func (t *translator) operandType(in *ptx.Instr, ty ptx.Type, shape byte, i int) ptx.Type {
	accumulator := i == 2 && in.Has("wide")
	if want := typeOfShape(shape); classOf(ty) != classOf(want) || accumulator {
		return want
	}
	return ty
}

// mapping is an instruction that applies a function to the bits of each lane's operands.
type mapping struct {
	f            func(x, y, z uint64) uint64
	wide         [3]bool
	wideD        bool
	operandCount int
}

func runMapping(w *warp, in *instr, m uint32) {
	p := in.x.(*mapping)
	refs := [3]ref{in.a, in.b, in.c}
	forLanes(m, func(i int) {
		var v [3]uint64
		for k := range p.operandCount {
			v[k] = w.lane(refs[k], p.wide[k], i)
		}
		w.setLane(in.d, p.wideD, i, p.f(v[0], v[1], v[2]))
	})
}

// mapped emits a function over operands of one type each; the target has type d.
func (t *translator) mapped(in *ptx.Instr, f func(x, y, z uint64) uint64, d ptx.Type, sources ...ptx.Type) {
	t.operands(in, len(sources)+1, len(sources)+1)
	p := &mapping{f: f, operandCount: len(sources), wideD: classOf(d) == long}
	code := instr{run: runMapping, x: p}
	refs := [...]*ref{&code.a, &code.b, &code.c}
	for i, ty := range sources {
		p.wide[i] = classOf(ty) == long
		*refs[i] = t.source(&in.Operands[i+1], ty)
	}
	code.d = t.target(&in.Operands[0], d)
	t.emit(code)
}

func decodeLop3(t *translator, in *ptx.Instr) {
	t.allow(in, "")
	t.operands(in, 5, 5)
	if in.Operands[4].Kind != ptx.IntegerOperand {
		t.fail("the table of lop3 must be a constant")
	}
	t.emit(instr{
		run: operations["lop3.b32"].run, d: t.target(&in.Operands[0], ptx.B32),
		a: t.source(&in.Operands[1], ptx.B32), b: t.source(&in.Operands[2], ptx.B32),
		c: t.source(&in.Operands[3], ptx.B32), imm: int64(in.Operands[4].Bits & 0xff),
	})
}

// decodeSlct: the type of the third operand comes last in PTX.
func decodeSlct(t *translator, in *ptx.Instr) {
	t.operands(in, 4, 4)
	ty, by := in.Type(0), in.Type(1)
	key := "slct."
	if in.Has("ftz") {
		key += "ftz."
	}
	if by != ptx.S32 && by != ptx.F32 || ty.Size() < 2 {
		t.unsupported()
	}
	key += by.String() + "." + bitsType(ty).String()
	t.emit(instr{
		run: operations[key].run, d: t.target(&in.Operands[0], ty),
		a: t.source(&in.Operands[1], ty), b: t.source(&in.Operands[2], ty), c: t.source(&in.Operands[3], by),
	})
}

// bitsType is b64 or b32, by register class.
func bitsType(ty ptx.Type) ptx.Type {
	if classOf(ty) == long {
		return ptx.B64
	}
	return ptx.B32
}

func decodeSelp(t *translator, in *ptx.Instr) {
	t.operands(in, 4, 4)
	ty := in.Type(0)
	chosen, other := &in.Operands[1], &in.Operands[2]
	if in.Operands[3].Not {
		chosen, other = other, chosen
	}
	t.emit(instr{
		run: operations["selp."+bitsType(ty).String()].run, d: t.target(&in.Operands[0], ty),
		a: t.source(chosen, ty), b: t.source(other, ty), c: t.source(&in.Operands[3], ptx.Pred),
	})
}
