package lsp

// This file defines what is said of comments that are meant to ignore findings and are not understood. Nobody is told of one while it is
// typed, so they are those of the text that is meant, as far as they still stand.

import (
	"github.com/warplint/warplint/analysis/suppress"
)

// mistakesOf returns what is not understood in such comments of a document; unsaid reports whether there is more, which is being typed.
func mistakesOf(s *snapshot, d *document) (said []suppress.Unused, unsaid bool) {
	now, meant := suppress.Mistakes(d.file), s.meant[d.path].text
	if len(now) == 0 || sameText(meant, d.file) {
		return now, false
	}
	ch := newChange(meant, d.file)
	for _, m := range suppress.Mistakes(meant) {
		if span, ok := ch.span(m.Span, strict); ok && d.file.Slice(span) == meant.Slice(m.Span) {
			m.Span = span
			said = append(said, m)
		}
	}
	return said, len(said) < len(now)
}
