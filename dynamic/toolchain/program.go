// This file builds a whole program: several files, device and host code, and the runtime.

package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/warplint/warplint/analysis/source"
)

// Program is a compiled program. Its host code registers each module by a token in place of
// the device code itself, which stays with us.
type Program struct {
	Executable string
	Modules    map[string]*Module // by token
}

// tokenPrefix begins what the host code has as its device code.
const tokenPrefix = "warplint module "

// Unit is one source file of a program and how to compile it.
type Unit struct {
	File string
	Options
}

// Build compiles units (.cu; .cpp, .cc, .cxx and .c as host code alone if that is possible) and links them with an
// object file or library that holds the CUDA runtime. All output goes into dir.
func (t *Toolchain) Build(ctx context.Context, units []Unit, runtime, dir string) (*Program, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &Program{Executable: filepath.Join(dir, "program"), Modules: map[string]*Module{}}
	var (
		wait    sync.WaitGroup
		lock    sync.Mutex
		first   error
		objects = make([]string, len(units))
	)
	start := func(step func() error) {
		wait.Go(func() {
			if err := step(); err != nil {
				lock.Lock()
				defer lock.Unlock()
				if first == nil {
					first = err
					cancel()
				}
			}
		})
	}
	for i, unit := range units {
		file, o := unit.File, &unit.Options
		work := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(work, 0o700); err != nil {
			return nil, err
		}
		objects[i] = filepath.Join(work, "host.o")
		cuda := func() {
			token := tokenPrefix + fmt.Sprint(i)
			start(func() error {
				module, err := t.Device(ctx, o, file, work)
				if err == nil {
					lock.Lock()
					defer lock.Unlock()
					p.Modules[token] = module
				}
				return err
			})
			start(func() error { return t.host(ctx, o, file, token, objects[i]) })
		}
		if source.IsCUDA(file) {
			cuda()
			continue
		}
		start(func() error {
			err := t.Run(ctx, file, t.plainHost(o, file, objects[i])...)
			if filepath.Ext(file) != ".c" && wantsKernels(err) {
				cuda()
				return nil
			}
			return err
		})
	}
	wait.Wait()
	if first != nil {
		return nil, first
	}
	link := append(objects, runtime, "-o", p.Executable, "-lm", "-lpthread", "-ldl", "-lrt")
	err := t.Run(ctx, "the program", link...)
	if err != nil {
		plain := t.Run(ctx, "the program", append(link, "-Wl,--no-demangle")...)
		shown, failed := t.showVariables(ctx, units, objects, plain)
		if failed != nil {
			return nil, failed
		}
		if shown {
			err = t.Run(ctx, "the program", link...)
		}
	}
	if err != nil {
		return nil, linkError(err)
	}
	return p, nil
}

// hostCode are the options for all host code. Programs whose signed numbers overflow or whose pointers alias work with nvcc,
// which does not optimize host code unless asked to. Clang 19 takes wrong elements where it vectorizes loops over indexes
// such as i * 5 % 64. A call at the end of a function is none of its line if it is made a jump. Go's reader of line tables puts the folder before absolute names of files in DWARF 5.
var hostCode = []string{"-O2", "-fno-vectorize", "-fwrapv", "-fno-strict-aliasing", "-fno-optimize-sibling-calls", "-gline-tables-only", "-gdwarf-4", "-w"}

// wantsKernels reports whether host code was refused because it includes one of our headers that is made of kernels.
func wantsKernels(err error) bool {
	var refused *CompileError
	return errors.As(err, &refused) && strings.Contains(refused.Messages, "is simulated in files that are compiled as CUDA")
}

// host compiles the host side of a .cu file.
func (t *Toolchain) host(ctx context.Context, o *Options, file, token, object string) error {
	binary := object + ".token"
	if err := os.WriteFile(binary, append([]byte(token), 0), 0o600); err != nil {
		return err
	}
	if err := t.Run(ctx, file, t.hostArguments(o, file, binary, "-c", "-o", object)...); err != nil {
		return err
	}
	return registerFirst(object)
}

func (t *Toolchain) hostArguments(o *Options, file, binary string, output ...string) []string {
	args := append(append(t.cuda(o), threads(file)...), "--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", binary)
	args = append(args, hostCode...)
	return append(append(args, output...), file)
}

var includesOpenMP = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"]omp\.h[>"]`)

// threads returns the option for host code that uses OpenMP's functions. Without them its pragmas are as good as absent.
func threads(file string) []string {
	if text, err := os.ReadFile(file); err == nil && includesOpenMP.Match(text) {
		return []string{"-fopenmp"}
	}
	return nil
}

// linkError says what the linker's message means for who named the files.
func linkError(err error) error {
	var refused *CompileError
	if !errors.As(err, &refused) {
		return fmt.Errorf("linking: %w", err)
	}
	hint := ""
	switch {
	case strings.Contains(refused.Messages, "undefined reference to `main'") || strings.Contains(refused.Messages, "undefined symbol: main"):
		hint = "\nThe files have no main function: name all files of the program, or run one kernel alone with --kernel."
	case strings.Contains(refused.Messages, "undefined "):
		hint = "\nName all files of the program; libraries other than the CUDA runtime, the driver API and the system's own are not provided."
	}
	return fmt.Errorf("the program can't be linked:\n%s%s", strings.TrimRight(refused.Messages, "\n"), hint)
}

// plainHost compiles a file that holds no device code.
func (t *Toolchain) plainHost(o *Options, file, object string) []string {
	args := append(append(threads(file), "-isystem", t.include, "-fno-caret-diagnostics"), hostCode...)
	if filepath.Ext(file) == ".c" {
		plain := *o
		plain.Standard = "gnu17"
		// What is an error for newer compilers only.
		args = append(args, "-Wno-implicit-function-declaration", "-Wno-implicit-int", "-Wno-int-conversion", "-Wno-incompatible-function-pointer-types")
		return append(append(args, "-x", "c"), append(plain.common(), "-c", "-o", object, file)...)
	}
	return append(append(args, "-x", "c++"), append(o.common(), "-c", "-o", object, file)...)
}

// IsSource reports whether a file is something that Build compiles.
func IsSource(file string) bool {
	switch filepath.Ext(file) {
	case ".cu", ".cpp", ".cc", ".cxx", ".c":
		return true
	}
	return false
}

// IsExecutable reports whether a file is a compiled program: its name says no source, and it
// may be executed.
func IsExecutable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && !IsSource(file) && filepath.Ext(file) != ".ptx"
}
