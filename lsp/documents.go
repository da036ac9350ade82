package lsp

// This file defines the documents that the client has open, and how its notifications change
// them. A document is immutable: each change replaces it.

import (
	"context"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/analysis/source"
)

// document is one version of an open buffer.
type document struct {
	uri      uri.URI // as the client spells it
	path     string
	language protocol.LanguageKind
	version  int32
	file     *source.File
	mapper   *mapper
}

func newDocument(item protocol.TextDocumentItem, encoding protocol.PositionEncodingKind) *document {
	path := toPath(item.URI)
	return &document{
		uri: item.URI, path: path, language: item.LanguageID, version: item.Version,
		file: source.New(path, item.Text), mapper: newMapper(item.Text, encoding),
	}
}

// isCUDA reports whether the document is checked by itself. Its extension decides: editors
// disagree about the language of .cu and .cuh files, and some call them C++. Other names need
// the client's word that they are CUDA, such as a header or a buffer that was never saved.
func (d *document) isCUDA() bool {
	switch strings.ToLower(filepath.Ext(d.path)) {
	case ".cu", ".cuh":
		return true
	}
	return d.language == "cuda-cpp" || d.language == "cuda"
}

// changed returns the document's next version.
func (d *document) changed(version int32, changes []protocol.TextDocumentContentChangeEvent) *document {
	m := d.mapper
	for _, change := range changes {
		switch change := change.(type) {
		case *protocol.TextDocumentContentChangePartial:
			m = m.replace(change.Range, change.Text)
		case *protocol.TextDocumentContentChangeWholeDocument:
			m = newMapper(change.Text, m.encoding)
		}
	}
	next := *d
	next.version, next.mapper, next.file = version, m, source.New(d.path, m.text)
	return &next
}

// DidOpen implements protocol.Server.
func (s *server) DidOpen(_ context.Context, params *protocol.DidOpenTextDocumentParams) error {
	d := newDocument(params.TextDocument, s.client.encoding)
	s.change("opened "+d.path, func(next *snapshot) { next.opens(d) })
	return nil
}

// DidChange implements protocol.Server.
func (s *server) DidChange(_ context.Context, params *protocol.DidChangeTextDocumentParams) error {
	d, ok := s.snapshot().document(params.TextDocument.URI)
	if !ok {
		s.log.Warn("a change of a document that is not open was ignored", "uri", params.TextDocument.URI)
		return nil
	}
	next := d.changed(params.TextDocument.Version, params.ContentChanges)
	s.change("changed "+d.path, func(snap *snapshot) { snap.changes(next) })
	if !s.client.watchFiles {
		s.background(func(ctx context.Context) { s.lookForReread(ctx, d.path) })
	}
	return nil
}

// DidClose implements protocol.Server. From now on the file on disk counts.
func (s *server) DidClose(_ context.Context, params *protocol.DidCloseTextDocumentParams) error {
	path := toPath(params.TextDocument.URI)
	s.change("closed "+path, func(next *snapshot) { next.closes(path) })
	return nil
}
