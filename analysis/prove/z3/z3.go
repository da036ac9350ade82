// Package z3 asks Z3, where it is installed, for what the solvers of warplint leave undecided. Z3 is
// another program: a query is written as SMT-LIB text, and read from its standard input.
package z3

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/term"
)

// Solver is an installed Z3.
type Solver struct {
	// Resources bounds a query, in the units in which Z3 counts its work: they do not depend on the
	// machine. A second is some two millions.
	Resources int

	path    string
	version string
}

// Find looks for Z3 under a name or a path; of an empty one, on the PATH. The error says what is not
// there, or does not answer as Z3 does.
func Find(name string) (*Solver, error) {
	if name == "" {
		name = "z3"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("no Z3: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	text, err := exec.CommandContext(ctx, path, "--version").Output()
	version := strings.TrimSpace(string(text))
	if err != nil || !strings.HasPrefix(version, "Z3 version") {
		return nil, fmt.Errorf("%s is not Z3: it answers %q to --version", path, version)
	}
	return &Solver{Resources: resources, path: path, version: version}, nil
}

// None is the name of no Z3.
const None = "none"

// Named returns the Z3 of a name or path, or of the PATH for an empty one, and its version; nil and ""
// if there is none. It looks for each name once.
func Named(name string) (prove.Second, string) {
	if name == None {
		return nil, ""
	}
	known.Lock()
	defer known.Unlock()
	s, ok := known.of[name]
	if !ok {
		s, _ = Find(name)
		known.of[name] = s
	}
	if s == nil {
		return nil, ""
	}
	return s, s.version
}

var known = struct {
	sync.Mutex
	of map[string]*Solver
}{of: map[string]*Solver{}}

// answerTime is how long Z3 may take to tell its version.
const answerTime = 5 * time.Second

// Limits of a query. Z3 does not count what it takes to read and simplify one, which is seconds for a
// longer text.
const (
	resources = 300_000
	megabytes = 256
	bytesMost = 12 << 10
)

// Decide asks Z3 whether conditions can hold together with the axioms of their atoms, which may be nil.
// It ends at once, and Z3 with it, when the context does.
func (s *Solver) Decide(ctx context.Context, conds []*term.Cond, axioms func(*term.Atom) []*term.Cond) bits.Answer {
	query := Query(conds, axioms)
	if query == "" || len(query) > bytesMost {
		return bits.Unknown
	}
	text := fmt.Sprintf("(set-option :rlimit %d)\n%s(check-sat)\n", s.Resources, query)
	answer, err := s.run(ctx, text)
	if err != nil {
		return bits.Unknown
	}
	switch answer {
	case "unsat":
		return bits.Unsat
	case "sat":
		return bits.Sat
	}
	return bits.Unknown
}

// run gives Z3 a text and returns what it prints. A context of a budget is for one goroutine, so only
// its channel is looked at.
func (s *Solver) run(ctx context.Context, text string) (string, error) {
	cmd := exec.Command(s.path, "-in", "-smt2", fmt.Sprintf("-memory:%d", megabytes))
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout = strings.NewReader(text), &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ctx.Done():
		_ = cmd.Process.Kill()
		<-ended
		return "", ctx.Err()
	case err := <-ended:
		return strings.TrimSpace(out.String()), err
	}
}
