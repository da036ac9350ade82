package lsp

// This file defines every conversion between warplint's places, which are byte offsets into
// the text of a path, and the protocol's, which are lines and characters of a URI. No other
// file of the server does arithmetic on positions.

import (
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// negotiate picks the unit of a position's character from what the client offers: bytes, which
// are our own, if it can, else UTF-16 code units, which every client must understand.
func negotiate(offered []protocol.PositionEncodingKind) protocol.PositionEncodingKind {
	for _, kind := range offered {
		if kind == protocol.PositionEncodingKindUTF8 {
			return kind
		}
	}
	return protocol.PositionEncodingKindUTF16
}

// lineTable holds the offset of each line's first byte. Its lines are the protocol's: they end
// at "\n", "\r\n" or a lone "\r", where source.File knows the first two only.
type lineTable []int

func newLineTable(text string) lineTable {
	lines := lineTable{0}
	for i := 1; i <= len(text); i++ {
		if startsLine(text, i) {
			lines = append(lines, i)
		}
	}
	return lines
}

// startsLine reports whether a line starts at the offset, which must be at least 1. Only the
// bytes at both sides of the offset matter, which makes spliced possible.
func startsLine(text string, offset int) bool {
	switch text[offset-1] {
	case '\n':
		return true
	case '\r':
		return offset == len(text) || text[offset] != '\n'
	}
	return false
}

// spliced returns the table of the text that results from replacing the bytes [start, end) by
// inserted bytes. It looks only at the inserted part, so that a thousand edits of a large text
// do not read it a thousand times.
func (l lineTable) spliced(text string, start, end, inserted int) lineTable {
	kept := sort.SearchInts(l, max(start, 1))
	result := append(make(lineTable, 0, len(l)+8), l[:kept]...)
	for i := max(start, 1); i <= start+inserted; i++ {
		if startsLine(text, i) {
			result = append(result, i)
		}
	}
	for _, old := range l[sort.SearchInts(l, max(end+1, 1)):] {
		result = append(result, old+start+inserted-end)
	}
	return result
}

// mapper converts between offsets into one text and the protocol's positions.
type mapper struct {
	text     string
	lines    lineTable
	encoding protocol.PositionEncodingKind
}

func newMapper(text string, encoding protocol.PositionEncodingKind) *mapper {
	return &mapper{text: text, lines: newLineTable(text), encoding: encoding}
}

// replace returns the mapper of the text in which the range holds another text.
func (m *mapper) replace(r protocol.Range, text string) *mapper {
	start, end := m.offsets(r)
	next := m.text[:start] + text + m.text[end:]
	return &mapper{next, m.lines.spliced(next, start, end, len(text)), m.encoding}
}

// lineEnd returns the offset where the content of a line, counted from 0, ends: before its
// line end.
func (m *mapper) lineEnd(line int) int {
	if line+1 >= len(m.lines) {
		return len(m.text)
	}
	return len(strings.TrimRight(m.text[:m.lines[line+1]], "\r\n"))
}

// offset returns the byte offset of a position. A character behind the end of its line means
// the line's end, a line behind the last one the text's end, and a position inside a character
// that character's start.
func (m *mapper) offset(p protocol.Position) int {
	if uint64(p.Line) >= uint64(len(m.lines)) {
		return len(m.text)
	}
	start := m.lines[p.Line]
	content := m.text[start:max(m.lineEnd(int(p.Line)), start)]
	units := uint64(0)
	for i, width := 0, 0; i < len(content); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(content[i:])
		units += m.units(r, width)
		if units > uint64(p.Character) {
			return start + i
		}
	}
	return start + len(content)
}

// units is the length of one character in the negotiated encoding. A byte that is no UTF-8
// counts as the one replacement character that editors show for it.
func (m *mapper) units(r rune, width int) uint64 {
	switch {
	case m.encoding == protocol.PositionEncodingKindUTF8:
		return uint64(width)
	case r >= 0x10000:
		return 2 // a surrogate pair
	}
	return 1
}

// offsets returns the offsets of a range, in order even where the range is not.
func (m *mapper) offsets(r protocol.Range) (start, end int) {
	start, end = m.offset(r.Start), m.offset(r.End)
	return min(start, end), max(start, end)
}

// position returns the position of an offset; offsets outside of the text are clamped.
func (m *mapper) position(offset int) protocol.Position {
	offset = min(max(offset, 0), len(m.text))
	line := sort.Search(len(m.lines), func(i int) bool { return m.lines[i] > offset }) - 1
	units := uint64(0)
	for i, r := range m.text[m.lines[line]:offset] {
		_, width := utf8.DecodeRuneInString(m.text[m.lines[line]+i:])
		units += m.units(r, width)
	}
	return protocol.Position{Line: uint32(line), Character: uint32(units)}
}

// toRange returns the range of the bytes [start, end).
func (m *mapper) toRange(start, end int) protocol.Range {
	return protocol.Range{Start: m.position(start), End: m.position(max(start, end))}
}

// toPath returns the name under which the analysis knows a URI: the path of a file, and the
// URI itself of anything else, such as a buffer that was never saved.
func toPath(u uri.URI) string {
	if !u.IsFile() {
		return string(u)
	}
	return filepath.Clean(u.FsPath())
}

// toURI is the opposite of toPath for a path that no open document has. An open document
// keeps the URI that its client chose, because clients differ in what they escape.
func toURI(path string) uri.URI {
	if filepath.IsAbs(path) {
		return uri.File(path)
	}
	if u, err := uri.Parse(path); err == nil {
		return u
	}
	return uri.File(path)
}

func toSeverity(s race.Severity) protocol.DiagnosticSeverity {
	switch s {
	case race.Error:
		return protocol.DiagnosticSeverityError
	case race.Warning:
		return protocol.DiagnosticSeverityWarning
	case race.Information:
		return protocol.DiagnosticSeverityInformation
	}
	return protocol.DiagnosticSeverityHint
}

// toLocation returns where a span is, as the client names it.
func (s *snapshot) toLocation(span source.Span) protocol.Location {
	return protocol.Location{URI: s.uri(span.File), Range: s.toRange(span)}
}

// toRange returns the range of a span in the text that the snapshot has for its file. The
// range of a file that can't be read is its start.
func (s *snapshot) toRange(span source.Span) protocol.Range {
	m, ok := s.mapper(span.File)
	if !ok {
		return protocol.Range{}
	}
	return m.toRange(span.Start, span.End)
}
