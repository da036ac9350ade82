package syntax

// This file turns a path into a Unit: the text is expanded and split, the pieces that the
// previous unit does not have are parsed, and all are put together to one tree.

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/warplint/warplint/analysis/source"
)

// Parse reads the file at path and what it includes, and parses it. The previous unit of the
// same path, or one of another file that includes the same, or nil, makes it faster and changes
// nothing in the result; the units then share nodes. When the context ends, Parse returns at once
// with what it has; its root then has HasError set.
func Parse(ctx context.Context, files source.Provider, path string, cfg Config, previous *Unit) *Unit {
	return ParseWith(ctx, files, path, cfg, previous, nil)
}

// ParseWith is Parse with a memory of what files include, which may be nil.
func ParseWith(ctx context.Context, files source.Provider, path string, cfg Config, previous *Unit, known *Included) *Unit {
	p := newPreprocessor(ctx, files, path, cfg)
	p.unit()
	u := &Unit{File: path, Text: string(p.out), Problems: p.problems, Files: p.read, origins: p.origins, placed: new(atomic.Pointer[placed])}
	parts := split(u.Text)
	u.chunks = make([]chunk, len(parts))
	for i, at := range parts {
		u.chunks[i] = chunk{piece: at, text: u.Text[at.start:at.end]}
	}
	missing := known.take(u.reuse(previous))
	for _, c := range missing { // others take what comes of it from here: it is not to keep the whole text in memory
		c.text = strings.Clone(c.text)
		c.words = &Words{text: c.text}
	}
	u.Parsed = len(missing)
	kept := known.candidates(u, missing)
	parseAll(ctx, missing)
	known.keep(kept)
	u.assemble()
	u.Problems = append(u.Problems[:len(u.Problems):len(u.Problems)], u.tooDeep()...)
	u.Root.HasError = u.Root.HasError || ctx.Err() != nil
	return u
}

// tooDeep tells of the pieces that could not be parsed.
func (u *Unit) tooDeep() (problems []Problem) {
	for i := range u.chunks {
		if c := &u.chunks[i]; c.unparsed {
			problems = append(problems, Problem{Span: u.Origin(c.start, c.start+1).Span, Limit: true,
				Message: "the declaration here nests too deep or is too large, and is left out"})
		}
	}
	return problems
}

// chunk is a piece and its tree.
type chunk struct {
	piece
	text  string
	words *Words
	branches
	unparsed bool   // the tree is only an error
	tree     *cTree // kept for large pieces only
	former   *cTree // of a piece that was in this one's place, until it is parsed
}

// reuse takes what it can from the previous unit and returns the chunks to parse. After an
// edit the chunks before and after it are those of the previous unit, in the same order.
func (u *Unit) reuse(previous *Unit) (missing []*chunk) {
	var old []chunk
	if previous != nil {
		old = previous.chunks
	}
	chunks := u.chunks
	for len(chunks) > 0 && len(old) > 0 && chunks[0].take(&old[0]) {
		chunks, old = chunks[1:], old[1:]
	}
	for len(chunks) > 0 && len(old) > 0 && chunks[len(chunks)-1].take(&old[len(old)-1]) {
		chunks, old = chunks[:len(chunks)-1], old[:len(old)-1]
	}
	byText := make(map[string]*chunk, len(old))
	for i := range old {
		byText[old[i].text] = &old[i]
	}
	for i := range chunks {
		c := &chunks[i]
		if same := byText[c.text]; same != nil && c.take(same) {
			continue
		}
		if i < len(old) && previous.File == u.File {
			c.former = old[i].tree
		}
		missing = append(missing, c)
	}
	return missing
}

// take takes the nodes of a former chunk if it has the same text.
func (c *chunk) take(old *chunk) bool {
	if old.kind != c.kind || old.text != c.text || len(old.nodes) == 0 && old.kind != close {
		return false
	}
	c.tree, c.branches, c.unparsed, c.words = old.tree, old.branches, old.unparsed, old.words
	if old.start != c.start {
		c.branches = old.shifted(c.start - old.start)
	}
	return true
}

// parseAll parses chunks on all processors.
func parseAll(ctx context.Context, chunks []*chunk) {
	var next atomic.Int64
	var wait sync.WaitGroup
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(chunks) {
				return
			}
			chunks[i].parse(ctx)
		}
	}
	size := 0
	for _, c := range chunks {
		size += len(c.text)
	}
	for range min(runtime.GOMAXPROCS(0)-1, len(chunks)-1, size/keepTree) { // besides this one
		wait.Go(work)
	}
	work()
	wait.Wait()
}

func (c *chunk) parse(ctx context.Context) {
	former := c.former
	c.former = nil
	if c.kind == close {
		return
	}
	shown := c.shown()
	if len(shown) < keepTree {
		former = nil
	}
	done := false
	if !tooDeep(shown) {
		tree := parseShown(ctx, shown, former)
		if tree == nil {
			return
		}
		if c.branches, done = copyTree(tree, c.text, c.start); done && len(shown) >= keepTree {
			c.tree = tree.keep()
		} else {
			tree.free()
		}
	}
	if !done {
		c.unparsed = true
		c.nodes = []Node{{Kind: "translation_unit", Named: true, HasError: true, Start: c.start, End: c.end},
			{Kind: "ERROR", Named: true, HasError: true, Start: c.start, End: c.end}}
		c.children = []int32{1}
		c.link(func(i int) int { return 1 - i })
	}
}

// shown is what the grammar gets to see of the chunk.
func (c *chunk) shown() string {
	if c.kind == open {
		return c.text + "}"
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
	path  []*Node // from the item to the list of its declarations
	list  *Node
	close *Node // nil for what turned out to be no block
}

// assemble makes the unit's tree out of its chunks.
func (u *Unit) assemble() {
	u.Root = &Node{Kind: "translation_unit", Named: true, End: len(u.Text)}
	blocks := []block{{list: u.Root}}
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
			b, ok := openBlock(&head.nodes[0])
			if !ok {
				// What follows counts as if it stood outside.
				b = block{list: top.list}
				b.path = []*Node{{Kind: "ERROR", Named: true, HasError: true, Start: c.start, End: c.end}}
			}
			top.list.Children = append(top.list.Children, b.path[0])
			blocks = append(blocks, b)
		case c.nodes[0].Kind == "ERROR": // all of the piece is no declaration
			top.list.Children = append(top.list.Children, &c.nodes[0])
		default:
			top.list.Children = append(top.list.Children, c.nodes[0].Children...)
		}
	}
	for len(blocks) > 1 {
		top := &blocks[len(blocks)-1]
		if top.close != nil {
			top.close.Missing = true
		}
		end := u.chunks[len(u.chunks)-1].end
		top.finish(end, end)
		blocks = blocks[:len(blocks)-1]
	}
	for _, n := range u.Root.Children {
		u.Root.HasError = u.Root.HasError || n.HasError
	}
}

// openBlock finds the list of declarations in the tree of "namespace N {}". It returns false
// where the head is none after all.
func openBlock(root *Node) (b block, ok bool) {
	if len(root.Children) != 1 {
		return b, false
	}
	for n := root; len(n.Children) > 0; {
		n = n.Children[len(n.Children)-1]
		b.path = append(b.path, n)
		if n.Kind == "declaration_list" && len(n.Children) == 2 {
			b.list, b.close = n, n.Children[1]
			n.Children = n.Children[:1:1]
			return b, true
		}
	}
	return b, false
}

// finish ends a block with its closing bracket.
func (b *block) finish(start, end int) {
	if b.close == nil {
		return
	}
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
