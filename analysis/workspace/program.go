package workspace

// This file finds the program around a file.

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

const (
	// maxThrough is the number of files through which a header is looked at.
	maxThrough = 4
	// maxWith is the number of files that are looked at together with one.
	maxWith = 8
	// maxUsers bounds the files that are asked whether they mean a function.
	maxUsers = 32
	// maxIncluded bounds the files that one is taken to include.
	maxIncluded = 500
)

// Unit is a file that is compiled, with others of its program.
type Unit struct {
	Path string
	// With are files that define what the unit's kernels call, launch the unit's kernels, or
	// call its functions that do, the nearest first.
	With []string
}

// Units returns the units in which a file is to be looked at: its own, or, if it has kernels,
// those of the files that include it, the ones first that use its functions. It is never empty.
func (x *Index) Units(path string) []Unit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if known, ok := x.answers.Load(path); ok {
		return known.([]Unit)
	}
	var out []Unit
	for _, unit := range x.through(path) {
		out = append(out, Unit{Path: unit, With: x.with(unit)})
	}
	x.answers.Store(path, out)
	return out
}

// through lists the files that include a file and are included by none, or the file itself.
func (x *Index) through(path string) []string {
	if !slices.ContainsFunc(x.functions(path), func(f syntax.Function) bool { return f.Kernel }) {
		return []string{path}
	}
	tops := map[string]bool{}
	seen := map[string]bool{path: true}
	for list := []string{path}; len(list) > 0 && len(seen) < maxIncluded; list = list[1:] {
		above := x.includers(list[0])
		if len(above) == 0 && list[0] != path && !IsHeader(list[0]) {
			tops[list[0]] = true
		}
		for _, p := range above {
			if !seen[p] {
				seen[p] = true
				list = append(list, p)
			}
		}
	}
	if len(tops) == 0 {
		return []string{path}
	}
	list := x.nearest(path, tops)
	slices.SortStableFunc(list, func(a, b string) int { return x.mentions(b, path) - x.mentions(a, path) })
	return list[:min(len(list), maxThrough)]
}

// mentions is 1 if a file uses a function that another defines.
func (x *Index) mentions(user, definer string) int {
	for _, fn := range x.functions(definer) {
		if x.used[fn.Name][user] {
			return 1
		}
	}
	return 0
}

func (x *Index) functions(path string) []syntax.Function {
	if f := x.files[path]; f != nil {
		return f.outline.Functions
	}
	return nil
}

// IsHeader reports whether a file is by its name one that others include.
func IsHeader(path string) bool {
	return slices.Contains([]string{".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc"}, filepath.Ext(path))
}

// includers lists the files that include a file directly.
func (x *Index) includers(path string) []string {
	var out []string
	for _, user := range slices.Sorted(maps.Keys(x.naming[filepath.Base(path)])) {
		if user != path && slices.Contains(x.included(user), path) {
			out = append(out, user)
		}
	}
	return out
}

// included lists the files of the index that a file includes directly.
func (x *Index) included(path string) []string {
	f := x.files[path]
	if f == nil {
		return nil
	}
	var out []string
	for _, include := range f.outline.Includes {
		if found := x.find(include, path, f.dirs); found != "" && found != path {
			out = append(out, found)
		}
	}
	return out
}

// Unknown lists where files may be that a file includes and the index does not have: for each, the places in order.
func (x *Index) Unknown(path string) (places [][]string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	f := x.files[path]
	if f == nil {
		return nil
	}
	for _, include := range f.outline.Includes {
		if x.find(include, path, f.dirs) != "" {
			continue
		}
		var list []string
		for _, dir := range searched(include, path, f.dirs) {
			list = append(list, filepath.Join(dir, filepath.FromSlash(include.Name)))
		}
		places = append(places, list)
	}
	return places
}

// searched are the folders in which an include is looked for.
func searched(include syntax.Include, from string, dirs []string) []string {
	if include.Angled {
		return dirs
	}
	return append([]string{filepath.Dir(from)}, dirs...)
}

// find is the file that an include means: as the compiler would find it, or else the only file
// whose path ends like that.
func (x *Index) find(include syntax.Include, from string, dirs []string) string {
	name := filepath.FromSlash(include.Name)
	for _, dir := range searched(include, from, dirs) {
		if p := filepath.Join(dir, name); x.files[p] != nil {
			return p
		}
	}
	found := ""
	for p := range x.named[filepath.Base(name)] {
		if strings.HasSuffix(p, string(filepath.Separator)+filepath.Clean(name)) {
			if found != "" {
				return ""
			}
			found = p
		}
	}
	return found
}

// unit lists a file and all that it includes.
func (x *Index) unit(path string) []string {
	list := []string{path}
	for i := 0; i < len(list) && len(list) < maxIncluded; i++ {
		for _, p := range x.included(list[i]) {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// with lists the files of a unit's program that say something about its kernels.
func (x *Index) with(path string) []string {
	s := &search{x: x, root: path, units: map[string][]string{}, seen: map[reference]bool{}}
	s.definitions(path)
	s.callers()
	return s.found
}

// reference is a function of a file.
type reference struct{ path, name string }

// search collects the files of a program.
type search struct {
	x     *Index
	root  string
	units map[string][]string
	found []string
	seen  map[reference]bool
}

func (s *search) unit(path string) []string {
	if s.units[path] == nil {
		s.units[path] = s.x.unit(path)
	}
	return s.units[path]
}

// add takes a file into the program; it returns false if there are enough.
func (s *search) add(path string) bool {
	switch {
	case path == s.root || slices.Contains(s.found, path):
		return true
	case len(s.found) >= maxWith:
		return false
	}
	s.found = append(s.found, path)
	return true
}

// resolve returns the file that defines what a unit calls by this name: itself, one that it
// includes, or the nearest file that is compiled; "" if there is none or if two are as near.
func (s *search) resolve(user, name string) string {
	for _, p := range s.unit(user) {
		if slices.ContainsFunc(s.x.functions(p), func(f syntax.Function) bool { return f.Name == name }) {
			return p
		}
	}
	best, least, tie := "", 0, false
	for p := range s.x.defined[name] {
		d := distance(s.x.folders(user), s.x.folders(p))
		switch {
		case best != "" && d > least || IsHeader(p) || len(s.x.includers(p)) > 0:
		case best == "" || d < least:
			best, least, tie = p, d, false
		default:
			tie = true
		}
	}
	if tie {
		return ""
	}
	return best
}

// definitions finds the device functions that the unit's kernels call and other files define.
func (s *search) definitions(path string) {
	for _, part := range s.unit(path) {
		for _, fn := range s.x.functions(part) {
			if !fn.Kernel && !fn.Device {
				continue
			}
			for _, name := range fn.Uses {
				s.definition(path, name)
			}
		}
	}
}

func (s *search) definition(user, name string) {
	at := s.resolve(user, name)
	if at == "" || s.seen[reference{at, name}] || slices.Contains(s.unit(user), at) {
		return
	}
	s.seen[reference{at, name}] = true
	device := slices.ContainsFunc(s.x.functions(at), func(f syntax.Function) bool { return f.Name == name && f.Device })
	if device && s.add(at) {
		s.definitions(at)
	}
}

// callers finds the files that launch the unit's kernels, or call what launches them.
func (s *search) callers() {
	var work []reference
	push := func(r reference) {
		if !s.seen[r] {
			s.seen[r] = true
			work = append(work, r)
		}
	}
	// What headers define, each file that includes them has for itself.
	for _, fn := range s.x.functions(s.root) {
		if fn.Kernel || fn.Launches {
			push(reference{s.root, fn.Name})
		}
	}
	for ; len(work) > 0; work = work[1:] {
		callee := work[0]
		users := s.x.nearest(s.root, s.x.used[callee.name])
		for _, user := range users[:min(len(users), maxUsers)] {
			if s.resolve(user, callee.name) != callee.path {
				continue
			}
			inside := slices.Contains(s.unit(s.root), user)
			for _, fn := range s.x.functions(user) {
				if _, uses := slices.BinarySearch(fn.Uses, callee.name); uses && !fn.Kernel && (inside || IsHeader(user) || s.add(user)) {
					push(reference{user, fn.Name})
				}
			}
		}
	}
}
