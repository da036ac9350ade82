// This file compiles the device code of one file to PTX.

package toolchain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Options say how to compile. The zero value compiles C++17 with no macros.
type Options struct {
	Includes  []string // folders, as -I gives them
	Guessed   []string // folders that are searched behind the system's
	Defines   []string // NAME or NAME=VALUE
	Undefines []string // names
	Forced    []string // files included before the first line, as by -include
	Standard  string   // c++11 … c++20; empty is gnu++17, nvcc's default
	// Architecture is what __CUDA_ARCH__ and the PTX's .target tell: sm_70 and up; empty for
	// the newest that the compiler knows, up to sm_90.
	Architecture  string
	NoContraction bool   // no product and sum become one, as nvcc -fmad=false has it
	Overlay       string // a clang VFS overlay file: texts that replace files; empty for none
	// KeepStatic keeps static variables that the file does not set, as the host may; clang 17 and newer can.
	KeepStatic bool
}

// lenient makes clang take what nvcc and its host compiler take: registers, narrowing of what is no constant, macros that stand
// right behind a literal, and functions that end without the value that nobody uses.
var lenient = []string{"-Wno-register", "-Wno-narrowing", "-Wno-reserved-user-defined-literal", "-fno-strict-return"}

func (o *Options) common() []string {
	args := slices.Clone(lenient)
	if o.NoContraction {
		args = append(args, "-ffp-contract=off")
	}
	if o.Overlay != "" {
		args = append(args, "-ivfsoverlay", o.Overlay)
	}
	for _, d := range o.Defines {
		args = append(args, "-D"+d)
	}
	for _, u := range o.Undefines {
		args = append(args, "-U"+u)
	}
	for _, i := range o.Includes {
		args = append(args, "-I"+i)
	}
	for _, dir := range o.Guessed {
		args = append(args, "-idirafter", dir)
	}
	for _, f := range o.Forced {
		args = append(args, "-include", f)
	}
	standard := o.Standard
	if standard == "" {
		standard = "gnu++17"
	}
	return append(args, "-std="+standard)
}

// Module is the device code of one source file.
type Module struct {
	File    string
	PTX     string
	Kernels []Kernel
	Headers string // the folder of our headers, if it was compiled with them
	// Variables are those that hold pointers, where somebody has asked for them.
	Variables []Variable
	debug     *debugInfo // if somebody has
}

// Kernel is a __global__ function of a module.
type Kernel struct {
	Symbol     string // its name in PTX
	Name       string // its name as written, without template arguments; Symbol if unknown
	Instance   string // its name with the template arguments that it has, as clang writes them; empty if unknown
	File       string // of its definition, absolute; empty if unknown
	Line       int    // of its definition, from 1; 0 if unknown
	Parameters []string
	Types      []string   // of the parameters, as LLVM has them: ptr, i32, float, …; empty for a structure, or if unknown
	Members    [][]Member // of the parameters that are structures or lead to pointers, where somebody has asked for them
}

// cuda returns the arguments that make clang take a file as CUDA with our headers.
func (t *Toolchain) cuda(o *Options) []string {
	return append([]string{
		"-x", "cuda", "--cuda-gpu-arch=" + t.architecture(o), "-nocudainc", "-nocudalib",
		"-Xclang", "-target-sdk-version=11.5", "-Wno-unknown-cuda-version", "-Xclang", "-fcuda-allow-variadic-functions",
		"-isystem", t.include, "-include", "cuda_runtime.h",
		"-fno-caret-diagnostics",
	}, o.common()...)
}

func (t *Toolchain) architecture(o *Options) string {
	switch {
	case o.Architecture != "":
		return o.Architecture
	case t.Version >= 16:
		return "sm_90"
	default:
		return "sm_80"
	}
}

// Device compiles the device code of a file. It writes its intermediate files into dir.
func (t *Toolchain) Device(ctx context.Context, o *Options, file, dir string) (*Module, error) {
	at := func(name string) string { return filepath.Join(dir, name) }
	front := append(t.cuda(o), "--cuda-device-only", "-O2", "-w", "-gline-tables-only", "-fno-discard-value-names",
		"-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-o", at("front.ll"), file)
	if o.KeepStatic && t.Version >= 17 {
		front = append(front, "-fkeep-persistent-storage-variables")
	}
	if err := t.Run(ctx, file, front...); err != nil {
		return nil, err
	}
	ir, err := os.ReadFile(at("front.ll"))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(at("pinned.ll"), []byte(pin(withTables(string(ir)), t.Version < 15)), 0o600); err != nil {
		return nil, err
	}
	if err := t.Run(ctx, file, t.optimize(o, at("pinned.ll"), at("optimized.ll"))...); err != nil {
		return nil, fmt.Errorf("optimizing: %w", err)
	}
	optimized, err := os.ReadFile(at("optimized.ll"))
	if err != nil {
		return nil, err
	}
	var inlined inlining
	if err := os.WriteFile(at("numbered.ll"), []byte(inlined.number(string(optimized))), 0o600); err != nil {
		return nil, err
	}
	if err := t.Run(ctx, file, t.generate(o, at("numbered.ll"), at("device.ptx"))...); err != nil {
		return nil, fmt.Errorf("generating PTX: %w", err)
	}
	ptx, err := os.ReadFile(at("device.ptx"))
	if err != nil {
		return nil, err
	}
	return &Module{File: file, PTX: withClusters(inlined.restore(string(ptx)), string(ir)), Kernels: kernels(string(ir)), Headers: t.include}, nil
}

// optimize turns pinned IR into optimized IR. Common code of two branches stays in both: a
// merged instruction could have but one line.
func (t *Toolchain) optimize(o *Options, from, to string) []string {
	return append(t.ir(o, from, to), "-emit-llvm",
		"-mllvm", "-simplifycfg-sink-common=false", "-mllvm", "-simplifycfg-hoist-common=false")
}

// generate turns optimized IR into PTX.
func (t *Toolchain) generate(o *Options, from, to string) []string {
	return append(t.ir(o, from, to), "-Xclang", "-disable-llvm-passes",
		"-mllvm", "-simplifycfg-sink-common=false", "-mllvm", "-simplifycfg-hoist-common=false")
}

// In the large code model, tables of pointers stay what they are: distances between a table and what it points to, which
// clang would make of them, can't be said in PTX.
func (t *Toolchain) ir(o *Options, from, to string) []string {
	return []string{
		"-x", "ir", "--target=nvptx64-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang", t.architecture(o),
		"-nocudalib", "-O2", "-Xclang", "-mcmodel=large", "-S", "-Wno-override-module", "-o", to, from,
	}
}
