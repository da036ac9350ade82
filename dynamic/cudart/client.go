// This file carries the client library's source and compiles it.

package cudart

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/warplint/warplint/dynamic/toolchain"
)

//go:embed client
var client embed.FS

// LibraryName is the file name of the client library that we link programs with. Programs that
// nvcc built with -cudart shared ask for their toolkit's version of it; see NeededLibrary.
const LibraryName = "libcudart.so.12"

// opened are the names by which programs open libraries as they run. All lead to one file, which the loader knows to be the one
// that is there.
var opened = []string{"libcuda.so", "libcuda.so.1", "libcudart.so", "libcudart.so.12", "libnvrtc.so", "libnvrtc.so.12"}

// Library compiles the client library under a name, once for each version of it and of the
// compiler, and returns its path.
func Library(ctx context.Context, t *toolchain.Toolchain, name string) (string, error) {
	if err := supported(); err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %d %s %s %s\n", t.Clang, t.Version, t.Include(), name, opened)
	files, err := fs.Glob(client, "client/*")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		text, err := client.ReadFile(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n", f, len(text))
		hash.Write(text)
	}
	dir, err := toolchain.Cached("cudart-"+hex.EncodeToString(hash.Sum(nil)[:12]), func(dir string) error {
		if err := os.CopyFS(dir, client); err != nil {
			return err
		}
		// Programs ask for symbols of a version that has the library's name.
		exports := filepath.Join(dir, "exports.map")
		more := ""
		if name == LibraryName { // a program that nvcc built has its own OpenMP
			more = " omp_*; __kmpc_*;"
		}
		script := name + " {\n  global: cu*; __cuda*; nvrtc*;" + more + "\n  local: *;\n};\n"
		if err := os.WriteFile(exports, []byte(script), 0o600); err != nil {
			return err
		}
		args := []string{"-DWARPLINT_RUNTIME=" + major(name), "-x", "c", "-std=gnu17", "-shared", "-fPIC", "-O2", "-w", "-isystem", t.Include(),
			"-Wl,-soname," + name, "-Wl,--version-script," + exports,
			"-o", filepath.Join(dir, name), "-lpthread", "-ldl"}
		for _, f := range files {
			if strings.HasSuffix(f, ".c") {
				args = append(args, filepath.Join(dir, f))
			}
		}
		for _, other := range opened {
			if other != name {
				if err := os.Symlink(name, filepath.Join(dir, other)); err != nil {
					return err
				}
			}
		}
		return t.Run(ctx, "the runtime library", args...)
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}

// major is the toolkit's version that a library's name tells: 12 for libcudart.so.12.
func major(name string) string {
	version := strings.TrimPrefix(name, "libcudart.so.")
	version, _, _ = strings.Cut(version, ".")
	return version
}

// NeededLibrary returns the name of the CUDA runtime that a compiled program asks for.
func NeededLibrary(program string) (string, error) {
	file, err := elf.Open(program)
	if err != nil {
		return "", fmt.Errorf("%s is no program of this machine: %w", program, err)
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil {
		return "", fmt.Errorf("%s: %w", program, err)
	}
	for _, l := range libraries {
		if strings.HasPrefix(l, "libcudart.so.") {
			if _, err := strconv.Atoi(major(l)); err != nil {
				return "", fmt.Errorf("%s asks for %s, which is no version of the CUDA runtime", program, l)
			}
			return l, nil
		}
	}
	return "", fmt.Errorf("%s does not use a shared CUDA runtime; build it with nvcc -cudart shared", program)
}
