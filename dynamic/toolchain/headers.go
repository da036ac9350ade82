// This file unpacks the headers that the binary carries.

package toolchain

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	shared "github.com/warplint/warplint/analysis/syntax/headers"
)

//go:embed all:include
var headers embed.FS

// forwarded are headers that only lead to others, * being the name: parts of the runtime's, those of CUB, which the static side
// reads, too, of Thrust, and of libcu++ where the host's library has the same.
var forwarded = map[string]struct{ text, names string }{
	"*.h": {"#include <cuda_runtime.h>\n", "channel_descriptor crt/device_double_functions crt/device_functions crt/host_config crt/math_functions cuda_device_runtime_api " +
		"cuda_surface_types cuda_texture_types cudart_platform " +
		"device_double_functions driver_functions host_config sm_20_atomic_functions sm_32_atomic_functions sm_32_intrinsics " +
		"sm_35_atomic_functions sm_61_intrinsics"},
	"*.hpp": {"#include <cuda_runtime.h>\n", "crt/device_functions crt/math_functions device_atomic_functions math_functions sm_60_atomic_functions sm_61_intrinsics " +
		"surface_functions texture_fetch_functions vector_functions"},
	"crt/*.h":                        {"#include <*.h>\n", "mma"},
	"cooperative_groups/details/*.h": {"#include <cooperative_groups.h>\n", "helpers partitioning"},
	"cuda_pipeline_*.h":              {"#include <cuda_pipeline.h>\n", "helpers primitives"},
	"curand_*.h": {"#include <curand_kernel.h>\n", "discrete discrete2 globals lognormal mrg32k3a mtgp32 mtgp32_host mtgp32_kernel mtgp32dc_p_11213 " +
		"normal normal_static philox4x32_x poisson precalc uniform"},
	"cublas*.h": {"#include <cublas_v2.h>\n", "_api"},
	"cuda*.h":   {"#include <cuda_profiler_api.h>\n", "Profiler"},
	"cuda_*.h":  {"#include <cuda_awbarrier_primitives.h>\n", "awbarrier awbarrier_helpers"},
	"nv*.h":     {"#include <nvtx3/nvToolsExt.h>\n", "ToolsExt ToolsExtCuda ToolsExtCudaRt tx3/nvToolsExtCuda tx3/nvToolsExtCudaRt"},
	"cuda/std/*": {"#include <*>\n#include <warplint/host_standard.h>\n", "algorithm array bit cassert cfloat climits cmath complex " +
		"concepts cstddef cstdint cstdlib cstring ctime exception initializer_list iterator limits memory new numbers numeric optional ranges ratio source_location string_view tuple " +
		"type_traits utility " +
		"variant version"},
	"cuda/*": {"#include <cuda/annotated_ptr>\n", "access_property discard_memory"},
	"cub/*.cuh": {"#include <cub/cub.cuh>\n", "block/block_adjacent_difference block/block_discontinuity block/block_exchange block/block_histogram block/block_load " +
		"block/block_merge_sort block/block_radix_sort block/block_reduce block/block_run_length_decode block/block_scan block/block_shuffle block/block_store " +
		"device/device_adjacent_difference device/device_copy device/device_for device/device_histogram device/device_memcpy device/device_merge " +
		"device/device_merge_sort device/device_partition device/device_radix_sort " +
		"device/device_reduce device/device_run_length_encode device/device_scan device/device_segmented_radix_sort device/device_segmented_reduce " +
		"device/device_segmented_sort device/device_select device/device_spmv device/device_transform " +
		"iterator/arg_index_input_iterator iterator/cache_modified_input_iterator " +
		"iterator/constant_input_iterator iterator/counting_input_iterator iterator/discard_output_iterator iterator/transform_input_iterator " +
		"util_allocator util_compiler util_cpp_dialect util_debug util_deprecated util_device " +
		"config thread/thread_load thread/thread_operators thread/thread_reduce thread/thread_scan thread/thread_search thread/thread_sort thread/thread_store util_arch util_macro util_math util_namespace util_ptx version " +
		"util_type warp/warp_exchange warp/warp_load warp/warp_merge_sort warp/warp_reduce warp/warp_scan warp/warp_store"},
	"thrust/*.h": {"#include <warplint/thrust.h>\n", "adjacent_difference advance binary_search copy count device_allocator " +
		"addressof detail/config detail/raw_pointer_cast detail/type_traits device_free device_malloc device_ptr device_reference device_vector distance " +
		"device_delete device_malloc_allocator device_new equal execution_policy extrema fill find for_each " +
		"functional gather generate host_vector inner_product iterator/constant_iterator iterator/counting_iterator " +
		"iterator/discard_iterator iterator/iterator_adaptor iterator/iterator_categories iterator/iterator_facade iterator/iterator_traits iterator/permutation_iterator iterator/reverse_iterator iterator/transform_iterator " +
		"iterator/transform_output_iterator iterator/zip_iterator limits logical memory " +
		"merge mismatch pair partition random reduce remove replace reverse " +
		"random/linear_congruential_engine random/normal_distribution random/uniform_int_distribution random/uniform_real_distribution " +
		"scan scatter sequence set_operations shuffle sort swap system_error system/cuda/error system/cuda/execution_policy system/cuda/memory " +
		"system/cuda/vector system/cpp/execution_policy system/omp/execution_policy tabulate " +
		"transform transform_reduce transform_scan tuple uninitialized_copy uninitialized_fill unique universal_allocator universal_vector version zip_function"},
}

// unpackHeaders writes the headers into the cache, unless they are there, and returns their
// folder.
func unpackHeaders() (string, error) {
	tree, err := fs.Sub(headers, "include")
	if err != nil {
		return "", err
	}
	_, collectives, _ := shared.Find("cub/cub.cuh", true)
	files := map[string]string{"cub/cub.cuh": collectives + "#include <cuda/version>\n#if __cplusplus >= 201402L && defined(__CUDA__)\n#include <warplint/cub_device.h>\n#endif\n"}
	_, files["nv/target"], _ = shared.Find("nv/target", true)
	for _, name := range []string{"helper_math.h", "cutil_math.h"} {
		_, files[name], _ = shared.Absent(name)
	}
	err = fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, path)
		files[path] = shared.Reserved(string(text))
		return err
	})
	if err != nil {
		return "", err
	}
	for path, library := range forwarded {
		for _, name := range strings.Fields(library.names) {
			files[strings.ReplaceAll(path, "*", name)] = strings.ReplaceAll(library.text, "*", name)
		}
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s\x00%d\x00%s", name, len(files[name]), files[name])
	}
	return Cached("include-"+hex.EncodeToString(h.Sum(nil)[:12]), func(dir string) error {
		for name, text := range files {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// Cached returns a folder of the user's cache whose name says all that its content depends on.
// If it isn't there, fill makes it in a temporary place, so that two processes can't disturb
// each other.
func Cached(name string, fill func(dir string) error) (string, error) {
	base, err := os.UserCacheDir()
	if err == nil {
		base = filepath.Join(base, "warplint")
		err = os.MkdirAll(base, 0o755)
	}
	if err != nil { // no home, or it may not be written
		base = filepath.Join(os.TempDir(), fmt.Sprintf("warplint-cache-%d", os.Getuid()))
		if err = os.MkdirAll(base, 0o700); err != nil {
			return "", fmt.Errorf("the cache folder %s: %w", base, err)
		}
	}
	dir := filepath.Join(base, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	temporary, err := os.MkdirTemp(base, name+".")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	if err := fill(temporary); err != nil {
		return "", err
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(temporary, dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return dir, nil // another process was faster
		}
		return "", err
	}
	return dir, nil
}
