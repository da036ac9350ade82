// Package buildflags answers with which flags a file is compiled. It reads
// compile_commands.json, compile_flags.txt and .clangd, understands the flags of nvcc and
// clang that matter to a parse, expands response files, and tolerates everything else. A file
// that no command names, such as a header, takes the flags of one that includes it or of its
// nearest sibling; for a file without build files around, folders of headers are guessed.
package buildflags

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// Finder finds flags. It is safe for concurrent use. It keeps which file includes which, so
// take a new one after a change to that.
type Finder struct {
	// Dir is the folder of the compile_commands.json to use, where the user names one, as an
	// absolute path; "" means to look for one as clangd does. Set it before the first For.
	Dir string
	// Folders lists the folders in a folder by their names, ok unless that can't be looked at; nil means that no folders of
	// headers are guessed. Set it before the first For.
	Folders func(dir string) (names []string, ok bool)

	files source.Provider

	mu        sync.Mutex
	databases map[string]*database // by path
	listings  map[string]listing   // by folder
}

// NewFinder returns a Finder that reads files through the provider.
func NewFinder(files source.Provider) *Finder {
	return &Finder{files: files, databases: map[string]*database{}, listings: map[string]listing{}}
}

// Renew returns a Finder for the files as they are now. What this one has read of a database
// serves it as long as the database's text is the same.
func (f *Finder) Renew(files source.Provider) *Finder {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := NewFinder(files)
	next.Dir, next.Folders = f.Dir, f.Folders
	for path, db := range f.databases {
		next.databases[path] = &database{path: db.path, hash: db.hash, problem: db.problem, commands: db.commands, byPath: db.byPath}
	}
	return next
}

// Result is what is known about a file's flags.
type Result struct {
	syntax.Config
	Database string // the path of the compile_commands.json or compile_flags.txt, or ""
	Borrowed string // the file whose flags these are, if it is another one
	// Problems are files that could not be read or understood.
	Problems []syntax.Problem
}

// For returns the flags of the file at an absolute path. Without any build files around, these are the
// folders where its project may keep headers.
func (f *Finder) For(path string) Result {
	path = filepath.Clean(path)
	var r Result
	var edits []fragment
	where := databasePlace{ancestors: f.Dir == "", dir: f.Dir}
	for _, dir := range slices.Backward(ancestors(path)) {
		for _, fragment := range f.clangd(filepath.Join(dir, ".clangd"), path, &r) {
			edits = append(edits, fragment)
			if fragment.database != "" && f.Dir == "" {
				where = placeOf(fragment.database, dir)
			}
		}
	}
	args, dir := f.command(path, where, &r)
	if dir == "" {
		dir = filepath.Dir(path)
	}
	args = f.expand(args, dir, &r)
	for _, e := range edits {
		args = e.apply(args)
	}
	r.Config = config(args, dir)
	if r.Database == "" {
		r.Guessed = f.guessed(path)
	}
	return r
}

// ancestors are the folders that a path is in, the innermost first.
func ancestors(path string) []string {
	var dirs []string
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == filepath.Dir(dir) {
			return dirs
		}
	}
}

// databasePlace says where to look for a compilation database.
type databasePlace struct {
	ancestors bool
	dir       string // "" for none
}

// placeOf reads the value of CompilationDatabase, which may be relative to dir.
func placeOf(value, dir string) databasePlace {
	switch value {
	case "Ancestors":
		return databasePlace{ancestors: true}
	case "None":
		return databasePlace{}
	}
	return databasePlace{dir: absolute(filepath.FromSlash(value), dir)}
}

// command finds the arguments for a path, without the compiler, and the folder they are
// relative to.
func (f *Finder) command(path string, where databasePlace, r *Result) (args []string, dir string) {
	dirs := []string{where.dir}
	if where.ancestors {
		dirs = ancestors(path)
	}
	for _, d := range dirs {
		if d == "" {
			continue
		}
		for _, name := range []string{"compile_commands.json", filepath.Join("build", "compile_commands.json")} {
			if db := f.database(filepath.Join(d, name), r); db != nil {
				r.Database = db.path
				c := db.find(f, path)
				if c == nil {
					return nil, ""
				}
				if c.path != path {
					r.Borrowed = c.path
				}
				return c.args(), c.dir
			}
		}
		flags := filepath.Join(d, "compile_flags.txt")
		if file, ok := f.files.File(flags); ok {
			r.Database = flags
			return lines(file.Text), d
		}
	}
	return nil, ""
}

// lines are those of a text that are not empty, without blanks around.
func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// find returns the command for a path: its own, that of a file which includes it, or that of
// the nearest file. It returns nil only if there are no commands.
func (db *database) find(f *Finder, path string) *command {
	if c := db.byPath[path]; c != nil {
		return c
	}
	db.include.Do(func() { db.includers = includers(f, db) })
	if c := db.includers[path]; c != nil {
		return c
	}
	var best *command
	for i := range db.commands {
		c := &db.commands[i]
		if best == nil || nearer(path, c.path, best.path) {
			best = c
		}
	}
	return best
}

// nearer reports whether the flags of a fit a path better than those of b: same folder deep
// down first, then the same name, then being CUDA.
func nearer(path, a, b string) bool {
	rank := func(p string) (int, bool, bool) {
		return sharedFolders(path, p), stem(p) == stem(path), source.IsCUDA(p)
	}
	aFolders, aStem, aCUDA := rank(a)
	bFolders, bStem, bCUDA := rank(b)
	if c := cmp.Compare(aFolders, bFolders); c != 0 {
		return c > 0
	}
	if aStem != bStem {
		return aStem
	}
	return aCUDA && !bCUDA
}

func sharedFolders(a, b string) int {
	x, y := ancestors(a), ancestors(b)
	slices.Reverse(x)
	slices.Reverse(y)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}
