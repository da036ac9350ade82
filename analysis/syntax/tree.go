package syntax

// This file is the bridge to tree-sitter: parsing a piece of text, and copying the C tree to
// nodes. It is the only one that calls C.

/*
#include <stdlib.h>
#include "tree.h"
*/
import "C"

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	cuda "github.com/tree-sitter-grammars/tree-sitter-cuda/bindings/go"
	_ "github.com/tree-sitter/go-tree-sitter" // links the C library
)

const (
	// errorKind is the id tree-sitter gives to ERROR nodes, which its tables do not name.
	errorKind = 0xffff
	// keepTree is the size of a piece in bytes from which on its C tree is kept, so that an
	// edit need not parse all of it again.
	keepTree = 16 << 10
)

// grammar holds the language and the names of its kinds and fields by id.
var grammar = sync.OnceValue(func() (g struct {
	language      *C.TSLanguage
	kinds, fields []string
	comment       C.uint16_t // the kind of comments
}) {
	C.warplint_use_malloc()
	g.language = (*C.TSLanguage)(cuda.Language())
	g.kinds = make([]string, C.ts_language_symbol_count(g.language))
	for i := range g.kinds {
		g.kinds[i] = C.GoString(C.ts_language_symbol_name(g.language, C.uint16_t(i)))
		if g.kinds[i] == "comment" {
			g.comment = C.uint16_t(i)
		}
	}
	g.fields = make([]string, C.ts_language_field_count(g.language)+1)
	for i := 1; i < len(g.fields); i++ {
		g.fields[i] = C.GoString(C.ts_language_field_name_for_id(g.language, C.uint16_t(i)))
	}
	return g
})

// idle keeps parsers for their next use; making one costs more than parsing a short text.
var idle = make(chan *C.TSParser, 8)

func borrowParser() *C.TSParser {
	select {
	case p := <-idle:
		return p
	default:
		return C.warplint_parser_new(grammar().language)
	}
}

// returnParser takes a parser back after a parse that gave a tree. One that was interrupted
// must not be used again: when it was balancing the tree, ts_parser_reset drops the tree but
// not the note to go on with it, and the next parse ends the process by an assertion.
func returnParser(p *C.TSParser, interrupted bool) {
	if !interrupted {
		select {
		case idle <- p:
			return
		default:
		}
	}
	C.ts_parser_delete(p)
}

// cTree owns a tree in C memory and the text that it was made of.
type cTree struct {
	c    *C.TSTree
	text string
}

// keep lets the garbage collector free the tree.
func (t *cTree) keep() *cTree {
	runtime.AddCleanup(t, func(c *C.TSTree) { C.ts_tree_delete(c) }, t.c)
	return t
}

// free frees a tree that is not kept.
func (t *cTree) free() { C.ts_tree_delete(t.c) }

// parseShown parses what the grammar is to see of a piece. former, if not nil, is the tree of
// a similar text; it makes the parse faster. It returns nil when the context ends before.
func parseShown(ctx context.Context, text string, former *cTree) *cTree {
	if ctx.Err() != nil {
		return nil
	}
	cancel := new(uintptr)
	defer context.AfterFunc(ctx, func() { atomic.StoreUintptr(cancel, 1) })()
	parser := borrowParser()
	interrupted := false
	defer func() { returnParser(parser, interrupted) }()
	parse := func(old *C.TSTree) *C.TSTree {
		tree := C.warplint_parse(parser, old, (*C.char)(unsafe.Pointer(unsafe.StringData(text))),
			C.uint32_t(len(text)), (*C.size_t)(unsafe.Pointer(cancel)))
		interrupted = tree == nil
		return tree
	}

	if former != nil {
		old := C.ts_tree_copy(former.c)
		defer C.ts_tree_delete(old)
		start, oldEnd, newEnd := difference(former.text, text)
		C.warplint_edit(old, C.uint32_t(start), C.uint32_t(oldEnd), C.uint32_t(newEnd))
		tree := parse(old)
		runtime.KeepAlive(former)
		// How tree-sitter recovers from an error depends on where it started; so that the
		// result depends on the text alone, only a tree without errors counts.
		switch {
		case tree == nil:
			return nil
		case !bool(C.warplint_has_error(tree)):
			return &cTree{tree, text}
		}
		C.ts_tree_delete(tree)
	}
	if tree := parse(nil); tree != nil {
		return &cTree{tree, text}
	}
	return nil
}

// difference returns the smallest range whose replacement makes after out of before.
func difference(before, after string) (start, beforeEnd, afterEnd int) {
	n := min(len(before), len(after))
	for start < n && before[start] == after[start] {
		start++
	}
	beforeEnd, afterEnd = len(before), len(after)
	for beforeEnd > start && afterEnd > start && before[beforeEnd-1] == after[afterEnd-1] {
		beforeEnd--
		afterEnd--
	}
	return start, beforeEnd, afterEnd
}

// branches are the nodes of one piece in preorder, the root first, and for every node in this
// order the indexes of its children.
type branches struct {
	nodes    []Node
	children []int32
}

// link sets the children of all nodes.
func (b *branches) link(counts func(i int) int) {
	slots := make([]*Node, len(b.children))
	for i, c := range b.children {
		slots[i] = &b.nodes[c]
	}
	for i := range b.nodes {
		if n := counts(i); n > 0 {
			b.nodes[i].Children, slots = slots[:n:n], slots[n:]
		}
	}
}

// shifted returns a copy that lies further on in the text.
func (b *branches) shifted(by int) branches {
	c := branches{nodes: append([]Node(nil), b.nodes...), children: b.children}
	for i := range c.nodes {
		c.nodes[i].Start += by
		c.nodes[i].End += by
	}
	c.link(func(i int) int { return len(b.nodes[i].Children) })
	return c
}

// copyTree copies the tree of a piece's text, of which the first byte stands at base. It
// returns false for a tree that is too deep or too large.
func copyTree(tree *cTree, text string, base int) (b branches, ok bool) {
	var count C.size_t
	g := grammar()
	flat := C.warplint_flatten(tree.c, g.comment, &count)
	runtime.KeepAlive(tree)
	if flat == nil {
		return b, false
	}
	defer C.free(unsafe.Pointer(flat))
	from := unsafe.Slice(flat, int(count))

	b.nodes = make([]Node, len(from))
	b.children = make([]int32, 0, len(from))
	counts := make([]int32, len(from))
	for i := range from {
		f, n := &from[i], &b.nodes[i]
		n.Kind = "ERROR"
		if f.kind != errorKind {
			n.Kind = g.kinds[f.kind]
		}
		n.Field = g.fields[f.field]
		n.Named = f.flags&C.warplint_named != 0
		n.Missing = f.flags&C.warplint_missing != 0
		n.Start, n.End = base+int(f.start), base+int(f.end)
		for c := i + 1; c < i+int(f.size); c += int(from[c].size) {
			if absent := C.uint32_t(C.warplint_missing | C.warplint_named); n.Kind == "template_instantiation" && from[c].flags&absent == absent {
				continue // "template class C<int>;" has no declarator
			}
			b.children = append(b.children, int32(c))
			counts[i]++
		}
	}
	b.link(func(i int) int { return int(counts[i]) })
	for i := len(b.nodes) - 1; i >= 0; i-- {
		n := &b.nodes[i]
		n.HasError = n.Missing || n.Kind == "ERROR"
		for _, c := range n.Children {
			n.HasError = n.HasError || c.HasError
		}
		n.undisguise(text, base)
	}
	return b, true
}
