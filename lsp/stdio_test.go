package lsp_test

// This file tests the real program over its standard streams.

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// program builds warplint once for all tests and returns its path.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "warplint")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "warplint")
	out, err := exec.Command("go", "build", "-o", path, "github.com/warplint/warplint/cmd/warplint").CombinedOutput()
	if err != nil {
		err = errors.New(string(out))
	}
	return path, err
})

func TestMain(m *testing.M) {
	status := m.Run()
	if path, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// streams are the two pipes of a process.
type streams struct {
	io.Reader
	io.WriteCloser
}

// start runs `warplint lsp` and returns an editor that is connected to it.
func start(t *testing.T) *editor {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "lsp")
	cmd.Stderr = &testWriter{t: t}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	e := connect(t, streams{out, in}, ended)
	go func() {
		<-e.conn.Done() // Wait closes the pipe, which must not happen before it is read
		ended <- cmd.Wait()
	}()
	return e
}

func TestProgram(t *testing.T) {
	t.Run("session", func(t *testing.T) { replay(t, "testdata/missing-syncthreads.txtar", start(t)) })
	t.Run("exit without shutdown", func(t *testing.T) {
		e := start(t)
		e.initialize(capabilities(), nil)
		e.must(e.server.Exit(e.ctx))
		wantStatus(t, e.end(), 1)
	})
	t.Run("input closed", func(t *testing.T) {
		e := start(t)
		e.initialize(capabilities(), nil)
		e.must(e.conn.Close())
		wantStatus(t, e.end(), 1)
	})
}

func wantStatus(t *testing.T, err error, want int) {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != want {
		t.Errorf("the program ended with %v, want exit status %d", err, want)
	}
}
