// Command warplint finds data races in CUDA kernels. Its commands, flags, output and exit
// statuses are described in docs/command-line.md; each command is a file of this folder, and
// does no more than to read its flags and call the packages that do the work.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit statuses of all commands.
const (
	exitClean    = 0 // nothing at or above --fail-on
	exitFindings = 1 // something at or above --fail-on
	exitFailure  = 2 // bad usage, or nothing could be read
)

// errFindings makes the exit status exitFindings; the findings themselves are written already.
var errFindings = errors.New("findings at or above --fail-on")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal cancels; the second one, no longer caught, ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings), errors.Is(err, errNoShutdown):
		return exitFindings
	}
	fmt.Fprintln(stderr, "warplint:", err)
	return exitFailure
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "warplint",
		Short:         "Finds data races in CUDA kernels",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:       version,
	}
	root.SetVersionTemplate(about())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newCheck(), newSimulateCommand(), newImport(), newLSPCommand(), newExplain(), newVersion())
	return root
}
