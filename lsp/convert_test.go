package lsp

import (
	"slices"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

const (
	utf8Units  = protocol.PositionEncodingKindUTF8
	utf16Units = protocol.PositionEncodingKindUTF16
)

func at(line, character uint32) protocol.Position {
	return protocol.Position{Line: line, Character: character}
}

func TestNegotiate(t *testing.T) {
	for _, test := range []struct {
		offered []protocol.PositionEncodingKind
		want    protocol.PositionEncodingKind
	}{
		{nil, utf16Units},
		{[]protocol.PositionEncodingKind{utf16Units}, utf16Units},
		{[]protocol.PositionEncodingKind{"utf-32"}, utf16Units},
		{[]protocol.PositionEncodingKind{utf16Units, utf8Units}, utf8Units},
	} {
		if got := negotiate(test.offered); got != test.want {
			t.Errorf("negotiate(%v) = %v, want %v", test.offered, got, test.want)
		}
	}
}

// TestOffset asks for the offset of positions, those that no text has included.
func TestOffset(t *testing.T) {
	const text = "ab\r\nä𝄞z\n\r\rlast" // ä is 2 bytes and 1 unit, 𝄞 is 4 bytes and 2 units
	for _, test := range []struct {
		name     string
		encoding protocol.PositionEncodingKind
		position protocol.Position
		want     int
	}{
		{"start", utf16Units, at(0, 0), 0},
		{"end of a CRLF line", utf16Units, at(0, 2), 2},
		{"behind a CRLF line", utf16Units, at(0, 99), 2},
		{"after ä", utf16Units, at(1, 1), 6},
		{"inside the surrogate pair", utf16Units, at(1, 2), 6},
		{"after 𝄞", utf16Units, at(1, 3), 10},
		{"after z", utf16Units, at(1, 4), 11},
		{"inside ä, in bytes", utf8Units, at(1, 1), 4},
		{"after ä, in bytes", utf8Units, at(1, 2), 6},
		{"inside 𝄞, in bytes", utf8Units, at(1, 5), 6},
		{"after 𝄞, in bytes", utf8Units, at(1, 6), 10},
		{"behind the line, in bytes", utf8Units, at(1, 1<<31), 11},
		{"a line that a lone CR ends", utf16Units, at(2, 5), 12},
		{"the last line", utf16Units, at(4, 1), 15},
		{"behind the last line's end", utf16Units, at(4, 1<<32-1), 18},
		{"behind the last line", utf16Units, at(5, 0), 18},
		{"far behind", utf16Units, at(1<<32-1, 1<<32-1), 18},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := newMapper(text, test.encoding).offset(test.position); got != test.want {
				t.Errorf("offset = %d, want %d", got, test.want)
			}
		})
	}
}

// TestPositionsRoundTrip goes from every character's start to its position and back, and
// compares the position with one that is counted in another way.
func TestPositionsRoundTrip(t *testing.T) {
	for _, text := range []string{
		"", "a", "\n", "\r\n", "\r", "a\rb", "x\n\ny", "ä𝄞\r\n漢字 𝄞𝄞\nend", "bad \xff\xfe byte\n\xff",
	} {
		for _, encoding := range []protocol.PositionEncodingKind{utf8Units, utf16Units} {
			m := newMapper(text, encoding)
			for i := range text + "$" {
				if i > 0 && i < len(text) && text[i-1] == '\r' && text[i] == '\n' {
					continue // between CR and LF there is no position
				}
				p := m.position(i)
				if want := slowPosition(text, i, encoding); p != want {
					t.Errorf("%q at %d in %s: position %v, want %v", text, i, encoding, p, want)
				}
				if back := m.offset(p); back != i {
					t.Errorf("%q at %d in %s: %v leads back to %d", text, i, encoding, p, back)
				}
			}
		}
	}
}

// slowPosition counts lines and units from the text's start.
func slowPosition(text string, offset int, encoding protocol.PositionEncodingKind) protocol.Position {
	var p protocol.Position
	lineStart := 0
	for i := 0; i < offset; i++ {
		crlf := text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n'
		if text[i] == '\n' || text[i] == '\r' && !crlf {
			p.Line++
			lineStart = i + 1
		}
	}
	line := text[lineStart:offset]
	p.Character = uint32(len(line))
	if encoding == utf16Units {
		p.Character = uint32(len(utf16.Encode([]rune(line))))
	}
	return p
}

func TestPositionClampsOffsets(t *testing.T) {
	m := newMapper("ab\ncd", utf16Units)
	if got := m.position(-1); got != at(0, 0) {
		t.Errorf("position(-1) = %v", got)
	}
	if got := m.position(1000); got != at(1, 2) {
		t.Errorf("position(1000) = %v", got)
	}
	if got := m.toRange(4, 1); got != (protocol.Range{Start: at(1, 1), End: at(1, 1)}) {
		t.Errorf("toRange(4, 1) = %v, want it to be empty", got)
	}
}

func TestReplace(t *testing.T) {
	for _, test := range []struct {
		name, text string
		start, end protocol.Position
		insert     string
		want       string
	}{
		{"insert", "ab\n", at(0, 1), at(0, 1), "X", "aXb\n"},
		{"delete a line end", "a\nb", at(0, 1), at(1, 0), "", "ab"},
		{"append behind the end", "a\n", at(9, 9), at(9, 9), "b", "a\nb"},
		{"a range that is upside down", "abc", at(0, 2), at(0, 1), "X", "aXc"},
		{"over a surrogate pair", "x𝄞y", at(0, 1), at(0, 3), "z", "xzy"},
		{"everything", "a\r\nb\r\n", at(0, 0), at(1<<32-1, 0), "c", "c"},
		{"split a CRLF", "a\r\nb", at(0, 1), at(0, 1), "\r", "a\r\r\nb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := newMapper(test.text, utf16Units).replace(protocol.Range{Start: test.start, End: test.end}, test.insert)
			if got.text != test.want {
				t.Errorf("text = %q, want %q", got.text, test.want)
			}
			if want := newLineTable(test.want); !slices.Equal(got.lines, want) {
				t.Errorf("lines = %v, want %v", got.lines, want)
			}
		})
	}
}

// FuzzReplace compares the line table that an edit updates with one built anew.
func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb\rc\n", "\n", uint32(0), uint32(1), uint32(1), uint32(0))
	f.Add("\r", "\n", uint32(1), uint32(0), uint32(1), uint32(0))
	f.Add("\r\n", "", uint32(0), uint32(0), uint32(0), uint32(1))
	f.Add("𝄞\r\n", "\r", uint32(0), uint32(2), uint32(0), uint32(2))
	f.Fuzz(func(t *testing.T, text, insert string, line1, char1, line2, char2 uint32) {
		for _, encoding := range []protocol.PositionEncodingKind{utf8Units, utf16Units} {
			r := protocol.Range{Start: at(line1, char1), End: at(line2, char2)}
			got := newMapper(text, encoding).replace(r, insert)
			if want := newLineTable(got.text); !slices.Equal(got.lines, want) {
				t.Errorf("%q with %v replaced by %q: lines %v, want %v", text, r, insert, got.lines, want)
			}
			if utf8.ValidString(text) && utf8.ValidString(insert) && !utf8.ValidString(got.text) {
				t.Errorf("%q with %v replaced by %q splits a character: %q", text, r, insert, got.text)
			}
		}
	})
}

func TestPathsAndURIs(t *testing.T) {
	for _, test := range []struct {
		uri  uri.URI
		path string
	}{
		{"file:///src/b.cu", "/src/b.cu"},
		{"file:///a%20b/%C3%A4%23.cu", "/a b/ä#.cu"},
		{"file:///a/./c/../b.cu", "/a/b.cu"},
		{"untitled:Untitled-1", "untitled:Untitled-1"},
	} {
		if got := toPath(test.uri); got != test.path {
			t.Errorf("toPath(%s) = %s, want %s", test.uri, got, test.path)
		}
	}
	for _, path := range []string{"/src/b.cu", "/a b/ä#%.cu", "untitled:Untitled-1"} {
		if got := toPath(toURI(path)); got != path {
			t.Errorf("%s became %s by way of its URI %s", path, got, toURI(path))
		}
	}
}
