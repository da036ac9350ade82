package lsp

// This file defines which text of a document is meant as it is: the one that was opened, that its user has saved, or that the editor has
// read again, as somebody else wrote it. An editor that saves by itself does not know whether something is half typed. Against what is
// not understood of the texts that are meant, those that are typed since are judged (typing.go).

import (
	"context"
	"maps"
	"reflect"

	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/source"
)

// meant is what is known of the intents of a document's user. It is immutable: what changes is replaced.
type meant struct {
	text      *source.File
	automatic bool     // the editor is about to save by itself
	saved     [32]byte // the text that it has saved so
	onDisk    [32]byte // the text that somebody else has written
}

// mean changes what is known of an open document.
func (s *snapshot) mean(path string, change func(d *document, m *meant)) {
	d := s.documents[path]
	if d == nil {
		return
	}
	m := meant{text: d.file}
	if old := s.meant[path]; old != nil {
		m = *old
	}
	change(d, &m)
	if d.file.Hash == m.onDisk {
		m.text = d.file
	}
	s.meant[path] = &m
}

// opens takes a document in; its text is meant.
func (s *snapshot) opens(d *document) {
	s.documents[d.path] = d
	s.meant[d.path] = &meant{text: d.file}
}

// changes gives a document another text.
func (s *snapshot) changes(d *document) {
	s.documents[d.path] = d
	s.mean(d.path, func(*document, *meant) {})
}

// closes forgets a document.
func (s *snapshot) closes(path string) {
	delete(s.documents, path)
	delete(s.meant, path)
}

// WillSave implements protocol.Server.
func (s *server) WillSave(_ context.Context, params *protocol.WillSaveTextDocumentParams) error {
	path := toPath(params.TextDocument.URI)
	s.change("will save "+path, func(next *snapshot) {
		next.mean(path, func(_ *document, m *meant) { m.automatic = params.Reason != protocol.TextDocumentSaveReasonManual })
	})
	return nil
}

// DidSave implements protocol.Server. A client that can't tell of changed files gives us here the occasion to look at the disk again.
func (s *server) DidSave(_ context.Context, params *protocol.DidSaveTextDocumentParams) error {
	path := toPath(params.TextDocument.URI)
	s.change("saved "+path, func(next *snapshot) {
		next.mean(path, func(d *document, m *meant) {
			if m.automatic {
				m.automatic, m.saved = false, d.file.Hash
			} else {
				m.text = d.file
			}
		})
		if !s.client.watchFiles {
			next.forgetDisk()
		}
	})
	return nil
}

// written notes a text that was found on disk; the editor may have read it already, or do so next.
func (s *snapshot) written(path string, f *source.File) {
	s.mean(path, func(_ *document, m *meant) {
		if f.Hash != m.saved && !m.automatic {
			m.onDisk = f.Hash
		}
	})
}

// lookForReread sees that a document has become what somebody else has written, for clients that can't tell of changed files. Where one file
// was written, as by a change of branches, others may have been, too.
func (s *server) lookForReread(ctx context.Context, path string) {
	now := s.snapshot()
	d, m := now.documents[path], now.meant[path]
	if d == nil || m.automatic {
		return
	}
	f := now.disk.cache.file(path)
	if f == nil || !sameText(f, d.file) || sameText(f, m.text) || f.Hash == m.saved {
		return
	}
	s.change("read again "+path, func(next *snapshot) {
		next.forgetDisk()
		next.written(path, f)
	})
	s.indexFolders(ctx)
}

// asMeant is the provider of the texts that are meant.
type asMeant struct{ *snapshot }

// File implements source.Provider.
func (a asMeant) File(path string) (*source.File, bool) {
	if m := a.meant[path]; m != nil {
		return m.text, true
	}
	return a.snapshot.File(path)
}

// typedIn reports whether an open document has another text than the one that is meant.
func (s *snapshot) typedIn() bool {
	for path, d := range s.documents {
		if !sameText(d.file, s.meant[path].text) {
			return true
		}
	}
	return false
}

// sameMeant reports whether the same texts are meant.
func (s *snapshot) sameMeant(other *snapshot) bool {
	return maps.EqualFunc(s.meant, other.meant, func(a, b *meant) bool { return sameText(a.text, b.text) })
}

// basis is what is not understood of the texts that are meant, for the check of one document.
type basis struct {
	gaps     analysis.Gaps
	config   analysis.Config
	fromDisk int64
	reads    *recorder
}

// holds reports whether it is the basis of a check.
func (b *basis) holds(c *checked) bool {
	return b.gaps.Launched != nil && b.fromDisk == c.fromDisk && reflect.DeepEqual(b.config, c.config) && b.reads.fits(asMeant{c.snapshot})
}

// gapper is what tells what is not understood of a text. The engine that users get does.
type gapper interface {
	Gaps(context.Context, analysis.Request) analysis.Gaps
}

// basisOf returns the basis of a check, or nil where all texts are meant.
func (s *server) basisOf(ctx context.Context, c, last *checked) *basis {
	engine, able := s.checker.(gapper)
	if !able || !c.snapshot.typedIn() {
		return nil
	}
	if last != nil {
		if last.basis != nil && last.basis.holds(c) {
			return last.basis
		}
		if of := (&basis{last.found.Gaps, last.config, last.fromDisk, last.reads}); of.holds(c) {
			return of
		}
	}
	of := &basis{config: c.config, fromDisk: c.fromDisk, reads: newRecorder(asMeant{c.snapshot})}
	request := c.request()
	request.Files = of.reads
	of.gaps = engine.Gaps(ctx, request)
	return of
}

// narrowed is the basis of what is typed next.
func (b *basis) narrowed(now analysis.Gaps) *basis {
	if b == nil || now.Launched == nil {
		return b
	}
	next := *b
	next.gaps = b.gaps.Narrowed(now)
	return &next
}
