// This file defines where the places of reports lie: which file a name of a report means, and
// which bytes of it a line is.

package racecheck

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// maxBlankLines bounds the texts made for files that are not here, all together. No real
// report comes near it; places beyond it become lines of the report.
const maxBlankLines = 4 << 20

// atlas finds files. It is a source.Provider that has a text for each file that reports name.
type atlas struct {
	files    source.Provider
	blank    map[string]*source.File // texts for files that are missing, or changed since
	names    map[nameKey]string      // what a name in a report means
	known    map[string]bool         // files whose lines have numbers
	full     map[string][]string     // full paths by their last part
	bare     map[string]bool         // names that reports give without a folder
	problems []race.Problem
}

// nameKey is a file's name as a report gives it; the report's folder tells what it is relative to.
type nameKey struct{ folder, path string }

func newAtlas(reports []*Report, files source.Provider) *atlas {
	a := &atlas{files: files, blank: map[string]*source.File{}, names: map[nameKey]string{},
		known: map[string]bool{}, full: map[string][]string{}, bare: map[string]bool{}}
	eachPlace(reports, func(_ *Report, p Place) {
		name := lastPart(p.Path)
		if name == p.Path {
			a.bare[name] = true
		} else if len(a.full[name]) < 2 { // two are as ambiguous as many
			a.full[name] = with(a.full[name], p.Path)
		}
	})
	last := map[string]int{} // the greatest line that is named, by file
	var order []string
	eachPlace(reports, func(report *Report, p Place) {
		if p.Line == 0 {
			return
		}
		path := a.resolve(nameKey{filepath.Dir(report.File), p.Path})
		if last[path] == 0 {
			order = append(order, path)
		}
		last[path] = max(last[path], p.Line)
	})
	total := 0
	for _, path := range order {
		total = a.number(path, last[path], total)
	}
	return a
}

// number makes sure that a file has its lines, and returns how many blank ones there are now.
func (a *atlas) number(path string, last, blank int) int {
	file, ok := a.files.File(path)
	if ok && last <= file.Lines() {
		a.known[path] = true
		return blank
	}
	if ok {
		a.problems = append(a.problems, race.Problem{File: path, Message: fmt.Sprintf(
			"this is not the text that was run: a report names line %d, and it has %d", last, file.Lines())})
	}
	if last > maxBlankLines-blank {
		return blank
	}
	a.known[path] = true
	a.blank[path] = source.New(path, strings.Repeat("\n", last))
	return blank + last
}

// eachPlace visits all places in the order of the reports.
func eachPlace(reports []*Report, visit func(*Report, Place)) {
	for _, report := range reports {
		for i := range report.Records {
			r := &report.Records[i]
			for _, side := range []*Access{&r.First, &r.Second} {
				visit(report, side.Place)
				for _, caller := range side.Callers {
					visit(report, caller)
				}
			}
		}
	}
}

// File implements source.Provider.
func (a *atlas) File(path string) (*source.File, bool) {
	if file := a.blank[path]; file != nil {
		return file, true
	}
	return a.files.File(path)
}

// resolve says which file a name means. A name without folders means the one full path that
// ends in it, if there is just one. Of the two, the first that exists here is taken, from the
// working folder or from the report's.
func (a *atlas) resolve(key nameKey) string {
	if path, ok := a.names[key]; ok {
		return path
	}
	candidates := []string{key.path}
	if name := lastPart(key.path); len(a.full[name]) == 1 && a.bare[name] {
		candidates = []string{a.full[name][0], name}
	}
	path := candidates[0]
	for _, c := range slices.Backward(candidates) {
		if beside := filepath.Join(key.folder, c); !filepath.IsAbs(c) && a.exists(beside) {
			path = beside
		}
		if a.exists(c) {
			path = c
		}
	}
	a.names[key] = path
	return path
}

func (a *atlas) exists(path string) bool {
	_, ok := a.files.File(path)
	return ok
}

// lastPart is a path without its folders, whichever system wrote it.
func lastPart(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// key names a side so that all reports of it agree.
func (a *atlas) key(report *Report, side Access) sideKey {
	if path, ok := a.locate(report, side.Place); ok {
		return sideKey{path: path, line: side.Line, access: side.Access}
	}
	return sideKey{access: side.Access, fun: bareName(side.Func), pc: side.PC}
}

// locate returns the file of a place, false if its line can't be shown.
func (a *atlas) locate(report *Report, p Place) (string, bool) {
	if p.Line == 0 {
		return "", false
	}
	path := a.resolve(nameKey{filepath.Dir(report.File), p.Path})
	return path, a.known[path]
}

// site is a side with its place in the text.
func (a *atlas) site(report *Report, side Access) race.Site {
	site := race.Site{Span: a.span(report, side.Place), Access: side.Access}
	for _, caller := range slices.Backward(side.Callers) {
		site.Inlined = append(site.Inlined, a.span(report, caller))
	}
	return site
}

// span is the text of the line that a place names, since reports know no columns.
func (a *atlas) span(report *Report, p Place) source.Span {
	path, ok := a.locate(report, p)
	line := p.Line
	if !ok {
		path, line = report.File, p.At
	}
	file, ok := a.File(path)
	if !ok || line > file.Lines() {
		return source.Span{File: path}
	}
	start, end := file.LineBounds(line)
	text := file.Text[start:end]
	start += len(text) - len(strings.TrimLeft(text, " \t"))
	end -= len(text) - len(strings.TrimRight(text, " \t"))
	return source.Span{File: path, Start: min(start, end), End: max(start, end)}
}
