package lower

// This file knows the names that CUDA gives a kernel without a declaration: the thread
// variables, and the table through which intrinsics are called.

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/syntax"
)

// callSite is the call of an intrinsic.
type callSite struct {
	n        *syntax.Node // the call
	nameNode *syntax.Node // the callee's name
	name     string
	targs    *syntax.Node // template argument list, or nil
	args     []argument
}

// intrinsic lowers a call of a function that CUDA or its libraries define.
type intrinsic func(l *lowerer, c *callSite) value

var intrinsics map[string]intrinsic

func init() {
	intrinsics = map[string]intrinsic{}
	for _, table := range []map[string]intrinsic{syncTable(), atomicTable(), memoryTable(), mathTable(), warpTable(), groupTable(), libTable(), hostTable(), randomTable(), matrixTable()} {
		for name, f := range table {
			intrinsics[name] = f
		}
	}
}

// findBuiltin looks an intrinsic up under the names that it may go by; std:: does not count.
func findBuiltin(canon []string) intrinsic {
	for _, name := range canon {
		for _, prefix := range []string{"std::", "cuda::std::", "::"} {
			if len(name) > len(prefix) && name[:len(prefix)] == prefix {
				name = name[len(prefix):]
			}
		}
		if f := intrinsics[name]; f != nil {
			return f
		}
	}
	return nil
}

// builtinCall lowers the call of a name that the unit does not define.
func (l *lowerer) builtinCall(n, nameNode *syntax.Node, r nameRef, list *syntax.Node) value {
	args := l.arguments(list)
	if r.rec != nil && r.rec.lib == libLimits {
		return l.limit(r.rec.args[0].t, r.name)
	}
	if f := findBuiltin(r.canon); f != nil {
		return f(l, &callSite{n: n, nameNode: nameNode, name: r.name, targs: r.args, args: args})
	}
	if fs := l.adl(&fnset{name: r.name, args: r.args, scope: l.scope}, args); fs != nil {
		if c := l.choose(fs, args); c != nil {
			return l.inlineMember(n, c, fs, args)
		}
	}
	if v, ok := l.groupADL(n, nameNode, r, args); ok {
		return v
	}
	if l.host {
		return l.hostCall(n, r, args)
	}
	return l.opaqueCall(n, "undeclared function "+r.name, args)
}

// arg is a call's argument converted to a type.
func (c *callSite) arg(l *lowerer, i int, t *ctype) ir.Expr {
	if i >= len(c.args) {
		return zero(t.ir())
	}
	return l.toScalar(c.args[i].v, t, c.args[i].n)
}

// value is a call's argument, read.
func (c *callSite) value(l *lowerer, i int) value {
	return l.unwrap(l.load(l.operand(c.args[i].v, c.args[i].n), c.args[i].n), c.args[i].n)
}

// rejectArity is the result of an intrinsic that is called with more, fewer or other arguments than it is known for.
func (l *lowerer) rejectArity(c *callSite) value {
	return l.opaqueCall(c.n, "call of "+c.name+" with unusual arguments", c.args)
}

var threadVars = map[string]ir.BuiltinVar{"threadIdx": ir.ThreadIdx, "blockIdx": ir.BlockIdx, "blockDim": ir.BlockDim, "gridDim": ir.GridDim}

// threadVariable is threadIdx.x and its kin.
func (l *lowerer) threadVariable(name, axis string) (value, bool) {
	v, ok := threadVars[name]
	if !ok || len(axis) != 1 || axis[0] < 'x' || axis[0] > 'z' {
		return value{}, false
	}
	return rval(tUInt, &ir.Builtin{Var: v, Axis: int(axis[0] - 'x')}), true
}

// builtinName is the value of a name that the unit does not declare.
func (l *lowerer) builtinName(n *syntax.Node, r nameRef) value {
	if !r.qual {
		if v, ok := l.memberByName(n, r.name, nil); ok {
			return v
		}
	} else if r.rec != nil {
		if v, ok := l.memberByName(n, r.name, r.rec); ok {
			return v
		}
	}
	if v, ok := threadVars[r.name]; ok {
		t := vectorTypes["uint3"]
		if v == ir.BlockDim || v == ir.GridDim {
			t = vectorTypes["dim3"]
		}
		agg := value{t: t, cat: vAgg, name: r.name}
		for i := range 3 {
			agg.elems = append(agg.elems, rval(tUInt, &ir.Builtin{Var: v, Axis: i}))
		}
		return agg
	}
	for _, name := range r.canon {
		if v, ok := l.builtinConstant(name); ok {
			return v
		}
	}
	if v, ok := l.traitVariable(r); ok {
		return v
	}
	if findBuiltin(r.canon) != nil {
		return value{t: &ctype{kind: kFunc, elem: tVoid}, cat: vFns, fns: &fnset{name: r.name, args: r.args, scope: l.scope, canon: r.canon}}
	}
	return value{t: opaque("unknown"), cat: vPoison, reason: "undeclared name " + r.name}
}

// builtinConstant knows constants of CUDA's and the C library's headers.
func (l *lowerer) builtinConstant(name string) (value, bool) {
	if name == "warpSize" {
		return rval(tInt, constInt(ir.I32, 32)), true
	}
	if s, ok := threadScopes[name]; ok {
		return rval(tInt, constInt(ir.I32, int64(s))), true
	}
	if o, ok := memoryOrders[name]; ok {
		return rval(tInt, constInt(ir.I32, int64(o))), true
	}
	if v, ok := headerConstants[name]; ok {
		return v, true
	}
	return value{}, false
}

var threadScopes = map[string]race.Scope{
	"cuda::thread_scope_system": race.ScopeSystem, "cuda::thread_scope_device": race.ScopeDevice,
	"cuda::thread_scope_block": race.ScopeBlock, "cuda::thread_scope::thread_scope_block": race.ScopeBlock, "cuda::thread_scope::thread_scope_device": race.ScopeDevice, "cuda::thread_scope::thread_scope_system": race.ScopeSystem, "cuda::thread_scope_thread": race.ScopeNone,
	"__NV_THREAD_SCOPE_SYSTEM": race.ScopeSystem, "__NV_THREAD_SCOPE_DEVICE": race.ScopeDevice,
	"__NV_THREAD_SCOPE_CLUSTER": race.ScopeCluster, "__NV_THREAD_SCOPE_BLOCK": race.ScopeBlock, "__NV_THREAD_SCOPE_THREAD": race.ScopeNone,
}

var memoryOrders = memoryOrderNames()

func memoryOrderNames() map[string]ir.Order {
	m := map[string]ir.Order{
		"__NV_ATOMIC_RELAXED": ir.Relaxed, "__NV_ATOMIC_CONSUME": ir.Acquire, "__NV_ATOMIC_ACQUIRE": ir.Acquire, "__NV_ATOMIC_RELEASE": ir.Release,
		"__NV_ATOMIC_ACQ_REL": ir.AcqRel, "__NV_ATOMIC_SEQ_CST": ir.SeqCst,
	}
	for name, o := range map[string]ir.Order{"relaxed": ir.Relaxed, "consume": ir.Acquire, "acquire": ir.Acquire, "release": ir.Release, "acq_rel": ir.AcqRel, "seq_cst": ir.SeqCst} {
		for _, ns := range []string{"", "std::", "cuda::", "cuda::std::"} {
			m[ns+"memory_order_"+name] = o
			m[ns+"memory_order::"+name] = o
		}
	}
	return m
}

var headerConstants = map[string]value{
	"cuda::pipeline_role::producer": rval(tRole, constInt(ir.I32, roleProducer)), "cuda::pipeline_role::consumer": rval(tRole, constInt(ir.I32, roleConsumer)),
	"INT_MAX": intValue(1<<31 - 1), "INT_MIN": intValue(-1 << 31), "UINT_MAX": rval(tUInt, constInt(ir.U32, 1<<32-1)),
	"SHRT_MAX": intValue(1<<15 - 1), "SHRT_MIN": intValue(-1 << 15), "USHRT_MAX": intValue(1<<16 - 1),
	"CHAR_MAX": intValue(127), "CHAR_MIN": intValue(-128), "UCHAR_MAX": intValue(255), "CHAR_BIT": intValue(8), "RAND_MAX": intValue(1<<31 - 1),
	"LONG_MAX": rval(tLong, constInt(ir.I64, 1<<63-1)), "LLONG_MAX": rval(tLLong, constInt(ir.I64, 1<<63-1)), "ULLONG_MAX": rval(tULLong, constInt(ir.U64, -1)),
	"ULONG_MAX": rval(tULong, constInt(ir.U64, -1)), "LLONG_MIN": rval(tLLong, constInt(ir.I64, -1<<63)), "LONG_MIN": rval(tLong, constInt(ir.I64, -1<<63)),
	"INT32_MAX": intValue(1<<31 - 1), "UINT32_MAX": rval(tUInt, constInt(ir.U32, 1<<32-1)), "INT64_MAX": rval(tLong, constInt(ir.I64, 1<<63-1)),
	"UINT64_MAX": rval(tULong, constInt(ir.U64, -1)), "INT8_MAX": intValue(127), "UINT8_MAX": intValue(255), "INT16_MAX": intValue(1<<15 - 1), "UINT16_MAX": intValue(1<<16 - 1),
	"SIZE_MAX": rval(tULong, constInt(ir.U64, -1)),
	"FLT_MAX":  rval(tFloat, &ir.Const{T: ir.F32, Bits: 0x7f7fffff}), "FLT_MIN": rval(tFloat, &ir.Const{T: ir.F32, Bits: 0x00800000}),
	"FLT_EPSILON": rval(tFloat, &ir.Const{T: ir.F32, Bits: 0x34000000}), "DBL_EPSILON": rval(tDouble, &ir.Const{T: ir.F64, Bits: 0x3cb0000000000000}),
	"DBL_MAX": rval(tDouble, &ir.Const{T: ir.F64, Bits: 0x7fefffffffffffff}), "DBL_MIN": rval(tDouble, &ir.Const{T: ir.F64, Bits: 0x0010000000000000}),
	"INFINITY": rval(tFloat, &ir.Const{T: ir.F32, Bits: 0x7f800000}), "NAN": rval(tFloat, &ir.Const{T: ir.F32, Bits: 0x7fc00000}),
	"HUGE_VALF": rval(tFloat, &ir.Const{T: ir.F32, Bits: 0x7f800000}), "HUGE_VAL": rval(tDouble, &ir.Const{T: ir.F64, Bits: 0x7ff0000000000000}),
	"CUDART_INF_F": rval(tFloat, &ir.Const{T: ir.F32, Bits: 0x7f800000}), "CUDART_INF": rval(tDouble, &ir.Const{T: ir.F64, Bits: 0x7ff0000000000000}),
	"M_PI": rval(tDouble, ir.FloatConst(ir.F64, 3.14159265358979323846)), "M_PI_2": rval(tDouble, ir.FloatConst(ir.F64, 1.57079632679489661923)),
	"M_PI_4": rval(tDouble, ir.FloatConst(ir.F64, 0.78539816339744830962)), "M_E": rval(tDouble, ir.FloatConst(ir.F64, 2.7182818284590452354)),
	"M_SQRT2": rval(tDouble, ir.FloatConst(ir.F64, 1.41421356237309504880)), "M_LN2": rval(tDouble, ir.FloatConst(ir.F64, 0.69314718055994530942)),
	"M_2_PI": rval(tDouble, ir.FloatConst(ir.F64, 0.63661977236758134308)), "M_1_PI": rval(tDouble, ir.FloatConst(ir.F64, 0.31830988618379067154)),
	"M_SQRT1_2": rval(tDouble, ir.FloatConst(ir.F64, 0.70710678118654752440)), "M_LOG2E": rval(tDouble, ir.FloatConst(ir.F64, 1.4426950408889634074)),
	"CUDART_PI_F": rval(tFloat, ir.FloatConst(ir.F32, 3.141592654)), "CUDART_PI": rval(tDouble, ir.FloatConst(ir.F64, 3.14159265358979323846)),
	"NULL": rval(tNull, zero(ir.Ptr)), "EXIT_SUCCESS": intValue(0), "EXIT_FAILURE": intValue(1), "cudaSuccess": intValue(0), "cudaLaunchAttributeCooperative": intValue(2), "cudaLaunchAttributeClusterDimension": intValue(clusterDimension), "EOF": intValue(-1),
	"cudaMemcpyHostToHost": intValue(0), "cudaMemcpyHostToDevice": intValue(1), "cudaMemcpyDeviceToHost": intValue(2), "cudaMemcpyDeviceToDevice": intValue(3), "cudaMemcpyDefault": intValue(4),
	"cudaHostAllocDefault": intValue(0), "cudaHostAllocPortable": intValue(1), "cudaHostAllocMapped": intValue(2), "cudaMemAttachGlobal": intValue(1), "cudaMemAttachHost": intValue(2),
	"cudaStreamNonBlocking": intValue(1), "cudaStreamPerThread": rval(tNull, zero(ir.Ptr)),
	// Words that the grammar takes for types, as in `T v(f(true));`.
	"true": rval(tBool, constBool(true)), "false": rval(tBool, constBool(false)), "nullptr": rval(tNull, zero(ir.Ptr)),
}
