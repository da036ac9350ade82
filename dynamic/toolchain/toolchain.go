// Package toolchain turns CUDA source into something that the simulator runs: device code as
// PTX with a line and column for each instruction, host code as an executable that calls the
// simulator's runtime.
//
// It needs clang 14 or newer (16 for signed bit fields, which 14 miscompiles) with the NVPTX target and
// nothing of the CUDA toolkit: the headers are in the include folder. Device code takes several steps (device.go): clang's front end
// writes LLVM IR, which nothing has optimized yet; pin.go marks each access to memory so that
// optimization neither removes nor merges nor moves it; clang optimizes; inlined.go numbers the
// inlined locations; clang writes PTX; inlined.go says in it where they were inlined.
package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Oldest and Newest bound the versions of clang that are known to work; a newer one is tried.
const (
	Oldest = 14
	Newest = 19
)

// ErrMissing says that no compiler was found, and how to get one.
var ErrMissing = errors.New("no clang with the NVPTX target was found: install clang 14 or newer " +
	"(on Debian and Ubuntu: apt-get install clang-19, or clang), or name one in WARPLINT_CLANG")

// Toolchain is a compiler of this machine.
type Toolchain struct {
	Clang   string // path of clang++
	Version int    // its major version
	include string // the folder of our headers
}

// Find looks for clang++: the one that the environment variable WARPLINT_CLANG names, otherwise
// the newest known version on the PATH.
func Find(ctx context.Context) (*Toolchain, error) {
	names := []string{os.Getenv("WARPLINT_CLANG")}
	if names[0] == "" {
		names = nil
		for v := Newest; v >= Oldest; v-- {
			names = append(names, fmt.Sprintf("clang++-%d", v))
		}
		names = append(names, "clang++")
	}
	var reasons []string
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			if len(names) == 1 {
				reasons = append(reasons, "WARPLINT_CLANG: "+err.Error())
			}
			continue
		}
		version, err := probe(ctx, path)
		if err != nil {
			reasons = append(reasons, err.Error())
			continue
		}
		include, err := unpackHeaders()
		if err != nil {
			return nil, err
		}
		return &Toolchain{Clang: path, Version: version, include: include}, nil
	}
	if len(reasons) > 0 {
		return nil, fmt.Errorf("%w (%s)", ErrMissing, strings.Join(reasons, "; "))
	}
	return nil, ErrMissing
}

var versionText = regexp.MustCompile(`clang version (\d+)\.`)

// probe asks a compiler for its version and targets.
func probe(ctx context.Context, path string) (version int, err error) {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("%s --version failed: %w", path, err)
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("%s is no clang", path)
	}
	version, _ = strconv.Atoi(string(m[1]))
	if version < Oldest {
		return 0, fmt.Errorf("%s is version %d", path, version)
	}
	out, err = exec.CommandContext(ctx, path, "--print-targets").Output()
	if err != nil || !bytes.Contains(out, []byte("nvptx64")) {
		return 0, fmt.Errorf("%s has no NVPTX target", path)
	}
	return version, nil
}

// CompileError holds what the compiler said about a file that it refused.
type CompileError struct {
	File     string
	Messages string // as the compiler wrote them
}

// builtInCandidate is one of the hundred lines that say of an operator what numbers it takes.
var builtInCandidate = regexp.MustCompile(`(?m)^.*: note: built-in candidate .*\n`)

func (e *CompileError) Error() string {
	messages, _, _ := strings.Cut(e.Messages, "PLEASE submit a bug report") // what follows is the compiler's own stack
	text := fmt.Sprintf("%s does not compile:\n%s", e.File, strings.TrimRight(builtInCandidate.ReplaceAllString(messages, ""), "\n"))
	if h := hint(e.Messages); h != "" {
		text += "\n" + h
	}
	return text
}

// Run executes the compiler; file names what it works on in messages. The compiler's children end with the context, too.
func (t *Toolchain) Run(ctx context.Context, file string, args ...string) error {
	cmd := exec.CommandContext(ctx, t.Clang, args...)
	var messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &messages, &messages
	endWithChildren(cmd)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has ended well; a loaded machine is slow to hand over what it said
	}
	if err != nil {
		if messages.Len() == 0 {
			return fmt.Errorf("%s: %s failed: %w", file, t.Clang, err)
		}
		return &CompileError{File: file, Messages: messages.String()}
	}
	return nil
}

// Include is the folder of our headers.
func (t *Toolchain) Include() string { return t.include }
