package syntax

// This file turns a path into a Unit: the text is expanded and split, the pieces that the
// previous unit does not have are parsed, and all are put together to one tree.

import (
	"context"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/warplint/warplint/analysis/source"
)

// Parse reads the file at path and what it includes, and parses it. The previous unit of the
// same path, or nil, makes it faster and changes nothing in the result; the units then share
// nodes. When the context ends, Parse returns at once with what it has; its root then has
// HasError set.
func Parse(ctx context.Context, files source.Provider, path string, cfg Config, previous *Unit) *Unit {
	p := newPreprocessor(ctx, files, path, cfg)
	p.unit()
	u := &Unit{File: path, Text: string(p.out), Problems: p.problems, Files: p.read, origins: p.origins}
	pieces := split(u.Text)
	u.chunks = make([]chunk, len(pieces))
	var missing []*chunk
	known := previous.index()
	for i, at := range pieces {
		c := &u.chunks[i]
		c.piece, c.text = at, u.Text[at.start:at.end]
		if !c.reuse(known) {
			missing = append(missing, c)
		}
	}
	parseAll(ctx, missing, known)
	u.assemble()
	u.Root.HasError = u.Root.HasError || ctx.Err() != nil
	return u
}

// chunk is a piece and its tree.
type chunk struct {
	piece
	text string
	branches
	tree *cTree // kept for large pieces only
}

// index holds the chunks of a unit by their text.
type index struct {
	unit   *Unit
	byText map[string]*chunk
}

func (u *Unit) index() index {
	x := index{unit: u}
	if u != nil {
		x.byText = make(map[string]*chunk, len(u.chunks))
		for i := range u.chunks {
			c := &u.chunks[i]
			if len(c.nodes) > 0 {
				x.byText[c.text] = c
			}
		}
	}
	return x
}

// at returns the chunk at or before an offset, or nil.
func (x index) at(offset int) *chunk {
	if x.unit == nil {
		return nil
	}
	chunks := x.unit.chunks
	i := sort.Search(len(chunks), func(i int) bool { return chunks[i].start > offset })
	if i == 0 {
		return nil
	}
	return &chunks[i-1]
}

// reuse takes the nodes of a former chunk with the same text.
func (c *chunk) reuse(known index) bool {
	old := known.at(c.start)
	if old == nil || old.start != c.start || old.kind != c.kind || old.text != c.text || len(old.nodes) == 0 {
		old = known.byText[c.text]
	}
	if old == nil || old.kind != c.kind {
		return false
	}
	c.tree = old.tree
	c.branches = old.branches
	if old.start != c.start {
		c.branches = old.shifted(c.start - old.start)
	}
	return true
}

// parseAll parses chunks on all processors.
func parseAll(ctx context.Context, chunks []*chunk, known index) {
	var next atomic.Int64
	var wait sync.WaitGroup
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(chunks) {
				return
			}
			chunks[i].parse(ctx, known)
		}
	}
	size := 0
	for _, c := range chunks {
		size += len(c.text)
	}
	for range min(runtime.GOMAXPROCS(0), len(chunks), size/keepTree) {
		wait.Go(work)
	}
	work()
	wait.Wait()
}

func (c *chunk) parse(ctx context.Context, known index) {
	shown := c.shown()
	var former *cTree
	var formerText string
	if old := known.at(c.start); old != nil && old.tree != nil && len(shown) >= keepTree {
		former, formerText = old.tree, old.shown()
	}
	tree, ok := (*cTree)(nil), false
	if !tooDeep(shown) {
		tree, ok = parseShown(ctx, shown, former, formerText)
	}
	if ok {
		c.branches, ok = copyTree(tree, c.text, c.start)
	}
	switch {
	case !ok && ctx.Err() != nil:
		return
	case !ok:
		c.nodes = []Node{{Kind: "translation_unit", Named: true, HasError: true, Start: c.start, End: c.end},
			{Kind: "ERROR", Named: true, HasError: true, Start: c.start, End: c.end}}
		c.children = []int32{1}
		c.link(func(i int) int { return 1 - i })
	case len(shown) >= keepTree:
		c.tree = tree
	}
}

// shown is what the grammar gets to see of the chunk.
func (c *chunk) shown() string {
	switch c.kind {
	case open:
		return c.text + "}"
	case close:
		return ""
	}
	return disguise(c.text)
}

// maxBrackets is how deep brackets may nest; clang's limit is 256.
const maxBrackets = 1000

// tooDeep reports whether brackets nest deeper than any real program's, counting those in
// literals too.
func tooDeep(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			if depth++; depth > maxBrackets {
				return true
			}
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return false
}

// block is a namespace or extern block that is open while the tree is put together.
type block struct {
	path  []*Node // from the item to the list of its declarations; empty for the unit itself
	list  *Node
	close *Node
}

// assemble makes the unit's tree out of its chunks.
func (u *Unit) assemble() {
	u.Root = &Node{Kind: "translation_unit", Named: true, End: len(u.Text)}
	blocks := []block{{list: u.Root, path: []*Node{u.Root}}}
	for i := range u.chunks {
		c := &u.chunks[i]
		top := &blocks[len(blocks)-1]
		switch {
		case c.kind == close:
			if len(blocks) > 1 {
				top.finish(c.start, c.end)
				blocks = blocks[:len(blocks)-1]
			}
		case len(c.nodes) == 0: // the context ended
		case c.kind == open:
			// These nodes get the block's declarations as children, so they are not shared.
			head := c.shifted(0)
			top.list.Children = append(top.list.Children, head.nodes[0].Children...)
			blocks = append(blocks, openBlock(&head.nodes[0]))
		default:
			top.list.Children = append(top.list.Children, c.nodes[0].Children...)
		}
	}
	for len(blocks) > 1 {
		top := &blocks[len(blocks)-1]
		top.close.Missing = true
		end := len(strings.TrimRight(u.Text, " \t\r\n"))
		top.finish(end, end)
		blocks = blocks[:len(blocks)-1]
	}
	for _, n := range u.Root.Children {
		u.Root.HasError = u.Root.HasError || n.HasError
	}
}

// openBlock finds the list of declarations in the tree of "namespace N {}".
func openBlock(root *Node) block {
	var b block
	for n := root; len(n.Children) > 0; {
		n = n.Children[len(n.Children)-1]
		b.path = append(b.path, n)
		if n.Kind == "declaration_list" && len(n.Children) == 2 {
			b.list, b.close = n, n.Children[1]
			n.Children = n.Children[:1:1]
			return b
		}
	}
	// The head is no head after all; the declarations stand behind it.
	b.list, b.close = &Node{}, &Node{}
	b.path = []*Node{b.list}
	return b
}

// finish ends a block with its closing bracket.
func (b *block) finish(start, end int) {
	b.close.Start, b.close.End = start, end
	b.close.HasError = b.close.Missing
	b.list.Children = append(b.list.Children, b.close)
	for _, n := range b.list.Children {
		b.list.HasError = b.list.HasError || n.HasError
	}
	for _, n := range b.path {
		n.End = end
		n.HasError = n.HasError || b.list.HasError
	}
}
