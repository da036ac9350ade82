// Package inputs makes the inputs of ScoR's applications, which read them as text: small ones, always
// the same.
package inputs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// ScoR are the standard input of each application, by the name of its folder; n times as large as the
// smallest.
var ScoR = map[string]func(n int) string{
	"1dconv":                func(n int) string { return fmt.Sprintln(9, 8000*n, numbers(9+8000*n, 10)) },
	"graph-coloring":        func(n int) string { return graph(400*n, 1200*n) },
	"graph-connectivity":    func(n int) string { return graph(2000*n, 4000*n) },
	"matrix-multiplication": func(n int) string { return fmt.Sprintln(5*n, 600, 32, numbers(5*n*600+600*32, 10)) },
	"reduction":             func(n int) string { return fmt.Sprintln(20000*n, numbers(20000*n, 100)) },
	"rule-110":              func(n int) string { return fmt.Sprintln(4000*n, 3, numbers(4000*n, 2)) },
	"uts":                   func(n int) string { return fmt.Sprintln(3, 60*n, 7) },
}

// Launch is how an application is built, and what it reads.
type Launch struct {
	Defines []string
	Input   string
}

// Defines are the sizes of launches for most purposes.
var Defines = []string{"NBLOCKS=15", "NTHREADS=256"}

// Racy is the launch that shows the injected races of an application: the usual sizes and an input
// n times as large as the smallest, but for two, whose launches are always the same. In matrix-multiplication, blocks of 128 threads contend for a lock of
// the grid. In uts two races lie behind the overflow of a block's own stack, which has four places
// for each thread: trees of five levels overflow 128 while other blocks look for work.
func Racy(name string, n int) (Launch, bool) {
	switch input := ScoR[name]; {
	case name == "matrix-multiplication":
		return Launch{[]string{"NBLOCKS=15", "NTHREADS=128"}, fmt.Sprintln(5, 300, 32, numbers(5*300+300*32, 10))}, true
	case name == "uts":
		return Launch{[]string{"NBLOCKS=6", "NTHREADS=32"}, fmt.Sprintln(5, 6, 7)}, true
	case input != nil:
		return Launch{Defines, input(n)}, true
	}
	return Launch{}, false
}

// numbers are random numbers from 0 to below the limit.
func numbers(count, limit int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range count {
		fmt.Fprint(&b, random.IntN(limit), " ")
	}
	return b.String()
}

// graph is the number of vertices and of edges, and then the edges: each from the lesser vertex to
// the greater, as the programs want them. A vertex that is its own neighbour has no color.
func graph(vertices, edges int) string {
	random := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	fmt.Fprint(&b, vertices, " ", edges)
	for range edges {
		to := 1 + random.IntN(vertices-1)
		fmt.Fprint(&b, " ", random.IntN(to), " ", to)
	}
	return b.String()
}
