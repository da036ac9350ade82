package lsp

// This file defines how the server keeps the index of the workspace. The folders are read in the
// background, once; what is opened, edited or changed on disk after that is put into the index
// before the next check begins, by the goroutine of that check, so that no key waits for it.
// Texts are not kept: the index holds names, and its package says how much memory at most.

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/workspace"
	"github.com/warplint/warplint/internal/disk"
)

// indexer is the index and what it has still to be told.
type indexer struct {
	*workspace.Index

	updating sync.Mutex      // held while the index is brought up to date
	open     map[string]bool // the documents it knows as they are in the editor
	cancel   func()          // of the reading of folders
	fromDisk atomic.Int64    // how often it was told of files on disk

	mu      sync.Mutex
	changed map[string]bool // files that changed on disk
}

func newIndexer() *indexer {
	return &indexer{Index: workspace.New(), open: map[string]bool{}, cancel: func() {}, changed: map[string]bool{}}
}

// stale notes that a file on disk may be another now.
func (x *indexer) stale(path string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changed[path] = true
}

// changes returns the files that were noted, and forgets them.
func (x *indexer) changes() map[string]bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	changed := x.changed
	x.changed = map[string]bool{}
	return changed
}

// learn brings the index up to the newest snapshot, and has documents checked for which it has
// learned something.
func (s *server) learn() {
	x := s.index
	x.updating.Lock()
	defer x.updating.Unlock()
	s.mu.Lock()
	snap, known := s.current, s.indexed == s.current
	s.mu.Unlock()
	if known {
		return
	}
	again := x.changes()
	for path := range x.open {
		if snap.documents[path] == nil {
			delete(x.open, path)
			again[path] = true
		}
	}
	for path := range again {
		s.indexFile(snap, path)
	}
	for path, d := range snap.documents {
		if disk.IsSource(path) || d.isCUDA() {
			x.open[path] = true
			x.Set(d.file, snap.config(path).Folders())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.indexed = snap
	s.recheck()
}

// indexFile tells the index of a file on disk, unless it is open. What is in no workspace folder counts
// only while it is open, and so does a buffer that was never saved or that only its language made CUDA.
func (s *server) indexFile(snap *snapshot, path string) {
	if snap.documents[path] != nil {
		return
	}
	s.index.fromDisk.Add(1)
	if !disk.IsSource(path) || !snap.inFolder(path) {
		s.index.Remove(path)
		return
	}
	file, err := disk.Read(path)
	if err != nil {
		s.index.Remove(path)
		return
	}
	s.index.Set(file, snap.config(path).Folders())
}

// recheck has those documents checked whose results rest on less than the index knows. s.mu must
// be held.
func (s *server) recheck() {
	for path, c := range s.checks {
		s.reconsider(path, c)
	}
	s.wakeWaiters()
}

// sameProgram reports whether the index says the same of a document as it did for a result.
func (s *server) sameProgram(c *checked) bool {
	return reflect.DeepEqual(c.program, s.index.Units(c.document.path))
}

// compiled are the units of a program, each with how it is compiled.
func (s *snapshot) compiled(program []workspace.Unit) []analysis.Unit {
	return analysis.UnitsOf(program, func(path string) syntax.Config { return s.config(path).Config })
}

// indexFolders reads the workspace folders, in place of a reading that is still under way, and
// has documents checked for which it learned something.
func (s *server) indexFolders(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.index.updating.Lock()
	s.index.cancel()
	s.index.cancel = cancel
	s.index.updating.Unlock()

	shown := s.beginWork(ctx, "Indexing CUDA files", nil, nil)
	defer shown.end("")
	found := map[string]bool{}
	for _, path := range disk.Sources(ctx, s.snapshot().folders, workspace.MaxFiles) {
		found[path] = true
		if !s.updateIndex(ctx, func(snap *snapshot) { s.indexFile(snap, path) }) {
			return
		}
	}
	s.updateIndex(ctx, func(snap *snapshot) {
		for _, path := range s.index.Paths() {
			if !found[path] && snap.documents[path] == nil {
				s.index.Remove(path)
				s.index.fromDisk.Add(1)
			}
		}
	})
	s.log.Debug("indexed", "files", s.index.Files())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recheck()
}

// updateIndex runs one step of reading the folders; it returns false when nobody wants more. The
// lock is taken for each step anew, so that checks come in between.
func (s *server) updateIndex(ctx context.Context, step func(*snapshot)) bool {
	s.index.updating.Lock()
	defer s.index.updating.Unlock()
	if ctx.Err() != nil {
		return false
	}
	step(s.snapshot())
	return true
}
