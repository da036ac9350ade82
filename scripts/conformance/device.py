"""Makes the golden results of the conformance kernels on a GPU: device.py SOURCES OUT.

SOURCES is dynamic/testdata/conformance. Each kernel of its .cu files is compiled by nvcc and run; OUT gets
golden.txt (what the simulator must give), a .ptx file for each (the PTX that nvcc makes, for the simulator to
run) and full.json (every result, to look at differences). Needs nvcc on the PATH or in
/usr/local/cuda/bin, and no Python package.
"""
import ctypes, hashlib, json, os, re, shutil, struct, subprocess, sys

CELLS, COLUMNS = 256, 16
MASK = (1 << 64) - 1
cuda = ctypes.CDLL("libcuda.so.1")


def check(code, what):
    if code:
        raise RuntimeError(f"{what}: error {code}")


def numbers(count):
    """The splitmix64 sequence from 0, which the Go test has, too."""
    state, out = 0, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        out.append(z ^ (z >> 31))
    return struct.pack(f"<{count}Q", *out)


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


def launches(text):
    """The launch of each kernel that has a line "// launch BLOCKS THREADS [cooperative | cluster N]"."""
    found = {}
    for m in re.finditer(r"^// launch (\d+) (\S+)(?: (cooperative|cluster \d+))?\nKERNEL\((\w+)\)", text, re.M):
        block = [int(n) for n in m[2].strip("()").split(",")]
        found[m[4]] = (int(m[1]), block + [1] * (3 - len(block)), m[3] or "")
    return found


def run(module, name, launch, out, source):
    kernel = ctypes.c_void_p()
    check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, name.encode()), name)
    check(cuda.cuMemsetD8_v2(out, ctypes.c_ubyte(0), ctypes.c_size_t(8 * CELLS * COLUMNS)), "memset")
    blocks, threads, extra = launch
    attribute = Attribute()
    if extra == "cooperative":
        attribute.id, attribute.value[0] = 2, 1
    elif extra:
        attribute.id = 4
        attribute.value[0], attribute.value[1], attribute.value[2] = int(extra.split()[1]), 1, 1
    config = Config((ctypes.c_uint * 3)(blocks, 1, 1), (ctypes.c_uint * 3)(*threads), 0, None, ctypes.pointer(attribute), 1 if extra else 0)
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(source))
    check(cuda.cuLaunchKernelEx(ctypes.byref(config), kernel, arguments, None), name)
    check(cuda.cuCtxSynchronize(), name)
    result = ctypes.create_string_buffer(8 * CELLS * COLUMNS)
    check(cuda.cuMemcpyDtoH_v2(result, out, ctypes.c_size_t(len(result))), name)
    return result.raw


def column_hashes(raw):
    size, hashes = 8 * CELLS, []
    for c in range(COLUMNS):
        column = raw[c * size:(c + 1) * size]
        hashes.append(hashlib.sha256(column).hexdigest()[:8] if any(column) else "-")
    while hashes and hashes[-1] == "-":
        hashes.pop()
    return " ".join(hashes)


def values(raw):
    """The first 32 results of columns 0 and 1, which are of float and double."""
    return " ".join(raw[8 * i:8 * i + 4][::-1].hex() for i in range(32)) + " " + " ".join(
        raw[8 * (CELLS + i):8 * (CELLS + i) + 8][::-1].hex() for i in range(32))


def main(sources, to):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    check(cuda.cuInit(0), "cuInit")
    device, context, name = ctypes.c_int(), ctypes.c_void_p(), ctypes.create_string_buffer(100)
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "device")
    check(cuda.cuDeviceGetName(name, 100, device), "name")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
    check(cuda.cuCtxSetCurrent(context), "context")
    out, source = ctypes.c_uint64(), ctypes.c_uint64()
    data = numbers(CELLS * COLUMNS)
    for p in (out, source):
        check(cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(len(data))), "memory")
    check(cuda.cuMemcpyHtoD_v2(source, data, ctypes.c_size_t(len(data))), "memory")
    version = re.search(r"release (\S+),", subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout)[1]
    golden = [f"# Results of an {name.value.decode()}, built by nvcc {version}; scripts/conformance/device.py made this file.",
              "# A hash of each column of results; of functions that CUDA approximates, the first 32 results."]
    full = {}
    failed = 0
    for file in sorted(os.listdir(sources)):
        if not file.endswith(".cu"):
            continue
        path, base = os.path.join(sources, file), os.path.join("/tmp", file[:-3])
        commands = [[nvcc, "-std=c++17", "-arch=sm_90", f"-{kind}", "-o", f"{base}.{kind}", path] for kind in ("ptx", "cubin")]
        if any(subprocess.run(c).returncode for c in commands):
            failed += 1
            continue
        ptx, text = open(f"{base}.ptx").read(), open(path).read()
        open(os.path.join(to, f"{file[:-3]}.ptx"), "w").write(f"// By nvcc {version} (-arch=sm_90), of {file}.\n{ptx}")
        module = ctypes.c_void_p()
        check(cuda.cuModuleLoad(ctypes.byref(module), f"{base}.cubin".encode()), file)
        special = launches(text)
        for kernel in re.findall(r"\.visible \.entry (\w+)\(", ptx):
            try:
                raw = run(module, kernel, special.get(kernel, (4, [64, 1, 1], "")), out, source)
            except RuntimeError as e:
                print(file, e, flush=True)
                failed += 1
                continue
            full[kernel] = raw.rstrip(b"\0").hex()
            golden.append(f"{kernel}: {values(raw) if file == 'functions.cu' else column_hashes(raw)}")
            print(golden[-1][:100], flush=True)
    open(os.path.join(to, "golden.txt"), "w").write("\n".join(golden) + "\n")
    json.dump(full, open(os.path.join(to, "full.json"), "w"))
    print(len(full), "kernels,", failed, "failures")
    return failed > 0


sys.exit(main(sys.argv[1], sys.argv[2]))
