package syntax

// This file shows the pieces that a unit's text is cut into, for those who keep what they made
// of one.

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// Piece is one top-level declaration, or the beginning or end of a namespace or extern block.
type Piece struct {
	Start, End  int
	Begin, Last bool // of a block
	HasError    bool // its tree has
	*Words
}

// Words are what a piece's text holds. Pieces of the same text share them.
type Words struct {
	once  sync.Once
	text  string
	hash  [sha256.Size]byte
	names []string
}

func (w *Words) read() {
	w.once.Do(func() {
		w.hash = sha256.Sum256([]byte(w.text))
		for s := newScanner(w.text); ; {
			switch s.scan() {
			case identifier:
				w.names = append(w.names, s.last())
			case endOfText:
				slices.Sort(w.names)
				w.names = slices.Compact(w.names)
				return
			}
		}
	})
}

// Text is the piece's text.
func (w *Words) Text() string { return w.text }

// Hash is the hash of the text.
func (w *Words) Hash() [sha256.Size]byte {
	w.read()
	return w.hash
}

// Names are the identifiers and keywords in the text, sorted.
func (w *Words) Names() []string {
	w.read()
	return w.names
}

// Pieces lists the pieces of a unit and of those linked to it, in the order of the text.
func (u *Unit) Pieces() []Piece {
	var out []Piece
	add := func(chunks []chunk, base int) {
		for i := range chunks {
			c := &chunks[i]
			out = append(out, Piece{Start: base + c.start, End: base + c.end, Begin: c.kind == open, Last: c.kind == close,
				HasError: len(c.nodes) == 0 || c.nodes[0].HasError, Words: c.words})
		}
	}
	add(u.chunks, 0)
	for _, o := range u.others {
		add(o.unit.chunks, o.base)
	}
	return out
}
