// Package headers holds what the analysis knows of libraries that are all templates: headers of our own, in
// CUDA C++, that do to memory what the library promises and no more. They stand for the real ones, which take
// seconds to read and hang on the architecture.
package headers

import (
	"embed"
	"path"
	"strings"
	"sync"
)

//go:embed *.cuh
var files embed.FS

// texts are the headers by name, as programs include them.
var texts = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	entries, _ := files.ReadDir(".")
	for _, e := range entries {
		b, _ := files.ReadFile(e.Name())
		all[e.Name()] = Reserved(string(b))
	}
	return all
})

// Find returns the text that stands for an included file, and the name of it; ok is false for all that is not known.
// All headers of one library are one text. Those of the standard library stand in angle brackets.
func Find(include string, angled bool) (name, text string, ok bool) {
	switch {
	case strings.HasPrefix(include, "cub/"):
		name = "cub.cuh"
	case angled && standard[strings.TrimPrefix(include, "cuda/std/")]:
		name = "std.cuh"
	case angled && tuples[strings.TrimPrefix(strings.TrimPrefix(include, "cuda/std/"), "thrust/")]:
		name = "tuple.cuh"
	case angled && include == "memory":
		name = "memory.cuh"
	case angled && containers[include]:
		name = "containers.cuh"
	case strings.HasPrefix(include, "torch/") || strings.HasPrefix(include, "ATen/") || strings.HasPrefix(include, "c10/"):
		name = "torch.cuh"
	case strings.HasPrefix(include, "glm/"):
		name = "glm.cuh"
	case strings.HasPrefix(include, "Eigen/"):
		name = "eigen.cuh"
	case strings.HasPrefix(include, "opencv2/"):
		name = "opencv.cuh"
	case include == "mdspan" || include == "cuda/std/mdspan" || include == "experimental/mdspan":
		name = "mdspan.cuh"
	case complexes[include]:
		name = "complex.cuh"
	case angled && waiting[strings.TrimPrefix(strings.TrimPrefix(include, "cuda/"), "std/")]:
		name = "waiting.cuh"
	case include == "cuda/std/chrono":
		name = "chrono.cuh"
	case include == "assert.h" || include == "cassert":
		name = "assert.cuh"
	case include == "nv/target":
		name = "target.cuh"
	case include == "cuda/ptx" || include == "cuda/barrier":
		name = "ptx.cuh"
	default:
		return "", "", false
	}
	text, ok = texts()[name]
	return name, text, ok
}

// Absent is Find for a header that is not found, of those that programs bring along.
func Absent(include string) (name, text string, ok bool) {
	if !vectors[path.Base(include)] {
		return "", "", false
	}
	return "vectors.cuh", texts()["vectors.cuh"], true
}

// vectors are headers with arithmetic of CUDA's vectors, of NVIDIA's samples now and then.
var vectors = map[string]bool{"helper_math.h": true, "cutil_math.h": true}

// standard are the headers of the C++ standard library whose classes are known.
var standard = map[string]bool{"array": true, "utility": true, "span": true}

// containers are those whose classes only the host has.
var containers = map[string]bool{"vector": true, "initializer_list": true}

// waiting are those of libcu++ whose classes let threads wait for each other by atomics.
var waiting = map[string]bool{"latch": true, "semaphore": true}

// complexes are the headers that declare CUDA's own functions of complex numbers.
var complexes = map[string]bool{"cuComplex.h": true, "cufft.h": true, "cufftXt.h": true, "cublas_v2.h": true, "cublas.h": true}

// tuples are those whose classes stand in a text of their own, as few kernels need them.
var tuples = map[string]bool{"tuple": true, "tuple.h": true, "optional": true, "complex": true, "complex.h": true}
