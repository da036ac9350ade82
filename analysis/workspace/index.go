// Package workspace knows which files belong together: which include which, which launch the
// kernels that another defines, and which define what another only declares. It is an index
// over the outlines of files, kept up to date file by file, and reads no file itself.
//
// Memory: at most MaxFiles files and MaxUses uses of names, some 100 MB at worst; what would
// exceed that is left out. A thousand files of 300 lines take about 3 MB.
package workspace

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// The bounds of an index.
const (
	MaxFiles = 20_000
	MaxUses  = 4_000_000
)

// Index is safe for concurrent use.
type Index struct {
	version atomic.Int64

	answers sync.Map // of Units by path, for this version

	mu      sync.RWMutex
	files   map[string]*file
	uses    int
	defined map[string]map[string]bool // by name of a function: the paths that define it for others
	used    map[string]map[string]bool // by name: the paths that use it
	named   map[string]map[string]bool // by the last part of a path: the paths
	naming  map[string]map[string]bool // by the last part of an include: the paths that include it
}

// file is what is known of one.
type file struct {
	hash    [32]byte
	folders []string // that it is in
	dirs    []string // where its includes are searched
	outline syntax.Outline
	uses    int
}

// New returns an empty index.
func New() *Index {
	return &Index{
		files: map[string]*file{}, defined: map[string]map[string]bool{}, used: map[string]map[string]bool{},
		named: map[string]map[string]bool{}, naming: map[string]map[string]bool{},
	}
}

// Version changes whenever the answers may have changed.
func (x *Index) Version() int64 { return x.version.Load() }

// Set adds a file or its new text; dirs are the folders in which its includes are searched. It
// returns false if the file is left out because the index is full.
func (x *Index) Set(f *source.File, dirs []string) bool {
	x.mu.RLock()
	old := x.files[f.Path]
	x.mu.RUnlock()
	if old != nil && old.hash == f.Hash && slices.Equal(old.dirs, dirs) {
		return true
	}
	next := &file{hash: f.Hash, folders: foldersOf(f.Path), dirs: dirs, outline: syntax.OutlineOf(f)}
	for i := range next.outline.Functions {
		next.uses += len(next.outline.Functions[i].Uses)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if old := x.files[f.Path]; old != nil && slices.Equal(old.dirs, dirs) && sameOutline(old.outline, next.outline) {
		old.hash = f.Hash
		return true
	}
	x.remove(f.Path)
	x.changed()
	if len(x.files) >= MaxFiles || x.uses+next.uses > MaxUses {
		return false
	}
	x.add(f.Path, next)
	return true
}

// Remove takes a file out.
func (x *Index) Remove(path string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.files[path] != nil {
		x.remove(path)
		x.changed()
	}
}

// changed forgets the answers.
func (x *Index) changed() {
	x.version.Add(1)
	x.answers.Clear()
}

// Files returns the number of files.
func (x *Index) Files() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.files)
}

// Paths returns the files, in no order.
func (x *Index) Paths() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Collect(maps.Keys(x.files))
}

func sameOutline(a, b syntax.Outline) bool {
	return slices.Equal(a.Includes, b.Includes) && slices.EqualFunc(a.Functions, b.Functions, func(f, g syntax.Function) bool {
		return f.Name == g.Name && f.Kernel == g.Kernel && f.Device == g.Device && f.Local == g.Local && f.Launches == g.Launches && slices.Equal(f.Uses, g.Uses)
	})
}

func (x *Index) add(path string, f *file) {
	x.files[path] = f
	x.uses += f.uses
	put(x.named, filepath.Base(path), path)
	for _, include := range f.outline.Includes {
		put(x.naming, filepath.Base(include.Name), path)
	}
	for _, fn := range f.outline.Functions {
		if !fn.Local {
			put(x.defined, fn.Name, path)
		}
		for _, name := range fn.Uses {
			put(x.used, name, path)
		}
	}
}

func (x *Index) remove(path string) {
	f := x.files[path]
	if f == nil {
		return
	}
	delete(x.files, path)
	x.uses -= f.uses
	drop(x.named, filepath.Base(path), path)
	for _, include := range f.outline.Includes {
		drop(x.naming, filepath.Base(include.Name), path)
	}
	for _, fn := range f.outline.Functions {
		drop(x.defined, fn.Name, path)
		for _, name := range fn.Uses {
			drop(x.used, name, path)
		}
	}
}

func put(m map[string]map[string]bool, key, path string) {
	if m[key] == nil {
		m[key] = map[string]bool{}
	}
	m[key][path] = true
}

func drop(m map[string]map[string]bool, key, path string) {
	delete(m[key], path)
	if len(m[key]) == 0 {
		delete(m, key)
	}
}

// nearest sorts paths by how many folders lie between them and another, the least first.
func (x *Index) nearest(to string, paths map[string]bool) []string {
	type place struct {
		path     string
		distance int
	}
	from := x.folders(to)
	list := make([]place, 0, len(paths))
	for p := range paths {
		list = append(list, place{p, distance(from, x.folders(p))})
	}
	slices.SortFunc(list, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.path, b.path))
	})
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.path
	}
	return out
}

func (x *Index) folders(path string) []string {
	if f := x.files[path]; f != nil {
		return f.folders
	}
	return foldersOf(path)
}

// foldersOf lists the names of the folders that a path is in, the outermost first.
func foldersOf(path string) []string {
	return strings.Split(filepath.Dir(path), string(filepath.Separator))
}

// distance is the number of steps from one folder to another.
func distance(a, b []string) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return len(a) + len(b)
}
