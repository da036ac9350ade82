package syntax

// This file defines the map from the expanded text back to the files.

import "sort"

// segment says where a stretch of expanded text comes from. It reaches to the next segment.
type segment struct {
	at         int32 // where it starts in the expanded text
	start, end int32 // the place in the text: byte for byte, or the macro's use
	text       *text
	macro      *macro // nil for text that stands in the file as it is
	use        *use   // the expansion that it is part of, or nil
}

// use is one use of a macro that stands in a file, with its arguments.
type use struct {
	start, end int32
	macro      *macro
}

// exact reports whether the segment's text stands in the file as it is. Inside an expansion,
// that is text of arguments.
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
		if last.text == n.text && last.macro == n.macro && last.use == n.use {
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
	for u.origins[last].text != u.origins[i].text {
		last--
		end = int(u.origins[last+1].at)
	}
	return u.origins[i:last+1].origin(start, end)
}

// Known reports whether an offset of the expanded text is in what stands for a library's header.
func (u *Unit) Known(at int) bool {
	i := u.origins.find(at)
	return i >= 0 && u.origins[i].text.known
}

// origin maps the range [start, end), which starts in the first segment and ends in the last,
// both of one text.
func (s segments) origin(start, end int) Origin {
	first, last := &s[0], &s[len(s)-1]
	from, to := int(first.start), int(last.end)
	if first.exact() {
		from = min(from+start-int(first.at), int(first.end))
	}
	if last.exact() {
		to = min(int(last.start)+end-int(last.at), to)
	}
	var m *macro
	switch {
	case first.use == nil && last.use == nil:
	case first.use != last.use:
		if first.use != nil {
			from = int(first.use.start)
		}
		if last.use != nil {
			to = int(last.use.end)
		}
	case s.inArguments():
		m = first.macro
	default:
		from, to, m = int(first.use.start), int(first.use.end), first.use.macro
	}
	o := Origin{Span: first.text.span(from, max(from, to))}
	if m != nil {
		o.Macro = m.place
	}
	return o
}

// inArguments reports whether segments of one expansion follow each other in its arguments.
func (s segments) inArguments() bool {
	if len(s) == 1 {
		return true
	}
	use := s[0].use
	for i := range s {
		if s[i].use != use || s[i].start == use.start && s[i].end == use.end || i > 0 && s[i].start < s[i-1].end {
			return false
		}
	}
	return true
}
