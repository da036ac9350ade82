// This file finds what structures hold that kernels take by value, names, types and places of their members, and where there are
// pointers in memory, from the debug information of the unoptimized module.

package toolchain

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Member is a scalar in a parameter that is a structure.
type Member struct {
	Path         string // behind the parameter's name, as the source would write it: .data, .view.stride[1]
	Type         string // as LLVM has it: ptr, i32, float, …; TensorMap for one
	Offset, Size int    // in the parameter, bytes
	To           *Shape // of a pointer, what it leads to; nil if there are no pointers there, or if it is not known
}

// TensorMap is the type of a member that is a CUtensorMap.
const TensorMap = "map"

// Shape is a type with pointers in it, or with tensor maps.
type Shape struct {
	Size     int // bytes
	Pointers []Member
	Maps     []Member
}

// Variable is one of a module that holds pointers.
type Variable struct {
	Symbol string
	*Shape
}

// maxMembers bounds those of a parameter: tables are not filled one by one.
const maxMembers = 256

// AddMembers finds the members of the structures that kernels of a module take, if any takes one, and the pointers in memory, if
// any is read. Bit-fields are left out. Intermediate files go into dir.
func (t *Toolchain) AddMembers(ctx context.Context, o *Options, m *Module, dir string, kernels []*Kernel) error {
	if !readsPointers(m.PTX) && !slices.ContainsFunc(kernels, func(k *Kernel) bool { return slices.Contains(k.Types, "") }) {
		return nil
	}
	if m.debug == nil {
		info, err := t.debugInfo(ctx, o, m.File, dir)
		if err != nil {
			return err
		}
		m.debug = info
		m.Variables = info.variables()
	}
	for _, k := range kernels {
		k.Members = m.debug.members(k.Symbol)
	}
	return nil
}

func (t *Toolchain) debugInfo(ctx context.Context, o *Options, file, dir string) (*debugInfo, error) {
	out := filepath.Join(dir, "members.ll")
	// With optimization clang leaves all but lines out of the debug information of device code.
	args := append(t.cuda(o), "--cuda-device-only", "-O0", "-w", "-g", "-fstandalone-debug", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-o", out, file)
	if err := t.Run(ctx, file, args...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return newDebugInfo(string(text)), nil
}

// readsPointers reports whether some kernel may read a pointer from memory, or a tensor map.
func readsPointers(ptx string) bool {
	if strings.Contains(ptx, ".bulk.tensor.") {
		return true
	}
	for _, m := range wideLoad.FindAllString(ptx, -1) {
		if !strings.Contains(m, ".param") && !strings.Contains(m, ".local") && !strings.Contains(m, ".shared") {
			return true
		}
	}
	return false
}

var (
	// !9 = distinct !DICompositeType(…)
	debugNode = regexp.MustCompile(`(?m)^(!\d+) = (.*)$`)
	debugRef  = regexp.MustCompile(`!\d+|null`)
	wideLoad  = regexp.MustCompile(`(?m)\bld[.:\w]*\.[ub]64\s`)
)

// debugInfo are the nodes of a module's debug information, by name.
type debugInfo struct {
	ir     string
	nodes  map[string]string
	shapes map[string]*Shape // of types, as far as somebody has asked for them
}

func newDebugInfo(ir string) *debugInfo {
	info := &debugInfo{ir, map[string]string{}, map[string]*Shape{}}
	for _, m := range debugNode.FindAllStringSubmatch(ir, -1) {
		info.nodes[m[1]] = m[2]
	}
	return info
}

// members lists those of each parameter of a kernel. A pointer is its own if it leads to pointers; other scalars have none.
func (d *debugInfo) members(symbol string) [][]Member {
	definition := regexp.MustCompile(`(?m)^define .*@"?` + regexp.QuoteMeta(symbol) + `"?\(.*!dbg (!\d+)`).FindStringSubmatch(d.ir)
	if definition == nil {
		return nil
	}
	types := d.list(d.ref(d.ref(definition[1], "type"), "types"))
	if len(types) == 0 {
		return nil
	}
	out := make([][]Member, len(types)-1) // the first is of the result
	for i, id := range types[1:] {
		switch id = d.plain(id); {
		case d.isPointer(id):
			if to := d.shape(d.ref(id, "baseType")); to != nil {
				out[i] = []Member{{Type: "ptr", Size: 8, To: to}}
			}
		case d.field(id, "elements") != "" && !d.isEnum(id):
			d.walk(id, "", 0, &out[i])
		}
	}
	return out
}

// variables lists those that hold pointers.
func (d *debugInfo) variables() (out []Variable) {
	for id, node := range d.nodes {
		if !strings.Contains(node, "!DIGlobalVariable(") {
			continue
		}
		if s := d.shape(d.ref(id, "type")); s != nil {
			out = append(out, Variable{cmp.Or(d.field(id, "linkageName"), d.field(id, "name")), s})
		}
	}
	slices.SortFunc(out, func(a, b Variable) int { return strings.Compare(a.Symbol, b.Symbol) })
	return out
}

// shape is a type's if there are pointers in it.
func (d *debugInfo) shape(id string) *Shape {
	id = d.plain(id)
	if s, ok := d.shapes[id]; ok {
		return s
	}
	s := &Shape{Size: d.bytes(id, "size")}
	if d.isPointer(id) {
		s.Size = 8
	}
	d.shapes[id] = s // which it may lead to itself
	var members []Member
	d.walk(id, "", 0, &members)
	for _, m := range members {
		switch m.Type {
		case "ptr":
			s.Pointers = append(s.Pointers, m)
		case TensorMap:
			s.Maps = append(s.Maps, m)
		}
	}
	if len(s.Pointers)+len(s.Maps) == 0 || s.Size == 0 {
		d.shapes[id] = nil
	}
	return d.shapes[id]
}

func (d *debugInfo) isPointer(id string) bool {
	switch d.field(id, "tag") {
	case "DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type":
		return true
	}
	return false
}

// isCode reports whether a type is that of functions.
func (d *debugInfo) isCode(id string) bool {
	return strings.Contains(d.nodes[d.plain(id)], "!DISubroutineType(")
}

// field is the text of a node's field, "" if it has none.
func (d *debugInfo) field(id, name string) string {
	_, rest, found := strings.Cut(d.nodes[id], name+": ")
	if !found {
		return ""
	}
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		text, _, _ := strings.Cut(quoted, `"`)
		return text
	}
	return strings.TrimSpace(rest[:max(strings.IndexAny(rest, ",)"), 0)])
}

func (d *debugInfo) ref(id, name string) string { return debugRef.FindString(d.field(id, name)) }

func (d *debugInfo) list(id string) []string { return debugRef.FindAllString(d.nodes[id], -1) }

// bytes is a field that counts bits.
func (d *debugInfo) bytes(id, name string) int {
	n, _ := strconv.Atoi(d.field(id, name))
	return n / 8
}

func (d *debugInfo) isEnum(id string) bool { return d.field(id, "tag") == "DW_TAG_enumeration_type" }

// plain is a type without its aliases and qualifiers.
func (d *debugInfo) plain(id string) string {
	for range 32 {
		switch d.field(id, "tag") {
		case "DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type", "DW_TAG_template_alias":
			id = d.ref(id, "baseType")
		default:
			return id
		}
	}
	return id
}

// walk adds the scalars of a type that lies at an offset.
func (d *debugInfo) walk(id, path string, offset int, out *[]Member) {
	if len(*out) >= maxMembers {
		return
	}
	id = d.plain(id)
	size := d.bytes(id, "size")
	add := func(kind string) { *out = append(*out, Member{Path: path, Type: kind, Offset: offset, Size: size}) }
	switch d.field(id, "tag") {
	case "DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type":
		to := d.ref(id, "baseType")
		if size = 8; d.isCode(to) || strings.Contains(path, "._vptr") {
			add("i64")
			break
		}
		*out = append(*out, Member{path, "ptr", offset, size, d.shape(to)})
	case "DW_TAG_enumeration_type":
		add(fmt.Sprint("i", 8*size))
	case "DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type":
		if d.field(id, "name") == "CUtensorMap_st" {
			add(TensorMap)
			return
		}
		for _, m := range d.list(d.ref(id, "elements")) {
			name, at := d.field(m, "name"), offset+d.bytes(m, "offset")
			switch flags := d.field(m, "flags"); d.field(m, "tag") {
			case "DW_TAG_inheritance":
				d.walk(d.ref(m, "baseType"), path, at, out)
			case "DW_TAG_member":
				if strings.Contains(flags, "DIFlagStaticMember") || strings.Contains(flags, "DIFlagBitField") {
					continue
				}
				if name != "" { // else its members are those of the whole
					name = "." + name
				}
				d.walk(d.ref(m, "baseType"), path+name, at, out)
			}
		}
	case "DW_TAG_array_type":
		d.elements(d.ref(id, "baseType"), path, offset, size, d.list(d.ref(id, "elements")), out)
	case "":
		switch d.field(id, "encoding") {
		case "DW_ATE_float":
			add(map[int]string{2: "half", 4: "float", 8: "double"}[size])
		case "":
		default:
			add(fmt.Sprint("i", 8*size))
		}
	}
}

// elements adds those of an array, by the ranges of its dimensions.
func (d *debugInfo) elements(of, path string, offset, size int, ranges []string, out *[]Member) {
	if len(ranges) == 0 {
		d.walk(of, path, offset, out)
		return
	}
	n, _ := strconv.Atoi(d.field(ranges[0], "count"))
	for i := range min(n, maxMembers) {
		d.elements(of, fmt.Sprintf("%s[%d]", path, i), offset+i*(size/n), size/n, ranges[1:], out)
	}
}
