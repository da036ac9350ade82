// This file shows what happens inside of a library, which our headers stand for, where the user calls it.

package dynamic

import (
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/event"
)

// isOurs reports whether a file is a header that warplint brings.
func (s *Sources) isOurs(file string) bool {
	return s.headers != "" && strings.HasPrefix(file, s.headers)
}

// atCall moves an access of a library to the innermost call of the user's, or to where the host program calls a library whose
// kernel it is.
func (s *Sources) atCall(site race.Site, l *event.Launch) race.Site {
	if !s.isOurs(site.Span.File) {
		return site
	}
	inside := site.Span
	for n := len(site.Inlined); n > 0 && s.isOurs(site.Span.File); n-- {
		site.Span, site.Inlined = site.Inlined[n-1], site.Inlined[:n-1]
	}
	if s.isOurs(site.Span.File) {
		if at := s.launched(l); !at.IsZero() {
			site.Span = at
		}
	}
	if site.Span != inside {
		site.Library = inside
	}
	return site
}

// shown is the place to name for an instruction, likewise.
func (s *Sources) shown(l *event.Launch, at event.Location) event.Place {
	place := at.Place
	for n := len(at.Inlined); n > 0 && s.isOurs(place.File); n-- {
		place = at.Inlined[n-1]
	}
	if !s.isOurs(place.File) {
		return place
	}
	span := s.launched(l)
	if file, ok := s.File(span.File); ok {
		p := file.Position(span.Start)
		return event.Place{File: span.File, Line: p.Line, Column: p.Column}
	}
	return place
}

// launched is the place of the host program from which a kernel was launched; zero if it is not known.
func (s *Sources) launched(l *event.Launch) source.Span {
	if callers, ok := cudart.Callers(l.From); ok {
		return s.called(callers)
	}
	return source.Span{}
}
