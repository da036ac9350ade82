// This file runs a whole program: compiled from source, or an executable that nvcc built.

package dynamic

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/toolchain"
)

func runProgram(ctx context.Context, o *Options, dir string) (*Result, error) {
	tools, err := toolchain.Find(ctx)
	if err != nil {
		return nil, err
	}
	library, err := cudart.Library(ctx, tools)
	if err != nil {
		return nil, err
	}
	executable, modules, err := build(ctx, tools, o, library, dir)
	if err != nil {
		return nil, err
	}
	options := cudart.Options{Modules: modules, Seed: o.Seed, MaxInstructions: o.Instructions, Progress: o.Progress}
	session, err := cudart.NewSession(options)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	r := newRun(o, session.Output())
	session.Attach(r.device, func(message string) { r.problem(o.Files[0], "%s", message) })
	err = session.Run(ctx, cudart.Program{
		Executable: executable, Args: o.Args, Dir: o.Dir, Library: library,
		Stdin: o.Stdin, Stdout: o.Stdout, Stderr: o.Stderr,
	})
	r.outcome(ctx, o.Files[0], err)
	r.result.Launches = session.Launches()
	return r.finish(), nil
}

// build compiles the files, unless the only one is a program already.
func build(ctx context.Context, tools *toolchain.Toolchain, o *Options, library, dir string) (executable string, modules map[string]string, err error) {
	if len(o.Files) == 1 && toolchain.IsExecutable(o.Files[0]) {
		executable, err = filepath.Abs(o.Files[0])
		return executable, nil, err
	}
	for _, f := range o.Files {
		if !toolchain.IsSource(f) {
			return "", nil, errors.New(f + " is no source file that makes a program: .cu, .cpp, .cc, .cxx or .c")
		}
	}
	program, err := tools.Build(ctx, &o.Compile, o.Files, library, dir)
	if err != nil {
		return "", nil, err
	}
	modules = map[string]string{}
	for token, m := range program.Modules {
		modules[token] = m.PTX
	}
	return program.Executable, modules, nil
}
