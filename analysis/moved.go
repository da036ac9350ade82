package analysis

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file says where places of a text are once it is edited.

// spot is where a span has come to. If an edit has written its text anew, it is somewhere within.
type spot struct {
	source.Span
	within bool
}

// has reports whether a span of the edited text may be the one that has come here.
func (p spot) has(s source.Span) bool {
	return s == p.Span || p.within && s.File == p.File && p.Start <= s.Start && s.End <= p.End
}

// mover says where a span has come to.
type mover func(source.Span) spot

// moving is the mover of some edits. A span that edits change grows with them; one whose text is a part of what an edit replaces
// is somewhere in what that wrote.
func moving(edits []race.Edit) mover {
	return func(s source.Span) spot {
		to := spot{Span: s}
		for _, e := range edits {
			grown := len(e.Text) - (e.Span.End - e.Span.Start)
			switch {
			case e.Span.File != s.File || e.Span.Start >= s.End:
			case e.Span.End <= s.Start:
				to.Start += grown
				to.End += grown
			case s.Start <= e.Span.Start && e.Span.End <= s.End:
				to.End += grown
			default:
				to.within = true
				to.Start -= max(0, s.Start-e.Span.Start)
				to.End += grown + max(0, e.Span.End-s.End)
			}
		}
		return to
	}
}
