package lsp

// This file defines what we ask the client to tell us: changed settings, and files that changed
// outside of the editor.

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis/source"
)

// watched are the files on which results may depend besides open documents.
const watched = "**/{*.cu,*.cuh,*.c,*.cc,*.cpp,*.cxx,*.h,*.hh,*.hpp,*.hxx,*.inl,*.inc,compile_commands.json,compile_flags.txt,.clangd,*.rsp}"

// register asks for the notifications that must be asked for.
func (s *server) register(ctx context.Context) {
	var all []protocol.Registration
	add := func(method string, options any) {
		raw, err := protocol.Marshal(options)
		if err != nil {
			s.log.Error("a registration can't be written", "method", method, "error", err)
			return
		}
		all = append(all, protocol.Registration{ID: method, Method: method, RegisterOptions: raw})
	}
	if s.client.watchFiles {
		add(protocol.MethodWorkspaceDidChangeWatchedFiles, &protocol.DidChangeWatchedFilesRegistrationOptions{
			Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern(watched)}},
		})
	}
	if s.client.watchSettings {
		add(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationRegistrationOptions{
			Section: protocol.String(section),
		})
	}
	if len(all) == 0 {
		return
	}
	err := s.peer.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: all})
	s.failed("register for notifications", err)
}

// DidChangeWatchedFiles implements protocol.Server. What has not changed really is found to fit
// still, so all of the disk may be looked at again.
func (s *server) DidChangeWatchedFiles(_ context.Context, params *protocol.DidChangeWatchedFilesParams) error {
	open := map[string]*source.File{}
	for _, change := range params.Changes {
		path := toPath(change.URI)
		s.index.stale(path)
		if now := s.snapshot(); now.documents[path] != nil {
			if f := now.disk.cache.file(path); f != nil {
				open[path] = f
			}
		}
	}
	s.change("files on disk", func(next *snapshot) {
		next.forgetDisk()
		for path, f := range open {
			next.written(path, f)
		}
	})
	return nil
}
