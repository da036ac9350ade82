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
	"strings"
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
var idle = make(chan *C.TSParser, 8)

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

// cTree owns a tree in C memory.
type cTree struct{ c *C.TSTree }

func own(c *C.TSTree) *cTree {
	t := &cTree{c}
	runtime.AddCleanup(t, func(c *C.TSTree) { C.ts_tree_delete(c) }, c)
	return t
}

// parseShown parses what the grammar is to see of a piece. former, if not nil, is the tree of
// formerText; it makes the parse of a similar text faster. It returns false when the context
// ends before.
func parseShown(ctx context.Context, text string, former *cTree, formerText string) (*cTree, bool) {
	if ctx.Err() != nil {
		return nil, false
	}
	cancel := new(uintptr)
	defer context.AfterFunc(ctx, func() { atomic.StoreUintptr(cancel, 1) })()
	parser := borrowParser()
	defer returnParser(parser)
	parse := func(old *C.TSTree) *C.TSTree {
		return C.warplint_parse(parser, old, (*C.char)(unsafe.Pointer(unsafe.StringData(text))),
			C.uint32_t(len(text)), (*C.size_t)(unsafe.Pointer(cancel)))
	}

	if former != nil {
		old := C.ts_tree_copy(former.c)
		defer C.ts_tree_delete(old)
		start, oldEnd, newEnd := difference(formerText, text)
		C.warplint_edit(old, C.uint32_t(start), C.uint32_t(oldEnd), C.uint32_t(newEnd))
		tree := parse(old)
		runtime.KeepAlive(former)
		if tree == nil {
			return nil, false
		}
		// How tree-sitter recovers from an error depends on where it started; so that the
		// result depends on the text alone, only a tree without errors counts.
		if !bool(C.warplint_has_error(tree)) {
			return own(tree), true
		}
		C.ts_tree_delete(tree)
	}
	tree := parse(nil)
	if tree == nil {
		return nil, false
	}
	return own(tree), true
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
	flat := C.warplint_flatten(tree.c, &count)
	runtime.KeepAlive(tree)
	if flat == nil {
		return b, false
	}
	defer C.free(unsafe.Pointer(flat))
	from := unsafe.Slice(flat, int(count))
	g := grammar()

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
			if n.Kind == "template_instantiation" && from[c].flags&C.warplint_missing != 0 {
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

// undisguise gives a node back what disguise hid from the grammar.
func (n *Node) undisguise(text string, base int) {
	switch n.Kind {
	case "sizeof_expression":
		if strings.HasPrefix(text[n.Start-base:], "typeid") {
			n.Kind, n.Children[0].Kind = "typeid_expression", "typeid"
		}
	case "new_expression":
		t, d := n.Child("type"), n.Child("declarator")
		if t != nil && d != nil {
			t.End = max(t.End, base+strings.LastIndexByte(text[:d.Start-base], '*')+1)
		}
	}
}
