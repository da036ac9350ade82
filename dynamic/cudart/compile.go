// This file serves programs that compile kernels as they run.

package cudart

import (
	"bytes"
	"context"
)

// Source is what a program hands to NVRTC.
type Source struct {
	Name, Text  string
	Headers     [][2]string // name and text
	Expressions []string    // names of kernels, as C++ writes them
	Options     []string
}

// Compiled is what comes of it. Lowered has the symbol of each expression, empty where there is none.
type Compiled struct {
	OK       bool
	Log, PTX string
	Lowered  []string
}

// compile reads the strings of a request: name, text, headers, then expressions, then options.
func (s *Session) compile(ctx context.Context, q request, payload []byte) answer {
	var list []string
	for len(payload) > 0 {
		text, rest, _ := bytes.Cut(payload, []byte{0})
		list, payload = append(list, string(text)), rest
	}
	sources, expressions := q.A[0], q.A[1]
	if s.options.Compile == nil || sources < 2 || sources%2 != 0 || sources > uint64(len(list)) || expressions > uint64(len(list))-sources {
		return failure(invalidValue)
	}
	source := Source{Name: list[0], Text: list[1], Expressions: list[sources:][:expressions], Options: list[sources+expressions:]}
	for i := uint64(2); i < sources; i += 2 {
		source.Headers = append(source.Headers, [2]string{list[i], list[i+1]})
	}
	c := s.options.Compile(ctx, source)
	a := values(0, uint64(len(c.Log)), uint64(len(c.PTX)))
	if c.OK {
		a.values[0] = 1
	}
	a.payload = []byte(c.Log + c.PTX)
	for i := range expressions {
		if i < uint64(len(c.Lowered)) {
			a.payload = append(a.payload, c.Lowered[i]...)
		}
		a.payload = append(a.payload, 0)
	}
	if len(a.payload) == 0 {
		a.payload = []byte{0} // the client wants something to read
	}
	return a
}
