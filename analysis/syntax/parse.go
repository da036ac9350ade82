package syntax

// This file turns a path into a Unit.

import (
	"context"

	"github.com/warplint/warplint/analysis/source"
)

// Parse reads the file at path and what it includes, and parses it. The previous unit of the
// same path, or nil, makes it faster and changes nothing in the result. When the context ends,
// Parse returns at once with what it has; its root then has HasError set.
func Parse(ctx context.Context, files source.Provider, path string, cfg Config, previous *Unit) *Unit {
	p := newPreprocessor(ctx, files, path, cfg)
	p.unit()
	u := &Unit{File: path, Text: string(p.out), Problems: p.problems, Files: p.read, origins: p.origins}
	nodes, ok := parseText(ctx, u.Text)
	if !ok {
		u.Root = &Node{Kind: "translation_unit", Named: true, HasError: true, End: len(u.Text)}
		return u
	}
	u.Root = &nodes[0]
	return u
}
