package lower

import (
	"regexp"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

// This file says which launches may be made again and again though they stand in no loop: what a later one finds in
// memory is what the one before has left there.

// repeat notes that a launch, or what the host sets before it, may come again.
func repeat(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.Launch:
		s.Again = true
	case *ir.HostCopy:
		s.Again = true
	}
}

// capture is cudaStreamBeginCapture, or cudaStreamEndCapture: what stands between them is a graph, which is made to be
// launched more than once.
func capture(by int) intrinsic {
	return func(l *lowerer, c *callSite) value {
		l.repeating = max(l.repeating+by, 0)
		return harmless(l, c)
	}
}

// once is in the names of functions that call what they are given once.
var once = regexp.MustCompile(`(?i)dispatch|switch|visit|once|submit|enqueue|async|thread`)

// callsAgain reports whether a function that is not known may call what it is given more than once, as std::for_each does.
// Macros mostly choose a type, and call it once.
func callsAgain(callee string) bool {
	return strings.ToUpper(callee) != callee && !once.MatchString(callee)
}
