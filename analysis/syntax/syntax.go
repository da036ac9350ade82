// Package syntax turns a file and what it includes into one tree.
//
// A preprocessor of our own expands macros, conditionals and includes into one text
// (preprocess.go, directive.go, condition.go, expand.go). What it leaves alone stands there byte
// for byte; a comment is one space, a directive an empty line, a branch not taken nothing. A
// list of segments maps the text back to the files (origin.go): text out of a macro belongs to
// the macro's use, text of an argument to where the argument is written.
//
// The text is cut into top-level declarations (split.go), which tree-sitter parses one by one
// (tree.go), after a few things that its grammar gets wrong were disguised (disguise.go).
// An edit costs the parse of the declarations it changes (parse.go); the others keep their
// nodes, moved if they moved. The result is a function of the files and the Config, never of
// what was parsed before.
//
// The package returns a tree and its errors, and never fails. It is the only one that uses cgo.
package syntax

import (
	"slices"
	"sync/atomic"

	"github.com/warplint/warplint/analysis/source"
)

// Node is a syntax node of tree-sitter-cuda's grammar, copied out of C memory. Units share
// nodes, so nobody may change one.
type Node struct {
	Kind       string  // the grammar's name: "call_expression", "identifier", "(" …
	Field      string  // the name of the field of its parent that it fills, or ""
	Named      bool    // false for keywords and punctuation
	Missing    bool    // inserted by error recovery
	HasError   bool    // it or a descendant is an ERROR or is Missing
	Children   []*Node // all, in order; comments are left out
	Start, End int     // byte range in the unit's expanded text, which Unit.Origin maps back
}

// Child returns the first child that fills the field, or nil.
func (n *Node) Child(field string) *Node {
	if n == nil {
		return nil
	}
	for _, c := range n.Children {
		if c.Field == field {
			return c
		}
	}
	return nil
}

// Unit is one translation unit: a file with its includes and macros expanded.
type Unit struct {
	File string
	Text string // the expanded text
	Root *Node
	// Problems are directives that could not be followed, such as a missing "…" include.
	Problems []Problem
	// Files are all that was read: first the file itself, then what it includes.
	Files []*source.File
	// Parsed is how many pieces of the text were parsed; the others came from the previous unit.
	Parsed int
	// Linked are the roots of the units that Link put behind this one.
	Linked []*Node

	origins segments
	chunks  []chunk
	others  []linked                // the linked units
	placed  *atomic.Pointer[placed] // nil for a linked unit
}

// Problem is a place that was not understood.
type Problem struct {
	Span    source.Span
	Message string
	Limit   bool // text was left out because there is too much of it
	Absent  bool // an included file is not found
}

// Origin says where a stretch of the expanded text comes from.
type Origin struct {
	Span  source.Span // in a file; for text out of a macro, the macro's use
	Macro source.Span // the definition of the outermost macro, or zero
}

// Config is what the command line or compile_commands.json says about a file.
type Config struct {
	Defines     []string // NAME or NAME=VALUE
	Undefines   []string
	IncludeDirs []string
	Guessed     []string // folders that may hold headers, to be searched behind the system's
	Includes    []string // files included before the first line, as by -include
	Arch        int      // value of __CUDA_ARCH__, such as 800; 0 means 800
}

// Folders are all in which included files are looked for, in this order.
func (c Config) Folders() []string { return slices.Concat(c.IncludeDirs, c.Guessed) }

// foldersOf are those in which one file is looked for.
func (c Config) foldersOf(name string, angled bool) []string {
	if angled && isStandard(name) {
		return c.IncludeDirs
	}
	return c.Folders()
}
