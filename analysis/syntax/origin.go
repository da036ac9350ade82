package syntax

// This file defines the map from the expanded text back to the files.

import "sort"

// segment says where a stretch of expanded text comes from. It reaches to the next segment.
type segment struct {
	at         int32 // where it starts in the expanded text
	start, end int32 // the place in the text: byte for byte, or the macro's use
	text       *text
	macro      *macro // nil for text that stands in the file as it is
}

// exact reports whether the segment's text stands in the file as it is.
func (s *segment) exact() bool { return s.macro == nil }

type segments []segment

// find returns the index of the segment that covers the offset, or -1 before the first.
func (s segments) find(at int) int {
	return sort.Search(len(s), func(i int) bool { return int(s[i].at) > at }) - 1
}

// add appends a segment, unless the last one goes on.
func (s segments) add(n segment) segments {
	if len(s) > 0 {
		last := &s[len(s)-1]
		if last.text == n.text && last.macro == n.macro {
			if n.exact() && n.start-last.start == n.at-last.at {
				last.end = n.end
				return s
			}
			if !n.exact() && last.start == n.start && last.end == n.end {
				return s
			}
		}
	}
	return append(s, n)
}

// Origin says where the bytes [start, end) of the expanded text come from. A range that
// starts in one file and ends in another gives its part in the first. The zero Origin stands
// for text that no file holds.
func (u *Unit) Origin(start, end int) Origin {
	i := u.origins.find(start)
	if i < 0 {
		return Origin{}
	}
	end = max(end, start)
	last := u.origins.find(max(end-1, start))
	first := &u.origins[i]
	for u.origins[last].text != first.text {
		last--
		end = int(u.origins[last+1].at)
	}
	return first.upTo(&u.origins[last], start, end)
}

// upTo maps the range [start, end), which starts in segment s and ends in segment last, both
// of one text.
func (s *segment) upTo(last *segment, start, end int) Origin {
	from, to := int(s.start), int(last.end)
	if s.exact() {
		from += start - int(s.at)
	}
	if last.exact() {
		to = int(last.start) + max(end, start) - int(last.at)
	}
	var o Origin
	for _, end := range []*segment{s, last} {
		if m := end.macro; m != nil {
			from, to = min(from, int(end.start)), max(to, int(end.end))
			if o.Macro.IsZero() {
				o.Macro = m.place
			}
		}
	}
	if to < from {
		// Two arguments of one macro, the later one first.
		from, to = min(from, int(s.start), int(last.start)), max(int(s.end), int(last.end))
	}
	o.Span = s.text.span(from, to)
	return o
}
