// Package source holds file text as every other package sees it: immutable, with a
// content hash and a table of line starts. Offsets count bytes from 0; the lines and
// columns of a Position count from 1, columns in bytes.
package source

import (
	"crypto/sha256"
	"sort"
	"strings"
	"unicode/utf8"
)

// File is one immutable version of one file's text.
type File struct {
	Path string
	Text string
	Hash [32]byte

	lines []int // offset of each line's first byte
}

// New builds the line table and the hash of a text.
func New(path, text string) *File {
	f := &File{Path: path, Text: text, Hash: sha256.Sum256([]byte(text)), lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Span is the half-open byte range [Start, End) of a file. The zero Span means "no place".
type Span struct {
	File       string
	Start, End int
}

// IsZero reports whether the span names no place.
func (s Span) IsZero() bool { return s.File == "" }

// Contains reports whether the offset lies in the span; an empty span contains its start.
func (s Span) Contains(offset int) bool {
	return s.Start <= offset && (offset < s.End || offset == s.Start)
}

// Position is a place for people: both numbers count from 1, Column counts bytes.
type Position struct{ Line, Column int }

// Position turns an offset into line and column; offsets outside the text are clamped.
func (f *File) Position(offset int) Position {
	offset = min(max(offset, 0), len(f.Text))
	line := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset }) - 1
	return Position{line + 1, offset - f.lines[line] + 1}
}

// Offset turns a line and a byte column, both from 1, into an offset; both are clamped.
func (f *File) Offset(p Position) int {
	if p.Line < 1 {
		return 0
	}
	if p.Line > len(f.lines) {
		return len(f.Text)
	}
	start, end := f.LineBounds(p.Line)
	return min(start+max(p.Column-1, 0), end)
}

// Lines returns the number of lines; a text without a line end has one.
func (f *File) Lines() int { return len(f.lines) }

// LineBounds returns the byte range of a line without its line end ("\n" or "\r\n").
func (f *File) LineBounds(line int) (start, end int) {
	start = f.lines[line-1]
	if line == len(f.lines) {
		return start, len(f.Text)
	}
	end = f.lines[line] - 1
	if end > start && f.Text[end-1] == '\r' {
		end--
	}
	return start, end
}

// Line returns the text of a line, counted from 1, without its line end.
func (f *File) Line(line int) string {
	start, end := f.LineBounds(line)
	return f.Text[start:end]
}

// Slice returns the text of a span; a span that does not fit gives what fits.
func (f *File) Slice(s Span) string {
	start := min(max(s.Start, 0), len(f.Text))
	return f.Text[start:min(max(s.End, start), len(f.Text))]
}

// IsCUDA reports whether a file is by its name one of CUDA.
func IsCUDA(path string) bool {
	return strings.HasSuffix(path, ".cu") || strings.HasSuffix(path, ".cuh")
}

// IsBinary reports whether the text is no program text: it holds a NUL byte, or its
// beginning is not valid UTF-8 in more than a tenth of its bytes.
func (f *File) IsBinary() bool {
	head := f.Text[:min(len(f.Text), 8192)]
	if strings.IndexByte(head, 0) >= 0 {
		return true
	}
	bad := 0
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRuneInString(head[i:])
		if r == utf8.RuneError && n == 1 && len(head)-i >= utf8.UTFMax {
			bad++
		}
		i += n
	}
	return bad*10 > len(head)
}

// IsUTF16 reports whether a binary text is UTF-16 with mostly ASCII in it, as some Windows editors
// write: it has a byte order mark, or a NUL in nearly every second byte.
func (f *File) IsUTF16() bool {
	head := f.Text[:min(len(f.Text), 1024)]
	if strings.HasPrefix(head, "\xff\xfe") || strings.HasPrefix(head, "\xfe\xff") {
		return true
	}
	zeros := [2]int{}
	for i := range len(head) {
		if head[i] == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	return half > 0 && min(zeros[0], zeros[1])*10 <= half && max(zeros[0], zeros[1])*10 > half*9
}

// Provider gives the analysis its files, so that it does no file I/O of its own.
// File returns false for a file that does not exist or can't be read.
type Provider interface {
	File(path string) (*File, bool)
}

// Map is a Provider over texts in memory.
type Map map[string]*File

// File implements Provider.
func (m Map) File(path string) (*File, bool) { f, ok := m[path]; return f, ok }
