package syntax

// This file is the bridge to tree-sitter: parsing a text, and copying a C tree to Nodes.

/*
#include <stdlib.h>
#include "tree.h"
*/
import "C"

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	cuda "github.com/tree-sitter-grammars/tree-sitter-cuda/bindings/go"
	_ "github.com/tree-sitter/go-tree-sitter" // links the C library
)

// errorKind is the id tree-sitter gives to ERROR nodes, which its tables do not name.
const errorKind = 0xffff

// grammar holds the language and the names of its kinds and fields by id.
var grammar = sync.OnceValue(func() (g struct {
	language      *C.TSLanguage
	kinds, fields []string
}) {
	g.language = (*C.TSLanguage)(cuda.Language())
	g.kinds = make([]string, C.ts_language_symbol_count(g.language))
	for i := range g.kinds {
		g.kinds[i] = C.GoString(C.ts_language_symbol_name(g.language, C.uint16_t(i)))
	}
	g.fields = make([]string, C.ts_language_field_count(g.language)+1)
	for i := 1; i < len(g.fields); i++ {
		g.fields[i] = C.GoString(C.ts_language_field_name_for_id(g.language, C.uint16_t(i)))
	}
	return g
})

// idle keeps parsers for their next use; making one costs more than parsing a short text.
var idle = make(chan *C.TSParser, 4)

func borrowParser() *C.TSParser {
	select {
	case p := <-idle:
		return p
	default:
		return C.warplint_parser_new(grammar().language)
	}
}

func returnParser(p *C.TSParser) {
	select {
	case idle <- p:
	default:
		C.ts_parser_delete(p)
	}
}

// parseText parses a text. The second result is false when the context ended before it was
// done, and for a text of 4 GB and more.
func parseText(ctx context.Context, text string) (nodes []Node, ok bool) {
	if uint64(len(text)) > 1<<32-2 || ctx.Err() != nil {
		return nil, false
	}
	cancel := new(uintptr)
	defer context.AfterFunc(ctx, func() { atomic.StoreUintptr(cancel, 1) })()

	parser := borrowParser()
	defer returnParser(parser)
	tree := C.warplint_parse(parser, nil, (*C.char)(unsafe.Pointer(unsafe.StringData(text))),
		C.uint32_t(len(text)), (*C.size_t)(unsafe.Pointer(cancel)))
	if tree == nil {
		return nil, false
	}
	defer C.ts_tree_delete(tree)
	return copyTree(tree)
}

// copyTree copies a tree to Nodes in preorder, the root first.
func copyTree(tree *C.TSTree) (nodes []Node, ok bool) {
	var count C.size_t
	flat := C.warplint_flatten(tree, &count)
	if flat == nil {
		return nil, false
	}
	defer C.free(unsafe.Pointer(flat))

	g := grammar()
	from := unsafe.Slice(flat, int(count))
	nodes = make([]Node, len(from))
	children := make([]*Node, 0, len(from))
	for i := range from {
		f, n := &from[i], &nodes[i]
		n.Kind = "ERROR"
		if f.kind != errorKind {
			n.Kind = g.kinds[f.kind]
		}
		n.Field = g.fields[f.field]
		n.Named = f.flags&C.warplint_named != 0
		n.Missing = f.flags&C.warplint_missing != 0
		n.HasError = f.flags&C.warplint_error != 0
		n.Start, n.End = int(f.start), int(f.end)

		first := len(children)
		for c := i + 1; c < i+int(f.size); c += int(from[c].size) {
			children = append(children, &nodes[c])
		}
		if len(children) > first {
			n.Children = children[first:len(children):len(children)]
		}
	}
	return nodes, true
}
