// This file carries the client library's source and compiles it.

package cudart

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/warplint/warplint/dynamic/toolchain"
)

//go:embed client
var client embed.FS

// LibraryName is the file name of the client library, and the name under which programs that
// nvcc built with -cudart shared ask for it.
const LibraryName = "libcudart.so.12"

// Library compiles the client library, once for each version of it and of the compiler, and
// returns its path.
func Library(ctx context.Context, t *toolchain.Toolchain) (string, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %d %s\n", t.Clang, t.Version, t.Include())
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
		args := []string{"-x", "c", "-std=gnu17", "-shared", "-fPIC", "-O2", "-w", "-isystem", t.Include(),
			"-Wl,-soname," + LibraryName, "-Wl,--version-script," + filepath.Join(dir, "client", "exports.map"),
			"-o", filepath.Join(dir, LibraryName), "-lpthread"}
		for _, f := range files {
			if strings.HasSuffix(f, ".c") {
				args = append(args, filepath.Join(dir, f))
			}
		}
		return t.Run(ctx, "the runtime library", args...)
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, LibraryName), nil
}
