// This file links modules, as nvlink does with the relocatable device code of several files.

package ptx

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// LinkMark stands in a new name between the old one and the number of the module.
const LinkMark = "$linked"

// Linked is several modules as one.
type Linked struct {
	Module *Module
	// Renamed says of each module what its names have become, where another module has the same:
	// static ones, and those that both define, each for itself.
	Renamed []map[string]string
}

// Link joins modules if one of them uses what another defines, and returns nil otherwise: modules
// that do not need each other stay apart, as in a whole-program build. The modules are used up.
func Link(modules []*Module) *Linked {
	if !needEachOther(modules) {
		return nil
	}
	return join(modules)
}

// header begins a module.
var header = regexp.MustCompile(`(?m)^[ \t]*\.version\b`)

// ParseAll parses modules that stand one behind the other, as a linker is given them, and joins them.
func ParseAll(text string) (*Module, error) {
	starts := header.FindAllStringIndex(text, -1)
	if len(starts) < 2 {
		return Parse(text)
	}
	var modules []*Module
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		m, err := Parse(text[at[0]:end])
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	return join(modules).Module, nil
}

func join(modules []*Module) *Linked {
	l := &Linked{Module: &Module{Files: map[int]string{}}}
	taken := map[string]bool{}
	for i, m := range modules {
		names := map[string]string{}
		m.definitions(func(name string, weak bool) {
			switch {
			case !taken[name]:
				taken[name] = true
			case !weak:
				names[name] = name + LinkMark + strconv.Itoa(i)
			}
		})
		l.Renamed = append(l.Renamed, names)
	}
	for i, m := range modules {
		l.add(m, l.Renamed[i])
	}
	return l
}

// definitions calls a function with each name that the module defines.
func (m *Module) definitions(yield func(name string, weak bool)) {
	for _, v := range m.Variables {
		if v.Linkage != Extern {
			yield(v.Name, v.Linkage == Weak || v.Linkage == Common)
		}
	}
	for _, f := range m.Functions {
		if f.Defined {
			yield(f.Name, f.Linkage == Weak)
		}
	}
}

// needEachOther reports whether a module names as extern what another one shows.
func needEachOther(modules []*Module) bool {
	shown := map[string]bool{}
	for _, m := range modules {
		for _, v := range m.Variables {
			shown[v.Name] = shown[v.Name] || v.Linkage == Visible || v.Linkage == Weak || v.Linkage == Common
		}
		for _, f := range m.Functions {
			shown[f.Name] = shown[f.Name] || f.Defined && f.Linkage != Static
		}
	}
	for _, m := range modules {
		own := map[string]bool{}
		m.definitions(func(name string, _ bool) { own[name] = true })
		for _, v := range m.Variables {
			if v.Linkage == Extern && v.Space != SharedSpace && shown[v.Name] && !own[v.Name] {
				return true
			}
		}
		for _, f := range m.Functions {
			if !f.Defined && shown[f.Name] && !own[f.Name] {
				return true
			}
		}
	}
	return false
}

// Open reports whether the module names what it does not define.
func (m *Module) Open() bool {
	own := map[string]bool{}
	m.definitions(func(name string, _ bool) { own[name] = true })
	for _, v := range m.Variables {
		if v.Linkage == Extern && v.Space != SharedSpace && !own[v.Name] {
			return true
		}
	}
	return slices.ContainsFunc(m.Functions, func(f *Function) bool { return !f.Defined && !own[f.Name] })
}

// add appends a module: its files and locations get new numbers, its symbols new names where it must be.
func (l *Linked) add(m *Module, names map[string]string) {
	to := l.Module
	if m.Major > to.Major || m.Major == to.Major && m.Minor > to.Minor {
		to.Major, to.Minor, to.Target = m.Major, m.Minor, m.Target
	}
	firstFile := 0
	for n := range maps.Keys(to.Files) {
		firstFile = max(firstFile, n+1)
	}
	for n, name := range m.Files {
		to.Files[firstFile+n] = name
	}
	firstLocation := len(to.Locations)
	for i, at := range m.Locations {
		if i > 0 {
			at.File += firstFile
		}
		if at.InlinedAt != 0 {
			at.InlinedAt += int32(firstLocation)
		}
		to.Locations = append(to.Locations, at)
	}
	for _, v := range m.Variables {
		rename(&v.Name, names)
		v.renameRefs(names)
		if !l.keepsOther(v) {
			to.Variables = append(to.Variables, v)
		}
	}
	for _, f := range m.Functions {
		f.rename(names, int32(firstLocation))
		switch have := to.Function(f.Name); {
		case have == nil:
			to.Functions = append(to.Functions, f)
		case !have.Defined && f.Defined:
			*have = *f
		}
	}
}

// keepsOther reports whether the linked module has a definition of a variable already, and puts the
// new one in the place of a declaration.
func (l *Linked) keepsOther(v *Variable) bool {
	for i, have := range l.Module.Variables {
		if have.Name == v.Name {
			if have.Linkage == Extern && v.Linkage != Extern {
				l.Module.Variables[i] = v
			}
			return true
		}
	}
	return false
}

func rename(name *string, names map[string]string) {
	if to, ok := names[*name]; ok {
		*name = to
	}
}

func (v *Variable) renameRefs(names map[string]string) {
	for i := range v.Refs {
		rename(&v.Refs[i].Symbol, names)
	}
}

// rename gives a function's symbols their new names; its own variables hide those of the module.
func (f *Function) rename(names map[string]string, firstLocation int32) {
	rename(&f.Name, names)
	own := map[string]bool{}
	for _, list := range [][]*Variable{f.Params, f.Returns, f.Locals} {
		for _, v := range list {
			own[v.Name] = true
			v.renameRefs(names)
		}
	}
	var operands func(list []Operand)
	operands = func(list []Operand) {
		for i := range list {
			o := &list[i]
			if (o.Kind == SymbolOperand || o.Kind == AddressOperand) && !own[o.Name] {
				rename(&o.Name, names)
			}
			operands(o.Elems)
		}
	}
	for i := range f.Body {
		f.Body[i].Location += firstLocation
		operands(f.Body[i].Operands)
	}
}
