package lsp

// This file defines snapshots: everything an answer may depend on, frozen. A change of a
// buffer, of a file on disk or of a setting makes a new snapshot; whoever holds the old one
// goes on with a consistent view of the world.

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/analysis/buildflags"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/internal/disk"
)

// maxFile bounds the bytes of a file that is read from disk; nothing larger is program text.
const maxFile = 64 << 20

// snapshot is immutable. It is the analysis's source.Provider: open buffers lie over the disk.
type snapshot struct {
	documents map[string]*document // by path
	meant     map[string]*meant    // by path, of the documents
	folders   []string             // paths of the workspace folders
	settings  settings
	encoding  protocol.PositionEncodingKind
	disk      *diskView
	runs      *runLog
}

// clone returns a copy that may be changed until it is shared. It is the only place where a
// snapshot comes from another.
func (s *snapshot) clone() *snapshot {
	next := *s
	next.documents = make(map[string]*document, len(s.documents)+1)
	maps.Copy(next.documents, s.documents)
	next.meant = make(map[string]*meant, len(s.meant)+1)
	maps.Copy(next.meant, s.meant)
	return &next
}

// forgetDisk makes the snapshot look at the disk again.
func (s *snapshot) forgetDisk() { s.disk = s.disk.renewed() }

// document returns the open document of a URI.
func (s *snapshot) document(u uri.URI) (*document, bool) {
	d, ok := s.documents[toPath(u)]
	return d, ok
}

// sameSurroundings reports whether two snapshots differ at most in the open documents.
func (s *snapshot) sameSurroundings(other *snapshot) bool {
	return s.disk == other.disk && s.runs == other.runs && reflect.DeepEqual(s.settings, other.settings) && slices.Equal(s.folders, other.folders)
}

// File implements source.Provider.
func (s *snapshot) File(path string) (*source.File, bool) {
	if d, ok := s.documents[path]; ok {
		return d.file, true
	}
	return s.disk.File(path)
}

// mapper returns the position mapper of a file that is open or on disk.
func (s *snapshot) mapper(path string) (*mapper, bool) {
	if d, ok := s.documents[path]; ok {
		return d.mapper, true
	}
	return s.disk.mapper(path, s.encoding)
}

// uri returns how the client names a path.
func (s *snapshot) uri(path string) uri.URI {
	if d, ok := s.documents[path]; ok {
		return d.uri
	}
	return toURI(path)
}

// diskView is the disk as it was when each file was first looked at. Snapshots share one until
// something on disk is said to have changed, so that typing asks nothing of the file system.
type diskView struct {
	cache   *diskCache
	mu      sync.Mutex
	files   map[string]*source.File // nil for a file that can't be read
	mappers map[string]*mapper      // of those files, in the connection's encoding
	flags   *buildflags.Finder
	configs map[string]syntax.Config // what the finder said of a path
}

// File implements source.Provider.
func (v *diskView) File(path string) (*source.File, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, seen := v.files[path]
	if !seen {
		f = v.cache.file(path)
		v.files[path] = f
	}
	return f, f != nil
}

// mapper returns the position mapper of a file on disk.
func (v *diskView) mapper(path string, encoding protocol.PositionEncodingKind) (*mapper, bool) {
	f, ok := v.File(path)
	if !ok {
		return nil, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.mappers[path]
	if m == nil {
		m = newMapper(f.Text, encoding)
		v.mappers[path] = m
	}
	return m, true
}

// compileFlags returns what the build files around a file say of it.
func (v *diskView) compileFlags(path string) syntax.Config {
	if !filepath.IsAbs(path) {
		return syntax.Config{}
	}
	v.mu.Lock()
	config, ok := v.configs[path]
	v.mu.Unlock()
	if ok {
		return config
	}
	found := v.flags.For(path)
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range found.Problems {
		v.cache.warn(p)
	}
	v.configs[path] = found.Config
	return found.Config
}

// diskCache keeps the text of files as long as their size and time stay the same.
type diskCache struct {
	log    *slog.Logger
	mu     sync.Mutex
	files  map[string]cachedFile
	warned map[syntax.Problem]bool
}

type cachedFile struct {
	info os.FileInfo
	file *source.File
}

func newDiskCache(log *slog.Logger) *diskCache {
	return &diskCache{log: log, files: map[string]cachedFile{}, warned: map[syntax.Problem]bool{}}
}

// sameFile reports whether a file can be taken for unchanged.
func sameFile(a, b os.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

func (c *diskCache) newView() *diskView {
	v := &diskView{
		cache: c, files: map[string]*source.File{}, mappers: map[string]*mapper{}, configs: map[string]syntax.Config{},
	}
	v.flags = buildflags.NewFinder(v)
	v.flags.Folders = disk.Folders
	return v
}

// renewed returns a view that looks at the disk again.
func (v *diskView) renewed() *diskView {
	next := v.cache.newView()
	next.flags = v.flags.Renew(next)
	return next
}

// warn tells a problem of a build file once, though each view of the disk meets it again.
func (c *diskCache) warn(p syntax.Problem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.warned[p] {
		c.warned[p] = true
		c.log.Warn("a build file was not understood", "file", p.Span.File, "problem", p.Message)
	}
}

// file returns the file's text, or nil if it can't be read.
func (c *diskCache) file(path string) *source.File {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	c.mu.Lock()
	old, ok := c.files[path]
	c.mu.Unlock()
	if ok && sameFile(old.info, info) {
		return old.file
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	f := source.New(path, string(text))
	c.mu.Lock()
	c.files[path] = cachedFile{info, f}
	c.mu.Unlock()
	return f
}

// recorder is the Provider of one analysis. It remembers what the analysis read, which is what
// its result depends on: own text, headers, and headers that were looked for in vain.
type recorder struct {
	from  source.Provider
	mu    sync.Mutex
	reads map[string]*source.File
}

func newRecorder(from source.Provider) *recorder {
	return &recorder{from: from, reads: map[string]*source.File{}}
}

// File implements source.Provider.
func (r *recorder) File(path string) (*source.File, bool) {
	f, ok := r.from.File(path)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ok {
		f = nil
	}
	r.reads[path] = f
	return f, ok
}

// fits reports whether the files that were read hold the same text elsewhere.
func (r *recorder) fits(s source.Provider) bool {
	return r.compare(func(path string, then *source.File) bool {
		now, ok := s.File(path)
		return ok == (then != nil) && (!ok || sameText(now, then))
	})
}

// fitsOpen asks the same of those files only that are open.
func (r *recorder) fitsOpen(s *snapshot) bool {
	return r.compare(func(path string, then *source.File) bool {
		d, open := s.documents[path]
		return !open || then != nil && sameText(d.file, then)
	})
}

func (r *recorder) compare(same func(path string, then *source.File) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for path, then := range r.reads {
		if !same(path, then) {
			return false
		}
	}
	return true
}

func sameText(a, b *source.File) bool { return a == b || a.Hash == b.Hash }
