package source

import (
	"slices"
	"testing"
)

func FuzzCode(f *testing.F) {
	f.Add("a // b\n\"c\\\" /* \" 'd' R\"x(y)x\" /* e")
	f.Add("'\\")
	f.Fuzz(func(t *testing.T, text string) {
		code, comments := New("a.cu", text).Code()
		if len(code) != len(text) {
			t.Fatalf("%d bytes became %d", len(text), len(code))
		}
		if !slices.IsSortedFunc(comments, func(a, b Span) int { return a.Start - b.Start }) {
			t.Error("comments are not in order")
		}
	})
}
