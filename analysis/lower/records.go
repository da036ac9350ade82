package lower

// This file defines class types and their members.

import (
	"cmp"
	"iter"
	"slices"

	"github.com/warplint/warplint/analysis/syntax"
)

// record is a struct, class or union, or one instance of a class template.
type record struct {
	name    string
	sym     *symbol // nil for the types that CUDA predefines
	scope   *scope  // the members' scope; its parent is the scope of the definition
	union   bool
	fields  []field // bases first, then members, in layout order
	size    int64
	end     int64 // where the last member ends
	align   int64
	packed  bool   // by an attribute
	apart   int64  // that of the next field, while there are none of them all
	tail    bool   // what derives from it may begin behind its last member, in its padding
	args    []targ // template arguments
	vector  bool   // float4 and its kin
	lib     string // a class of libcu++ or CUDA that lowering knows by name
	ctors   []*symbol
	virtual bool
	reason  string // why the layout is not known, "" if it is
	hollow  string // the member of a type that is not known, "" if there is none: see unlaid
	done    bool
	doubt   string // what was not understood where this was chosen among specializations
}

// words are the offsets and types of the words that a union is copied and passed as.
func (t *ctype) words() iter.Seq2[int64, *ctype] {
	return func(yield func(int64, *ctype) bool) {
		number := map[int64]*ctype{1: tUChar, 2: tUShort, 4: tUInt, 8: tULong}[min(t.align(), 8)]
		for off := int64(0); off < t.size(); off += number.size() {
			word := number
			if p := t.pointerAt(off); p != nil {
				word = p
			}
			if !yield(off, word) {
				return
			}
		}
	}
}

// pointerAt is the type of the pointer that an object holds at an offset, or that one of a union's members does; nil if there is none.
func (t *ctype) pointerAt(off int64) *ctype {
	switch {
	case t.kind == kPtr && off == 0:
		return t
	case t.kind == kArray && t.len > 0 && t.elem.size() > 0 && off < t.size():
		return t.elem.pointerAt(off % t.elem.size())
	case t.kind == kRecord:
		for _, f := range t.rec.fields {
			if p := f.t.pointerAt(off - f.off); off >= f.off && p != nil {
				return p
			}
		}
	}
	return nil
}

// isLink reports whether a member of a class leads to objects that may lead to others of the class.
func isLink(r *record, member *ctype) bool {
	for member.kind == kArray {
		member = member.elem
	}
	return (member.kind == kPtr || member.kind == kRef) && member.elem.leadsTo(r, map[*record]bool{})
}

// leadsTo reports whether an object of a type is one of a class, or has members that are or lead to one.
func (t *ctype) leadsTo(r *record, seen map[*record]bool) bool {
	for t.kind == kPtr || t.kind == kRef || t.kind == kArray {
		t = t.elem
	}
	if t.kind != kRecord || seen[t.rec] {
		return false
	}
	seen[t.rec] = true
	return t.rec == r || slices.ContainsFunc(t.rec.fields, func(f field) bool { return f.t.leadsTo(r, seen) })
}

// field is a base or a non-static data member.
type field struct {
	name      string
	t         *ctype
	off       int64
	bitAt     int64  // where a bit-field begins
	bitOff    int    // the same, in its unit
	bitWidth  int    // 0 if no bit-field
	unit      *ctype // of a bit-field: what is read and written to change it, at off
	apart     int64  // the size of the type of a bit-field without a width in front of it
	aligned   int64  // what its own attributes say, 0 if nothing
	packed    bool
	base      bool
	anonymous bool         // a struct or union without a name, whose members are found as those of bases are
	init      *syntax.Node // default member initializer
}

func (r *record) field(name string) int {
	for i := range r.fields {
		if !r.fields[i].base && r.fields[i].name == name {
			return i
		}
	}
	return -1
}

// unlaid says why it is not known where the members of a class are, "" if it is. Nobody looks at the memory of the host's objects, so there
// a member of a type that is not known, such as a std::vector, hides no other.
func (l *lowerer) unlaid(r *record) string {
	if l.host {
		return r.reason
	}
	return cmp.Or(r.reason, r.hollow)
}

// flat reports whether values of the type can be taken apart into registers: no unions, no
// arrays of more than a few elements, no unknown members.
func (t *ctype) flat() bool {
	switch t.kind {
	case kRecord:
		if t.rec.union || t.rec.reason != "" || t.rec.hollow != "" {
			return false
		}
		for _, f := range t.rec.fields {
			if !f.t.flat() {
				return false
			}
		}
		return true
	case kArray:
		return t.len >= 0 && t.len*max(t.elem.leaves(), 1) <= maxFlatArray && t.elem.flat()
	case kVoid, kFunc, kAuto:
		return false
	}
	return true
}

// leaves is the number of scalars in a value of the type.
func (t *ctype) leaves() int64 {
	switch t.kind {
	case kRecord:
		var n int64
		for _, f := range t.rec.fields {
			n += f.t.leaves()
		}
		return n
	case kArray:
		return max(t.len, 0) * t.elem.leaves()
	}
	return 1
}

// innermost returns the element type of a nest of arrays and its dimensions.
func (t *ctype) innermost() (*ctype, []int64) {
	var dims []int64
	for t.kind == kArray {
		dims = append(dims, t.len)
		t = t.elem
	}
	return t, dims
}

var vectorBases = []struct {
	name string
	t    *ctype
}{
	{"char", tSChar}, {"uchar", tUChar}, {"short", tShort}, {"ushort", tUShort}, {"int", tInt}, {"uint", tUInt},
	{"long", tLong}, {"ulong", tULong}, {"longlong", tLLong}, {"ulonglong", tULLong}, {"float", tFloat}, {"double", tDouble},
}

// vectorTypes are CUDA's built-in vector types and dim3. Their alignments are those of the
// CUDA programming guide's table of vector types.
var vectorTypes = makeVectorTypes()

func makeVectorTypes() map[string]*ctype {
	m := map[string]*ctype{}
	for _, b := range vectorBases {
		for n := 1; n <= 4; n++ {
			name := b.name + string(rune('0'+n))
			align := b.t.size()
			if n != 3 {
				align = min(align*int64(n), 16)
			}
			m[name] = makeVector(name, b.t, n, align)
		}
	}
	m["dim3"] = makeVector("dim3", tUInt, 3, 4)
	m["half2"] = makeVector("__half2", tHalf, 2, 4)
	m["__half2"] = m["half2"]
	m["__nv_bfloat162"] = makeVector("__nv_bfloat162", tBFloat, 2, 4)
	m["nv_bfloat162"] = m["__nv_bfloat162"]
	m["cuComplex"], m["cuFloatComplex"], m["cufftComplex"] = m["float2"], m["float2"], m["float2"]
	m["cuDoubleComplex"], m["cufftDoubleComplex"] = m["double2"], m["double2"]
	return m
}

func makeVector(name string, elem *ctype, n int, align int64) *ctype {
	r := &record{name: name, vector: true, done: true, align: align}
	for i := range n {
		r.fields = append(r.fields, field{name: "xyzw"[i : i+1], t: elem})
	}
	r.layout(0)
	return recordType(r)
}
