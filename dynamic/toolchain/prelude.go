// This file keeps what clang makes of the runtime's header, with which each CUDA file begins: to read it takes longer than most programs do.

package toolchain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
)

const runtimeHeader = "cuda_runtime.h"

// preludes are the folders of precompiled headers, "" for one that this clang does not make.
var preludes struct {
	sync.Mutex
	folders map[string]string
}

// prelude returns the arguments that put the runtime's header before a file that is compiled in a mode: precompiled unless
// what the user has asked for may change what it says.
func (t *Toolchain) prelude(ctx context.Context, o *Options, mode []string) []string {
	plain := []string{"-include", runtimeHeader}
	if len(o.Includes)+len(o.Defines)+len(o.Undefines) > 0 || slices.Contains(mode, openMP) {
		return plain
	}
	of := &Options{Standard: o.Standard, Architecture: o.Architecture, NoContraction: o.NoContraction}
	args := slices.Concat(t.language(of), mode, of.common())
	h := sha256.New()
	fmt.Fprintf(h, "%q", append(args, t.Clang, t.version, os.Getenv("CPATH"), os.Getenv("CPLUS_INCLUDE_PATH")))
	name := "prelude-" + hex.EncodeToString(h.Sum(nil)[:12])
	preludes.Lock()
	defer preludes.Unlock()
	folder, known := preludes.folders[name]
	if !known {
		var err error
		folder, err = Cached(name, func(dir string) error {
			args := slices.Concat(args, []string{"-S", "-emit-llvm", "-Xclang", "-emit-pch", "-o", filepath.Join(dir, precompiled), filepath.Join(t.include, "warplint", "prelude.h")})
			return t.Run(ctx, runtimeHeader, args...)
		})
		if err != nil && ctx.Err() != nil {
			return plain
		}
		if preludes.folders == nil {
			preludes.folders = map[string]string{}
		}
		preludes.folders[name] = folder
	}
	if folder == "" {
		return plain
	}
	return []string{"-Xclang", "-fmodules-validate-system-headers", "-Xclang", "-include-pch", "-Xclang", filepath.Join(folder, precompiled)}
}

const precompiled = "prelude.pch"

// stale is what clang says of a precompiled header that is not, or no longer, of use: a header of the system has changed.
var stale = regexp.MustCompile(`precompiled header|PCH file|AST file`)

// withoutPrelude returns the arguments with the header itself in place of the precompiled one that clang refused, which it removes.
func withoutPrelude(args []string, err error) ([]string, bool) {
	var refused *CompileError
	at := slices.Index(args, "-include-pch")
	if at < 0 || !errors.As(err, &refused) || !stale.MatchString(refused.Messages) {
		return nil, false
	}
	folder := filepath.Dir(args[at+2])
	preludes.Lock()
	defer preludes.Unlock()
	delete(preludes.folders, filepath.Base(folder))
	os.RemoveAll(folder)
	return slices.Concat(args[:at-3], []string{"-include", runtimeHeader}, args[at+3:]), true
}
