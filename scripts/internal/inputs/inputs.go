// Package inputs makes the inputs of ScoR's applications, which read them as text: small ones, always
// the same.
package inputs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// ScoR are the standard input of each application, by the name of its folder.
var ScoR = map[string]func() string{
	"1dconv":                func() string { return "9 8000 " + numbers(9+8000, 10) },
	"graph-coloring":        func() string { return graph(400, 1200) },
	"graph-connectivity":    func() string { return graph(2000, 4000) },
	"matrix-multiplication": func() string { return "5 600 32 " + numbers(5*600+600*32, 10) },
	"reduction":             func() string { return "20000 " + numbers(20000, 100) },
	"rule-110":              func() string { return "4000 3 " + numbers(4000, 2) },
	"uts":                   func() string { return "3 60 7" },
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
