// This file lists the opcodes, with the modifiers that each one may carry. Which combinations
// make sense is for the translation to know; what stands in no row is not PTX.

package ptx

import "strings"

// Opcode is the first part of a mnemonic.
type Opcode uint8

const (
	NoOpcode Opcode = iota
	Abs
	Activemask
	Add
	Addc
	Alloca
	And
	Applypriority
	Atom
	Bar
	Barrier
	Bfe
	Bfi
	Bfind
	Bmsk
	Bra
	Brev
	Brkpt
	Brx
	Call
	Clz
	Cnot
	Copysign
	Cos
	Cp
	Createpolicy
	Cvt
	Cvta
	Discard
	Div
	Dp2a
	Dp4a
	Elect
	Ex2
	Exit
	Fence
	Fma
	Fns
	Getctarank
	Griddepcontrol
	Isspacep
	Istypep
	Ld
	Ldmatrix
	Ldu
	Lg2
	Lop3
	Mad
	Mad24
	Madc
	Mapa
	Match
	Max
	Mbarrier
	Membar
	Min
	Mma
	Mov
	Movmatrix
	Mul
	Mul24
	Nanosleep
	Neg
	Not
	Or
	Pmevent
	Popc
	Prefetch
	Prefetchu
	Prmt
	Rcp
	Red
	Redux
	Rem
	Ret
	Rsqrt
	Sad
	Selp
	Set
	Setmaxnreg
	Setp
	Shf
	Shfl
	Shl
	Shr
	Sin
	Slct
	Sqrt
	St
	Stackrestore
	Stacksave
	Stmatrix
	Sub
	Subc
	Suld
	Suq
	Sured
	Sust
	Szext
	Tanh
	Testp
	Tex
	Tld4
	Trap
	Txq
	Vabsdiff
	Vabsdiff2
	Vabsdiff4
	Vadd
	Vadd2
	Vadd4
	Vavrg2
	Vavrg4
	Vmax
	Vmax2
	Vmax4
	Vmin
	Vmin2
	Vmin4
	Vset
	Vsub
	Vsub2
	Vsub4
	Vote
	Wmma
	Xor
)

const (
	cmpModifiers    = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"
	roundModifiers  = "rn rz rm rp rna"
	intRounding     = "rni rzi rmi rpi"
	spaceModifiers  = "global shared local const param shared::cta shared::cluster param::entry param::func"
	scopeModifiers  = "cta cluster gpu sys"
	orderModifiers  = "weak relaxed acquire release acq_rel sc volatile mmio"
	cacheModifiers  = "ca cg cs lu cv wb wt nc L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_last L2::evict_normal L2::evict_first L2::cache_hint L2::64B L2::128B L2::256B level::eviction_priority"
	vectorModifiers = "v2 v4 v8"
	texModifiers    = "1d 2d 3d a1d a2d cube acube 2dms a2dms level grad base unified sync aligned r g b a"
	warpModifiers   = "sync aligned"
)

// opcodes maps each mnemonic's first part to its opcode and modifiers.
var opcodes = map[string]opcodeInfo{}

type opcodeInfo struct {
	op        Opcode
	modifiers map[string]string // to itself, so that modifiers do not keep the text alive
}

var opcodeNames [Xor + 1]string

func (op Opcode) String() string { return opcodeNames[op] }

func define(op Opcode, name string, modifiers ...string) {
	info := opcodeInfo{op, map[string]string{}}
	for _, m := range strings.Fields(strings.Join(modifiers, " ")) {
		info.modifiers[m] = m
	}
	opcodes[name] = info
	opcodeNames[op] = name
}

func init() {
	defineArithmetic()
	defineLogic()
	defineMemory()
	defineControl()
	defineTensor()
}

func defineArithmetic() {
	define(Abs, "abs", "ftz")
	define(Add, "add", roundModifiers, "sat ftz cc")
	define(Addc, "addc", "cc")
	define(Copysign, "copysign")
	define(Cos, "cos", "approx ftz")
	define(Cvt, "cvt", roundModifiers, intRounding, "ftz sat relu satfinite pack rs")
	define(Div, "div", roundModifiers, "approx full ftz")
	define(Dp2a, "dp2a", "lo hi")
	define(Dp4a, "dp4a")
	define(Ex2, "ex2", "approx ftz")
	define(Fma, "fma", roundModifiers, "ftz sat relu oob")
	define(Lg2, "lg2", "approx ftz")
	define(Mad, "mad", roundModifiers, "hi lo wide sat ftz cc")
	define(Mad24, "mad24", "hi lo sat")
	define(Madc, "madc", "hi lo cc")
	define(Max, "max", "ftz NaN xorsign abs relu")
	define(Min, "min", "ftz NaN xorsign abs relu")
	define(Mul, "mul", roundModifiers, "hi lo wide sat ftz")
	define(Mul24, "mul24", "hi lo")
	define(Neg, "neg", "ftz")
	define(Rcp, "rcp", roundModifiers, "approx ftz ftz64h")
	define(Rem, "rem")
	define(Rsqrt, "rsqrt", "approx ftz")
	define(Sad, "sad")
	define(Sin, "sin", "approx ftz")
	define(Sqrt, "sqrt", roundModifiers, "approx ftz")
	define(Sub, "sub", roundModifiers, "sat ftz cc")
	define(Subc, "subc", "cc")
	define(Tanh, "tanh", "approx")
	define(Testp, "testp", "finite infinite number notanumber normal subnormal")
	for op, name := range map[Opcode]string{
		Vadd: "vadd", Vsub: "vsub", Vabsdiff: "vabsdiff", Vmin: "vmin", Vmax: "vmax",
		Vadd2: "vadd2", Vsub2: "vsub2", Vavrg2: "vavrg2", Vabsdiff2: "vabsdiff2", Vmin2: "vmin2", Vmax2: "vmax2",
		Vadd4: "vadd4", Vsub4: "vsub4", Vavrg4: "vavrg4", Vabsdiff4: "vabsdiff4", Vmin4: "vmin4", Vmax4: "vmax4",
	} {
		define(op, name, "sat add min max")
	}
}

func defineLogic() {
	define(And, "and")
	define(Bfe, "bfe")
	define(Bfi, "bfi")
	define(Bfind, "bfind", "shiftamt")
	define(Bmsk, "bmsk", "clamp wrap")
	define(Brev, "brev")
	define(Clz, "clz")
	define(Cnot, "cnot")
	define(Fns, "fns")
	define(Lop3, "lop3", "or and")
	define(Mov, "mov")
	define(Not, "not")
	define(Or, "or")
	define(Popc, "popc")
	define(Prmt, "prmt", "f4e b4e rc8 ecl ecr rc16")
	define(Selp, "selp")
	define(Set, "set", cmpModifiers)
	define(Setp, "setp", cmpModifiers)
	define(Shf, "shf", "l r clamp wrap")
	define(Shl, "shl")
	define(Shr, "shr")
	define(Slct, "slct", "ftz")
	define(Szext, "szext", "clamp wrap")
	define(Vset, "vset", cmpModifiers, "add min max")
	define(Xor, "xor")
}

func defineMemory() {
	define(Alloca, "alloca")
	define(Applypriority, "applypriority", spaceModifiers, cacheModifiers)
	define(Atom, "atom", spaceModifiers, scopeModifiers, orderModifiers, cacheModifiers, vectorModifiers,
		"and or xor cas exch add inc dec min max noftz")
	define(Cp, "cp", spaceModifiers, scopeModifiers, orderModifiers, cacheModifiers,
		"async bulk commit_group wait_group wait_all mbarrier arrive noinc read bulk_group tensor prefetch reduce L2",
		"1d 2d 3d 4d 5d tile im2col im2col_no_offs tile::gather4 tile::scatter4 im2col::w im2col::w::128 cta_group::1 cta_group::2",
		"and or xor add inc dec min max noftz",
		"mbarrier::complete_tx::bytes multicast::cluster")
	define(Createpolicy, "createpolicy", cacheModifiers, "fractional range")
	define(Cvta, "cvta", spaceModifiers, "to")
	define(Discard, "discard", spaceModifiers, "L2")
	define(Fence, "fence", scopeModifiers, orderModifiers,
		"proxy alias async async::generic tensormap::generic mbarrier_init global shared::cta shared::cluster sync_restrict::shared::cta sync_restrict::shared::cluster")
	define(Isspacep, "isspacep", spaceModifiers)
	define(Istypep, "istypep")
	define(Ld, "ld", spaceModifiers, scopeModifiers, orderModifiers, cacheModifiers, vectorModifiers)
	define(Ldu, "ldu", spaceModifiers, vectorModifiers)
	define(Mapa, "mapa", spaceModifiers)
	define(Getctarank, "getctarank", spaceModifiers)
	define(Mbarrier, "mbarrier", spaceModifiers, scopeModifiers, orderModifiers,
		"init inval arrive arrive_drop noComplete expect_tx complete_tx test_wait try_wait parity pending_count")
	define(Membar, "membar", "cta gl sys proxy alias")
	define(Prefetch, "prefetch", spaceModifiers, "L1 L2 tensormap", cacheModifiers)
	define(Prefetchu, "prefetchu", "L1")
	define(Red, "red", spaceModifiers, scopeModifiers, orderModifiers, cacheModifiers, vectorModifiers,
		"and or xor add inc dec min max noftz async mbarrier::complete_tx::bytes")
	define(St, "st", spaceModifiers, scopeModifiers, orderModifiers, cacheModifiers, vectorModifiers,
		"async mbarrier::complete_tx::bytes")
	define(Stackrestore, "stackrestore")
	define(Stacksave, "stacksave")
	define(Suld, "suld", texModifiers, vectorModifiers, cacheModifiers, "trap clamp zero")
	define(Suq, "suq", "width height depth channel_data_type channel_order array_size memory_layout")
	define(Sured, "sured", texModifiers, "add min max and or trap clamp zero p")
	define(Sust, "sust", texModifiers, vectorModifiers, cacheModifiers, "trap clamp zero p")
	define(Tex, "tex", texModifiers, vectorModifiers)
	define(Tld4, "tld4", texModifiers, vectorModifiers)
	define(Txq, "txq", "width height depth channel_data_type channel_order normalized_coords array_size num_mipmap_levels num_samples filter_mode addr_mode_0 addr_mode_1 addr_mode_2 level")
}

func defineControl() {
	define(Activemask, "activemask")
	define(Bar, "bar", warpModifiers, "warp arrive red popc and or cta")
	define(Barrier, "barrier", warpModifiers, "arrive red popc and or cta cluster wait acquire release relaxed")
	define(Bra, "bra", "uni")
	define(Brkpt, "brkpt")
	define(Brx, "brx", "idx uni")
	define(Call, "call", "uni")
	define(Elect, "elect", warpModifiers)
	define(Exit, "exit")
	define(Griddepcontrol, "griddepcontrol", "launch_dependents wait")
	define(Match, "match", "any all", warpModifiers)
	define(Nanosleep, "nanosleep")
	define(Pmevent, "pmevent", "mask")
	define(Redux, "redux", warpModifiers, "add min max and or xor abs NaN")
	define(Ret, "ret", "uni")
	define(Setmaxnreg, "setmaxnreg", "inc dec", warpModifiers)
	define(Shfl, "shfl", "up down bfly idx", warpModifiers)
	define(Trap, "trap")
	define(Vote, "vote", "all any uni ballot", warpModifiers)
}

func defineTensor() {
	define(Ldmatrix, "ldmatrix", warpModifiers, spaceModifiers, "m8n8 x1 x2 x4 trans")
	define(Mma, "mma", warpModifiers, "row col satfinite xor and popc", roundModifiers,
		"m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256")
	define(Movmatrix, "movmatrix", warpModifiers, "m8n8 trans")
	define(Stmatrix, "stmatrix", warpModifiers, spaceModifiers, "m8n8 x1 x2 x4 trans")
	define(Wmma, "wmma", warpModifiers, spaceModifiers, "load store mma a b c d row col satfinite xor and popc", roundModifiers,
		"m8n8k4 m8n8k32 m8n8k128 m16n16k8 m16n16k16 m8n32k16 m32n8k16")
}
