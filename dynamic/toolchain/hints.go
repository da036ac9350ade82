// This file says what a compiler's message means where the reason is that warplint does not provide something.

package toolchain

import (
	"regexp"
	"strings"
)

var (
	missingHeader = regexp.MustCompile(`'([^'\n]+)' file not found`)
	// Headers of libraries that a toolkit has besides what we bring, by how their names begin.
	otherLibraries = regexp.MustCompile(`^(cublas(Lt|Xt)?\.h|cufft|cusparse|cusolver|cudnn|cutensor|cutlass|cute/|nvml|nvjpeg|nvJitLink|npp|nccl|cudaGL|cuda_gl|cudaEGL|cuda_egl|cudla|nvscibuf|nvshmem|cufile|cuda_d3d|cudaD3D|nvtx3/nvtx3\.hpp)`)
)

// missingName is a name as CUDA and its libraries have them, which nothing declares.
var missingName = regexp.MustCompile(`(?:undeclared identifier|unknown type name) '(CU\w+|(?:cuda|cu|curand|cublas|nvrtc)[A-Z_]\w*)'` +
	`|no (?:member|type|template) named '(\w+)' in (?:namespace '(?:thrust|cub|cuda|cooperative_groups|nvcuda)\b|'cuda)`)

// ourLibraries are those of which we bring a part.
var ourLibraries = regexp.MustCompile(`^(cuda/|cub/|thrust/|cooperative_groups/|nvtx3/|cuda_)`)

const provided = "warplint brings the runtime and driver API, cooperative groups, libcu++, CUB, Thrust, cuBLAS, cuRAND, NVRTC, NVTX and OpenMP"

// hint explains what stands in messages; empty if there is nothing to add.
func hint(messages string) string {
	if m := missingHeader.FindStringSubmatch(messages); m != nil {
		if otherLibraries.MatchString(m[1]) {
			return m[1] + " belongs to a library that is not simulated (" + provided + "); to check a kernel of this file, put what needs the library under #ifdef, or run the kernel alone from a file of its own with --kernel."
		}
		if ourLibraries.MatchString(m[1]) {
			return "What warplint brings of that library has no " + m[1] + "."
		}
		return "If " + m[1] + " is yours, name its folder with -I, or the folder of compile_commands.json with -p (" + provided + ")."
	}
	if m := missingName.FindStringSubmatch(messages); m != nil {
		return "If '" + m[1] + m[2] + "' is CUDA's, warplint's headers lack it: put what needs it under #ifdef, or run the kernel alone from a file of its own with --kernel."
	}
	if strings.Contains(messages, "reference to __global__ function") || strings.Contains(messages, "'__cudaPushCallConfiguration' in __") {
		return "A launch by a kernel has to name its kernel, with all template arguments; overloaded kernels and launches in macros are not understood there."
	}
	return ""
}
