// This file says when two findings, one of the static and one of the dynamic side, are about
// the same race.

package confirm

import (
	"path/filepath"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// Same reports whether a race that a run has shown is the one that a static finding tells of, or
// one of those that the same fix mends: the same kernel and, whichever comes first, the same two
// lines. Columns don't count: a compiler names the operator of an assignment, we its target.
func Same(files source.Provider, static, dynamic race.Finding) bool {
	if static.Kernel != dynamic.Kernel {
		return false
	}
	if static.Rule == race.BarrierDivergence || dynamic.Rule == race.BarrierDivergence {
		return static.Rule == dynamic.Rule
	}
	pairs := append([]race.Pair{{First: static.First, Second: static.Second}}, static.Also...)
	for _, p := range pairs {
		if covers(files, p.First, dynamic.First) && covers(files, p.Second, dynamic.Second) ||
			covers(files, p.First, dynamic.Second) && covers(files, p.Second, dynamic.First) {
			return true
		}
	}
	return false
}

// covers reports whether an access begins on a line of another one. An access that comes from a
// macro may be placed where the macro is used or where it is defined.
func covers(files source.Provider, static, dynamic race.Site) bool {
	return onLines(files, static.Span, dynamic.Span) || onLines(files, static.Macro, dynamic.Span)
}

func onLines(files source.Provider, static, dynamic source.Span) bool {
	f, ok := files.File(static.File)
	if !ok || static.IsZero() || !samePath(static.File, dynamic.File) {
		return false
	}
	line := f.Position(dynamic.Start).Line
	return f.Position(static.Start).Line <= line && line <= f.Position(static.End).Line
}

// samePath compares paths of which compilers make some absolute.
func samePath(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && x == y
}
