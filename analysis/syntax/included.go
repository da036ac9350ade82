package syntax

import "sync"

// This file keeps the trees of what files include, for the other files that include it.

// Included keeps trees of included text by that text. It is safe for concurrent use; a nil one keeps nothing.
type Included struct {
	most int // bytes of text, in each of the two maps

	mu          sync.Mutex
	recent, old map[string]*chunk
	size        int // of the text in recent
}

// NewIncluded returns an empty memory for so many bytes of text.
func NewIncluded(most int) *Included { return &Included{most: most / 2, recent: map[string]*chunk{}} }

// take gives chunks the trees that are kept, and returns the chunks that have none.
func (p *Included) take(chunks []*chunk) (missing []*chunk) {
	if p == nil {
		return chunks
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range chunks {
		kept := p.recent[c.text]
		if kept == nil {
			if kept = p.old[c.text]; kept != nil {
				p.put(kept)
			}
		}
		if kept == nil || !c.take(kept) {
			missing = append(missing, c)
		}
	}
	return missing
}

// candidates lists the chunks of a unit that do not stand in its own file.
func (p *Included) candidates(u *Unit, chunks []*chunk) (out []*chunk) {
	if p == nil {
		return nil
	}
	for _, c := range chunks {
		if u.Origin(c.start, c.start+1).Span.File != u.File {
			out = append(out, c)
		}
	}
	return out
}

// keep keeps the trees of chunks.
func (p *Included) keep(chunks []*chunk) {
	if len(chunks) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range chunks {
		if len(c.text) <= p.most && (len(c.nodes) > 0 || c.kind == close) {
			p.put(&chunk{piece: c.piece, text: c.text, words: c.words, branches: c.branches, unparsed: c.unparsed})
		}
	}
}

// put keeps a chunk; what was not asked for lately is forgotten.
func (p *Included) put(c *chunk) {
	if p.recent[c.text] != nil {
		return
	}
	if p.size+len(c.text) > p.most {
		p.old, p.recent, p.size = p.recent, map[string]*chunk{}, 0
	}
	p.recent[c.text] = c
	p.size += len(c.text)
}
