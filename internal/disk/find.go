// This file defines how the paths of a command line become the list of files to check.

package disk

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// Find returns the files that the paths name, each once, in order: a file as it is, whatever
// its name, and of a folder all .cu and .cuh files below it, sorted. Hidden folders and
// node_modules are left out unless they are named themselves. Links to folders are followed,
// but no folder is entered twice. What can't be read, and a folder with nothing to check,
// is a problem, and does not keep the rest from being found.
func Find(ctx context.Context, paths []string) ([]string, []race.Problem) {
	f := finder{ctx: ctx, seen: map[string]bool{}, limit: math.MaxInt, wanted: source.IsCUDA}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			f.problem(path, plain(err))
		case info.IsDir():
			before := f.found
			f.folder(path)
			if f.found == before {
				f.problem(path, errors.New("no .cu or .cuh files in this folder"))
			}
		default:
			f.file(path)
		}
	}
	return f.files, f.problems
}

// Sources returns the files below folders that may belong to one program with CUDA files: those
// and the C++ files and headers, sorted, at most limit. Folders are searched as by Find, but not
// beyond maxEntries; a path that is no folder is left out.
func Sources(ctx context.Context, folders []string, limit int) []string {
	f := finder{ctx: ctx, seen: map[string]bool{}, limit: limit, wanted: IsSource}
	for _, path := range folders {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			f.folder(path)
		}
	}
	return f.files
}

// maxEntries bounds the files and folders that Sources looks at, so that it ends soon where
// somebody has their home folder open.
const maxEntries = 1_000_000

// IsSource reports whether a file is by its name one that Sources finds.
func IsSource(path string) bool {
	return source.IsCUDA(path) || slices.Contains([]string{".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl"}, filepath.Ext(path))
}

// Names returns how to call files: as they are, if they are among these or lie outside of the
// working folder, else by their path from there.
func Names(given []string) func(path string) string {
	named := map[string]bool{}
	for _, path := range given {
		named[path] = true
	}
	here, err := os.Getwd()
	if err != nil {
		return func(path string) string { return path }
	}
	return func(path string) string {
		if named[path] || !filepath.IsAbs(path) {
			return path
		}
		relative, err := filepath.Rel(here, path)
		if err != nil || !filepath.IsLocal(relative) {
			return path
		}
		return relative
	}
}

type finder struct {
	ctx      context.Context
	seen     map[string]bool // real paths of files and folders
	found    int             // wanted files met, those seen before included
	limit    int             // of files
	entries  int             // met in folders
	wanted   func(name string) bool
	files    []string
	problems []race.Problem
}

func (f *finder) problem(path string, err error) {
	f.problems = append(f.problems, race.Problem{File: path, Message: err.Error()})
}

// first reports whether the path is met for the first time, under whatever name.
func (f *finder) first(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		real = path
	}
	if f.seen[real] {
		return false
	}
	f.seen[real] = true
	return true
}

func (f *finder) file(path string) {
	f.found++
	if len(f.files) < f.limit && f.first(path) {
		f.files = append(f.files, path)
	}
}

func (f *finder) folder(path string) {
	if f.ctx.Err() != nil || len(f.files) >= f.limit || !f.first(path) {
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		f.problem(path, plain(err))
	}
	if f.entries += len(entries); f.entries > maxEntries && f.limit < math.MaxInt {
		return
	}
	for _, entry := range entries {
		f.entry(filepath.Join(path, entry.Name()), entry)
	}
}

func (f *finder) entry(path string, entry os.DirEntry) {
	isDir := entry.IsDir()
	if entry.Type()&os.ModeSymlink != 0 {
		info, err := os.Stat(path)
		if err != nil {
			return // a link that leads nowhere
		}
		isDir = info.IsDir()
	}
	switch {
	case isDir && !skipped(entry.Name()):
		f.folder(path)
	case !isDir && f.wanted(entry.Name()):
		f.file(path)
	}
}

func skipped(folder string) bool {
	return strings.HasPrefix(folder, ".") || folder == "node_modules"
}
