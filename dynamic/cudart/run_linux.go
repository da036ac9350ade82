// This file starts the program's process and ends it.

package cudart

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Run executes a program and serves it until it ends. The error is nil if it exited with
// status 0, *Ended if not, the context's error if that ended it. The program and all that it
// started are gone when Run returns, which is less than 100 ms after the context is done.
func (s *Session) Run(ctx context.Context, p Program) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("a socket for the program: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "socket")
	ourFile := os.NewFile(uintptr(pair[0]), "socket")
	ours, err := net.FileConn(ourFile)
	ourFile.Close()
	if err != nil {
		theirs.Close()
		return fmt.Errorf("a socket for the program: %w", err)
	}
	defer ours.Close()

	cmd := exec.CommandContext(ctx, p.Executable, p.Args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Dir, p.Stdin, p.Stdout, p.Stderr
	cmd.ExtraFiles = []*os.File{theirs, s.shared.file} // descriptors 3 and 4
	cmd.Env = append(os.Environ(), "WARPLINT_RUNTIME=3", "LD_LIBRARY_PATH="+libraryPath(p.Library))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 50 * time.Millisecond
	runtime.LockOSThread() // Pdeathsig is about this thread
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return err
	}
	serveCtx, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- s.Serve(serveCtx, ours) }()

	err = cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // a child that it left behind holds its output open
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it started and left behind
	stop()                                          // a launch whose program is gone ends, too
	ours.Close()
	if failed := <-served; failed != nil && err == nil && !errors.Is(failed, net.ErrClosed) {
		err = fmt.Errorf("talking to the program: %w", failed)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status := exit.Sys().(syscall.WaitStatus)
		if status.Signaled() {
			return &Ended{Signal: status.Signal()}
		}
		return &Ended{Status: status.ExitStatus()}
	}
	return err
}

func libraryPath(library string) string {
	path := filepath.Dir(library)
	if old := os.Getenv("LD_LIBRARY_PATH"); old != "" {
		path += string(os.PathListSeparator) + old
	}
	return path
}
