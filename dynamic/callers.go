// This file finds the lines of the host program from which calls of the runtime came: where memory was
// allocated, and where a kernel was launched.

package dynamic

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"regexp"

	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/event"
)

// lines has the line information of the host program, read when it is first asked for.
type lines struct {
	executable string
	read       bool
	data       *dwarf.Data
	places     map[uint64][]event.Place
}

func newLines(executable string) *lines {
	return &lines{executable: executable, places: map[uint64][]event.Place{}}
}

// of returns the places that an address of a call stands for, the innermost first: what was inlined has several.
func (l *lines) of(returns uint64) []event.Place {
	if !l.read {
		l.read = true
		if f, err := elf.Open(l.executable); err == nil {
			l.data, _ = f.DWARF()
			f.Close()
		}
	}
	if l.data == nil || returns == 0 {
		return nil
	}
	found, known := l.places[returns]
	if !known {
		found = placesOf(l.data, returns-1) // a call ends where it returns to
		l.places[returns] = found
	}
	return found
}

func placesOf(data *dwarf.Data, pc uint64) []event.Place {
	reader := data.Reader()
	unit, err := reader.SeekPC(pc)
	if err != nil {
		return nil
	}
	table, err := data.LineReader(unit)
	if err != nil || table == nil {
		return nil
	}
	var line dwarf.LineEntry
	if table.SeekPC(pc, &line) != nil || line.File == nil {
		return nil
	}
	places := []event.Place{{File: line.File.Name, Line: line.Line, Column: line.Column}}
	files := table.Files()
	var calls []event.Place // the outermost first
	for {
		entry, err := reader.Next()
		if err != nil || entry == nil || entry.Tag == dwarf.TagCompileUnit {
			break
		}
		if entry.Tag != dwarf.TagSubprogram && entry.Tag != dwarf.TagInlinedSubroutine && entry.Tag != dwarf.TagLexDwarfBlock {
			if entry.Children {
				reader.SkipChildren()
			}
			continue
		}
		if !covers(data, entry, pc) {
			reader.SkipChildren()
			continue
		}
		file, _ := entry.Val(dwarf.AttrCallFile).(int64)
		at, _ := entry.Val(dwarf.AttrCallLine).(int64)
		column, _ := entry.Val(dwarf.AttrCallColumn).(int64)
		if entry.Tag == dwarf.TagInlinedSubroutine && int(file) < len(files) && files[file] != nil {
			calls = append(calls, event.Place{File: files[file].Name, Line: int(at), Column: int(column)})
		}
	}
	for i := len(calls) - 1; i >= 0; i-- {
		places = append(places, calls[i])
	}
	return places
}

func covers(data *dwarf.Data, entry *dwarf.Entry, pc uint64) bool {
	ranges, err := data.Ranges(entry)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if r[0] <= pc && pc < r[1] {
			return true
		}
	}
	return false
}

// called is the place in the user's own text from which a call came; zero if there is none.
func (s *Sources) called(callers []uint64) source.Span {
	if s.lines == nil {
		return source.Span{}
	}
	for _, at := range callers {
		for _, p := range s.lines.of(at) {
			if span := s.Span(p); !span.IsZero() && !s.isOurs(p.File) && !isSystem(p.File) {
				return span
			}
		}
	}
	return source.Span{}
}

// isSystem tells the headers of the C++ library from the user's files.
func isSystem(file string) bool { return systemHeader.MatchString(file) }

var systemHeader = regexp.MustCompile(`^/usr/(local/)?(include|lib)/`)

// allocation splits what a session calls memory: the place where it was allocated, and the variable that the call
// has it put in.
func (s *Sources) allocation(name string) (at source.Span, variable string) {
	callers, ok := cudart.Callers(name)
	if !ok {
		return source.Span{}, ""
	}
	at = s.called(callers)
	return at, s.argument(at, allocates)
}

// argument is the first argument of the call at a place, which is one of those that an expression matches; empty if it is none.
func (s *Sources) argument(at source.Span, call *regexp.Regexp) (argument string) {
	file, ok := s.File(at.File)
	if !ok {
		return ""
	}
	start := file.Position(at.Start)
	// Where a macro makes the call, it stands behind the macro's name.
	for _, m := range call.FindAllStringSubmatchIndex(file.Line(start.Line), -1) {
		argument = file.Line(start.Line)[m[2]:m[3]]
		if m[0] >= start.Column-1 {
			break
		}
	}
	return argument
}

// unnamed is how a session calls memory in its messages.
var unnamed = regexp.MustCompile(`\bcalled from(?: [0-9a-f]+\b)+`)

// memory is what such memory is called for people.
func (s *Sources) memory(name string) string {
	what := "the allocation"
	at, variable := s.allocation(name)
	if variable != "" {
		what = "`" + variable + "`"
	}
	if file, ok := s.File(at.File); ok {
		what += fmt.Sprintf(" (%s:%d)", at.File, file.Position(at.Start).Line)
	}
	return what
}

// makesStream is a call that makes a stream, with the variable that gets it.
var makesStream = regexp.MustCompile(`\bcu(?:da)?StreamCreate\w*\s*\(\s*&?\s*([A-Za-z_]\w*(?:(?:\.|->)\w+|\[[\w\s+]*\])*)`)

// allocates is a call that allocates, with the variable that gets the address.
var allocates = regexp.MustCompile(`\b(?:cudaMalloc\w*|cudaHostAlloc|cudaHostRegister|cuMem\w*Alloc\w*|cudaGraphConditionalHandleCreate)\s*(?:<[^;()]*>)?\s*\(\s*(?:\(\s*\w+\s*\*+\s*\)\s*)?&?\s*([A-Za-z_]\w*(?:(?:\.|->)\w+|\[\w*\])*)`)
