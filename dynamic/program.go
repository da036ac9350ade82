// This file runs a whole program: compiled from source, or an executable that nvcc built.

package dynamic

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// prepareProgram compiles the files, unless the only one is a program already.
func prepareProgram(ctx context.Context, o *Options, dir string) (execution, []*toolchain.Module, error) {
	tools, err := toolchain.Find(ctx)
	if err != nil {
		return nil, nil, err
	}
	name, executable := cudart.LibraryName, ""
	if len(o.Files) == 1 && toolchain.IsExecutable(o.Files[0]) {
		if name, err = cudart.NeededLibrary(o.Files[0]); err != nil {
			return nil, nil, err
		}
		if executable, err = filepath.Abs(o.Files[0]); err != nil {
			return nil, nil, err
		}
	}
	library, err := cudart.Library(ctx, tools, name)
	if err != nil {
		return nil, nil, err
	}
	texts := map[string]string{}
	var modules []*toolchain.Module
	if executable == "" {
		built, err := build(ctx, tools, o, library, dir)
		if err != nil {
			return nil, nil, err
		}
		executable = built.Executable
		for _, token := range slices.Sorted(maps.Keys(built.Modules)) { // the order in which they are linked
			m := built.Modules[token]
			texts[token] = m.PTX
			modules = append(modules, m)
		}
	}
	lines, streams := newLines(executable), mayHaveStreams(executable)
	return func(ctx context.Context, r *run) error {
		o := r.options
		r.sources.lines = lines
		options := cudart.Options{
			Modules: texts, Seed: r.seed, MaxInstructions: o.Instructions, Cores: o.Cores, Progress: r.progress,
			Compile: compileAtRunTime(tools, o, dir, r.compiled),
		}
		if s, ok := r.streams(); ok {
			options.Host, options.Streams = s, streams
			options.Overlaps = func() {
				s.idle = false
				r.listen()
			}
		}
		session, err := cudart.NewSession(options)
		if err != nil {
			return err
		}
		defer session.Close()
		session.Attach(r.device(session.Output()), r.tell)
		r.ended = session.Run(ctx, cudart.Program{
			Executable: executable, Args: o.Args, Dir: o.Dir, Library: library,
			Stdin: o.Stdin, Stdout: o.Stdout, Stderr: o.Stderr,
		})
		r.launches = session.Launches()
		return nil
	}, modules, nil
}

func build(ctx context.Context, tools *toolchain.Toolchain, o *Options, library, dir string) (*toolchain.Program, error) {
	units := make([]toolchain.Unit, len(o.Files))
	for i, f := range o.Files {
		if filepath.Ext(f) == ".ptx" {
			return nil, fmt.Errorf("%s is PTX, which has no host program: name one of its kernels with --kernel", f)
		}
		if !toolchain.IsSource(f) {
			return nil, fmt.Errorf("%s is neither a source file (.cu, .cpp, .cc, .cxx, .c) nor a program", f)
		}
		units[i] = toolchain.Unit{File: f, Options: o.compile(f)}
	}
	return tools.Build(ctx, units, library, dir)
}

func (o *Options) compile(file string) toolchain.Options {
	if o.Compile == nil {
		return toolchain.Options{}
	}
	return o.Compile(file)
}
