package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary the warplint command of the scripts, so that they see real
// processes with real exit statuses.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"warplint": main})
}

// TestScripts runs testdata/script/*.txtar. `status N command...` runs a command and wants
// that exit status; `generate N file` writes a kernel of about N lines. What else writes files is
// in strange_test.go.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	racecheck, err := filepath.Abs("../../dynamic/racecheck/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			env.Setenv("RACECHECK", racecheck)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":   status,
			"generate": generate,
			"binary":   binary,
			"utf16":    utf16Text,
			"latin1":   latin1,
			"large":    large,
			"nested":   nested,
			"many":     many,
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// status runs a command and compares its exit status, which "exec" and "! exec" can't tell apart.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [arg...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s ended with status %s, want %s", args[1], got, args[0])
	}
}

// generate writes a long file: one kernel after the other, each correct.
func generate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: generate LINES FILE")
	}
	lines, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b strings.Builder
	for n := range lines / 5 {
		fmt.Fprintf(&b, "__global__ void k%d(int *a) {\n", n)
		b.WriteString("    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    a[i] = i;\n}\n\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o644))
}

// binary writes bytes that are no text.
func binary(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("\x7fELF\x00\x01\x02\xff\xfe"), 0o644))
}

// TestInterrupt: a cancelled run says so, once for all files, and does not look clean.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	t.Chdir(t.TempDir())
	command := []string{"check"}
	for _, name := range []string{"a.cu", "b.cu", "c.cu"} {
		if err := os.WriteFile(name, []byte("__global__ void k() {}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		command = append(command, name)
	}
	var stdout, stderr strings.Builder
	if got := run(ctx, command, &stdout, &stderr); got != exitFailure {
		t.Errorf("exit status %d, want %d", got, exitFailure)
	}
	if want := "warplint: a.cu: not checked, nor 2 more files: interrupted\nwarplint: interrupted\n"; stderr.String() != want {
		t.Errorf("standard error is %q, want %q", stderr.String(), want)
	}
}
