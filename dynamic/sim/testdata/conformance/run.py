"""Runs the kernels of the conformance test on a GPU through the CUDA driver: run.py inputs.json [full.json].

Prints golden.txt; full.json gets all results, to look at differences.
"""
import ctypes, hashlib, json, sys

cuda = ctypes.CDLL("libcuda.so.1")
THREADS = 2048

def check(code):
    if code:
        raise RuntimeError(f"error {code}")

check(cuda.cuInit(0))
device, context = ctypes.c_int(), ctypes.c_void_p()
check(cuda.cuDeviceGet(ctypes.byref(device), 0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
check(cuda.cuCtxSetCurrent(context))

def allocate(size):
    p = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(size)))
    return p

out, source = allocate(8 * THREADS), allocate(8 * THREADS * 4)

def run(case):
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    code = cuda.cuModuleLoadData(ctypes.byref(module), case["ptx"].encode() + b"\0")
    if code:
        return None
    check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"kernel"))
    check(cuda.cuMemsetD8_v2(out, ctypes.c_ubyte(0), ctypes.c_size_t(8 * THREADS)))
    data = bytes.fromhex("".join(inputs[key] for key in case["inputs"]))
    check(cuda.cuMemcpyHtoD_v2(source, data, ctypes.c_size_t(len(data))))
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(source))
    check(cuda.cuLaunchKernel(kernel, THREADS // 32, 1, 1, 32, 1, 1, 0, None, arguments, None))
    check(cuda.cuCtxSynchronize())
    result = ctypes.create_string_buffer(8 * THREADS)
    check(cuda.cuMemcpyDtoH_v2(result, out, ctypes.c_size_t(8 * THREADS)))
    cuda.cuModuleUnload(module)
    return result.raw

full = {}
print("# Results of an H100, written by run.py: a hash of them, or those of the first 64 threads.")
everything = json.load(open(sys.argv[1]))
inputs = everything["inputs"]
for case in everything["cases"]:
    result = run(case)
    if result is None:
        print(f"{case['name']}: invalid")
        continue
    full[case["name"]] = result.hex()
    if case["approx"]:
        words = [result[8 * i:8 * i + 4][::-1].hex() for i in range(64)]
        print(f"{case['name']}: {' '.join(words)}")
    else:
        print(f"{case['name']}: {hashlib.sha256(result).hexdigest()[:16]}")
if len(sys.argv) > 2:
    json.dump(full, open(sys.argv[2], "w"))
