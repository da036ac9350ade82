// This file defines `warplint lsp`.

package main

import (
	"errors"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/warplint/warplint/internal/garbage"
	"github.com/warplint/warplint/lsp"
)

// errNoShutdown makes the exit status 1, as the protocol wants it; the log says why.
var errNoShutdown = errors.New("the connection ended without shutdown")

// serverRoom is how much memory the server may take, beyond what it has in use, to collect garbage seldom: a
// keystroke costs a fifth less.
const serverRoom = 64 << 20

func newLSPCommand() *cobra.Command {
	var verbose, stdio bool
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Language server on standard input and output",
		Long: "Speaks the Language Server Protocol on standard input and output. Editors start it;\n" +
			"docs/editors.md says how. The log goes to standard error.\n\n" +
			"Exit status: 0 if the editor shut it down, 1 if the connection ended otherwise, 2 bad usage.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			level := slog.LevelWarn
			if verbose {
				level = slog.LevelDebug
			}
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
			garbage.Seldom(serverRoom)
			err := lsp.Serve(cmd.Context(), standardIO{cmd.InOrStdin(), cmd.OutOrStdout()}, lsp.Options{Version: version, Log: log})
			if err != nil {
				log.Warn("the server ends", "why", err)
				return errNoShutdown
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&verbose, "verbose", false, "log every change and check")
	cmd.Flags().BoolVar(&stdio, "stdio", true, "accepted because many editors pass it; there is no other way to connect")
	return cmd
}

// standardIO is the two streams as one connection.
type standardIO struct {
	io.Reader
	io.Writer
}

// Close closes the input, for nobody reads it any more.
func (s standardIO) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
