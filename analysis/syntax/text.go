package syntax

// This file defines a file's text as the preprocessor reads it: without a byte order mark and
// without line splices, and with the way back to the file's own offsets.

import (
	"sort"
	"strings"

	"github.com/warplint/warplint/analysis/source"
)

type text struct {
	file *source.File
	text string
	cuts []cut // in order
	// known is set for the text of package headers.
	known bool
}

// cut says that from this offset of the text on, the file's offsets are larger by shift.
type cut struct{ at, shift int }

func newText(file *source.File) *text {
	t := &text{file: file, text: file.Text}
	if !strings.HasPrefix(t.text, "\ufeff") && !strings.Contains(t.text, "\\\n") && !strings.Contains(t.text, "\\\r\n") {
		return t
	}
	var b strings.Builder
	b.Grow(len(t.text))
	rest, shift := file.Text, 0
	drop := func(n int) {
		rest, shift = rest[n:], shift+n
		t.cuts = append(t.cuts, cut{b.Len(), shift})
	}
	if strings.HasPrefix(rest, "\ufeff") {
		drop(len("\ufeff"))
	}
	for {
		i := strings.IndexByte(rest, '\\')
		if i < 0 {
			break
		}
		n := spliceLength(rest[i:])
		if n == 0 {
			b.WriteString(rest[:i+1])
			rest = rest[i+1:]
			continue
		}
		b.WriteString(rest[:i])
		rest = rest[i:]
		drop(n)
	}
	b.WriteString(rest)
	t.text = b.String()
	return t
}

// spliceLength returns the length of the backslash and line end that text begins with, or 0.
func spliceLength(text string) int {
	switch {
	case strings.HasPrefix(text, "\\\n"):
		return 2
	case strings.HasPrefix(text, "\\\r\n"):
		return 3
	}
	return 0
}

// offset turns an offset of the text into one of the file.
func (t *text) offset(at int) int {
	i := sort.Search(len(t.cuts), func(i int) bool { return t.cuts[i].at > at })
	if i == 0 {
		return at
	}
	return at + t.cuts[i-1].shift
}

// span turns a range of the text into one of the file. A splice at its end is not part of it.
func (t *text) span(start, end int) source.Span {
	s := source.Span{File: t.file.Path, Start: t.offset(start)}
	s.End = s.Start
	if end > start {
		s.End = t.offset(end-1) + 1
	}
	return s
}
