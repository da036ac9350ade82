package syntax

// This file names what is defined before the first line: the compiler's own macros, and
// macros of headers that the analysis does without.

import (
	"strconv"
	"strings"
	"sync"

	"github.com/warplint/warplint/analysis/source"
)

// defaultArch is __CUDA_ARCH__ where nothing says otherwise: sm_80.
const defaultArch = 800

// reserved are the words of CUDA C++ that the grammar knows and that CUDA's headers define as
// attributes; no definition and no #undef of them counts.
var reserved = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`__global__ __device__ __host__ __shared__ __constant__ __managed__
		__grid_constant__ __forceinline__ __noinline__ __launch_bounds__ __restrict__ __restrict`) {
		words[w] = true
	}
	return words
}()

// builtins is the text of the predefined macros: a 64-bit Linux host with nvcc 12 and GCC, and
// the device of __CUDA_ARCH__ at once. Numbers of limits stand for headers that are often
// absent. nvcc has read cuda_runtime.h before the first line, which its guards tell. Attributes that
// mean nothing to the analysis, and which the grammar takes for something else, are empty. The loops over all threads of a
// grid go by these names in Caffe and in what has come of it, each with a header of its own.
const builtins = `
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#define __CUDA_RUNTIME_H__ 1
#define __CUDA_RUNTIME_API_H__ 1
#define __DRIVER_TYPES_H__ 1
#define __cplusplus 201703L
#define __STDC__ 1
#define __STDC_HOSTED__ 1
#define __GNUC__ 12
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 0
#define __GNUG__ 12
#define __linux__ 1
#define __linux 1
#define linux 1
#define __gnu_linux__ 1
#define __unix__ 1
#define __unix 1
#define unix 1
#define __ELF__ 1
#define __x86_64__ 1
#define __x86_64 1
#define __amd64__ 1
#define __LP64__ 1
#define _LP64 1
#define __CHAR_BIT__ 8
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#define __BYTE_ORDER__ 1234
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __INT_MAX__ 2147483647
#define __DATE__ "Jan  1 1970"
#define __TIME__ "00:00:00"
#define __typeof__(x) std::remove_reference_t<decltype(x)>
#define __typeof(x) std::remove_reference_t<decltype(x)>
#define typeof(x) std::remove_reference_t<decltype(x)>

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647-1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L-1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL-1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647-1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807L-1)
#define INT64_MAX 9223372036854775807L
#define UINT64_MAX 18446744073709551615UL
#define SIZE_MAX 18446744073709551615UL
#define FLT_MIN 1.17549435e-38F
#define FLT_MAX 3.40282347e+38F
#define FLT_EPSILON 1.19209290e-7F
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647

#define CUDART_CB
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#define CUDA_CB
#define __device_builtin__
#define __cudart_builtin__
#define __builtin_align__(n) alignas(n)
#define __align__(n) alignas(n)
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __block_size__(...) __attribute__((block_size(__VA_ARGS__)))
#define __maxnreg__(n)
#define __nv_pure__
#define __nv_tex_surf_type__
#define __extension__
#define __inline__ inline
#define __inline inline
#define __const const
#define __const__ const
#define __volatile volatile
#define __volatile__ volatile
#define __signed signed
#define __signed__ signed
#define __thread thread_local
#define __cdecl
#define __stdcall
#define _Pragma(text)
#define __pragma(text)
#define CUDA_KERNEL_LOOP_TYPE(i, n, T) for (T i = (T)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (T)blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_1D_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_1D_KERNEL_LOOP_T(i, n, T) CUDA_KERNEL_LOOP_TYPE(i, n, T)
#define GPU_1D_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
`

// predefined holds the macros that do not depend on a unit's Config. It is not to be changed.
var predefined = sync.OnceValue(func() *preprocessor {
	p := &preprocessor{macros: map[string]*macro{}}
	p.defineAll(builtins)
	for name, f := range map[string]func(*preprocessor, token) string{
		"__LINE__": func(_ *preprocessor, t token) string {
			return strconv.Itoa(t.from.file.Position(t.from.offset(int(t.start))).Line)
		},
		"__FILE__": func(_ *preprocessor, t token) string { return strconv.Quote(t.from.file.Path) },
		"__COUNTER__": func(p *preprocessor, _ token) string {
			p.counter++
			return strconv.Itoa(p.counter - 1)
		},
	} {
		p.set(&macro{name: name, builtin: f})
	}
	return p
})

// defineAll reads lines of #define.
func (p *preprocessor) defineAll(lines string) {
	t := newText(source.New("", lines))
	for start := 0; start < len(t.text); {
		end := start + strings.IndexByte(t.text[start:], '\n')
		if strings.HasPrefix(t.text[start:end], "#define ") {
			p.set(define(t, start+len("#define "), end))
		}
		start = end + 1
	}
}

// configure sets the macros that the unit's Config asks for.
func (p *preprocessor) configure() {
	arch := p.cfg.Arch
	if arch == 0 {
		arch = defaultArch
	}
	p.defineAll("#define __CUDA_ARCH__ " + strconv.Itoa(arch) + "\n#define __CUDA_ARCH_LIST__ " + strconv.Itoa(arch) + "\n")
	for _, d := range p.cfg.Defines {
		p.commandLineDefine(d)
	}
	if p.macros["NDEBUG"] != nil { // whoever includes <assert.h>, perhaps a header that is not found
		p.defineAll("#define assert(condition) ((void)0)\n")
	}
	for _, name := range p.cfg.Undefines {
		if !reserved[name] {
			delete(p.macros, name)
		}
	}
}

// commandLineDefine defines what -D names: NAME, NAME=VALUE or NAME(PARAMS)=VALUE.
func (p *preprocessor) commandLineDefine(d string) {
	name, value, given := strings.Cut(d, "=")
	if !given {
		value = "1"
	}
	line := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, name+" "+value)
	if m := define(newText(source.New("", line)), 0, len(line)); m != nil && !reserved[m.name] {
		p.set(m)
	} else if m == nil {
		p.problem(source.Span{File: p.path}, "-D%s is not understood", d)
	}
}
