package witness

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
)

// This file gives constants values: the host copies sizes and factors to `__constant__` variables before it launches,
// and with the zeros that these begin with no thread would come far.

// Numbers in constant memory are such parts of a natural size: one or two of them, and more, of which a product of four
// is still a number of 32 bits.
const (
	ofFew  = 4
	ofMany = 32
)

// mostOfTable is how many elements of a table hold one, the first ones.
const mostOfTable = 64

// constants are the contents of the constant variables that the source leaves at zero, where a kernel reads them by name,
// and the same as a witness tells it.
func (v *assignment) constants() (out map[int]interp.Buffer, told map[string]race.Memory) {
	c := &constantReads{buffers: map[int]interp.Buffer{}, words: map[int][]race.Word{}, pointing: map[*ir.Object]bool{}, lead: leading(v.s.Func)}
	for load := range ir.All[*ir.Load](v.s.Func.Body) {
		c.read(load)
	}
	c.choose(v)
	told = map[string]race.Memory{}
	for _, o := range v.s.Func.Objects {
		b, ok := c.buffers[o.ID]
		if !ok {
			continue
		}
		if m := holding(c.given(v, o, b.Data)); m != nil {
			told[o.Name] = *m
		}
		if c.pointing[o] { // those that nobody gives lead somewhere
			c.buffers[o.ID] = interp.Buffer{Size: o.Size, Fill: func(offset int64, data []byte) {
				if offset < int64(len(b.Data)) {
					copy(data, b.Data[offset:])
				}
			}}
		}
	}
	return c.buffers, told
}

// constantReads is what a kernel reads of constant variables, by the number of their objects.
type constantReads struct {
	buffers  map[int]interp.Buffer
	words    map[int][]race.Word
	numbers  []constantNumber    // to be chosen
	pointing map[*ir.Object]bool // that pointers are read from
	lead     map[*ir.Reg]bool
}

// constantNumber is the place of an integer.
type constantNumber struct {
	t      ir.Type
	object int
	at     int64
	again  bool // it is what stands before it, in a table
}

// read notes what a load reads, and that numbers of floating point are one.
func (c *constantReads) read(load *ir.Load) {
	if o := root(load.Ptr); load.T == ir.Ptr && o != nil {
		c.pointing[o] = true
	}
	object, at, ok := constantPlace(load.Ptr)
	n, table := load.T.Size(), int64(0)
	if !ok && load.T.IsInt() && !c.lead[load.Dst] {
		object, at, table, ok = constantTable(load.Ptr, n)
	}
	if !ok || object.Space != ir.Constant || object.Given() {
		return
	}
	if load.T == ir.Ptr || n < 1 || n > 8 || at < 0 || at+n > object.Size || at+table > object.Size {
		return
	}
	b, known := c.buffers[object.ID]
	if !known {
		b.Data = make([]byte, object.Size)
		c.buffers[object.ID] = b
	}
	for in := at; in < at+min(table, mostOfTable*n); in += n {
		if isZero(b.Data[in : in+n]) {
			c.numbers = append(c.numbers, constantNumber{load.T, object.ID, in, in > at})
			c.words[object.ID] = append(c.words[object.ID], race.Word{Offset: in, Size: n})
		}
	}
	if table == 0 && isZero(b.Data[at:at+n]) {
		var bits [8]byte
		switch load.T {
		case ir.F32:
			binary.LittleEndian.PutUint32(bits[:], math.Float32bits(1))
		case ir.F64:
			binary.LittleEndian.PutUint64(bits[:], math.Float64bits(1))
		default:
			c.numbers = append(c.numbers, constantNumber{load.T, object.ID, at, false})
		}
		copy(b.Data[at:at+n], bits[:n])
		c.words[object.ID] = append(c.words[object.ID], race.Word{Offset: at, Size: n, Float: load.T == ir.F32 || load.T == ir.F64})
	}
}

// choose gives the integers their values.
func (c *constantReads) choose(v *assignment) {
	slices.SortFunc(c.numbers, func(a, b constantNumber) int { return cmp.Or(a.object-b.object, int(a.at-b.at)) })
	c.numbers = slices.CompactFunc(c.numbers, func(a, b constantNumber) bool { return a.object == b.object && a.at == b.at })
	several := 0
	for _, p := range c.numbers {
		if !p.again {
			several++
		}
	}
	part := int64(ofFew)
	if several > 2 {
		part = ofMany
	}
	x := int64(0)
	for _, p := range c.numbers {
		if !p.again {
			x = max(v.choose()/part, 1)
		}
		for i := range p.t.Size() {
			c.buffers[p.object].Data[p.at+i] = byte(uint64(cut(x, p.t)) >> (8 * i))
		}
	}
}

// given puts the words that the launch gives a variable into its contents, and returns all words there that are not zero.
func (c *constantReads) given(v *assignment, o *ir.Object, data []byte) []race.Word {
	given := v.givenWords(o)
	for _, w := range given {
		w.Put(0, data)
	}
	for _, w := range c.words[o.ID] {
		if w.Value = wordAt(data, w); w.Value != 0 && !slices.ContainsFunc(given, func(g race.Word) bool { return g.Offset == w.Offset }) {
			given = append(given, w)
		}
	}
	slices.SortFunc(given, func(a, b race.Word) int { return int(a.Offset - b.Offset) })
	return given
}

// wordAt is the number that stands where a word does.
func wordAt(data []byte, w race.Word) int64 {
	var bits [8]byte
	copy(bits[:], data[w.Offset:w.Offset+w.Size])
	return int64(binary.LittleEndian.Uint64(bits[:]))
}

// constantPlace is the variable and the offset that an address names, if it names one.
func constantPlace(e ir.Expr) (object *ir.Object, offset int64, ok bool) {
	for {
		switch x := e.(type) {
		case *ir.ObjAddr:
			return x.Obj, offset, true
		case *ir.PtrAdd:
			c, isConst := x.Offset.(*ir.Const)
			if !isConst {
				return nil, 0, false
			}
			offset += int64(c.Bits)
			e = x.Base
		default:
			return nil, 0, false
		}
	}
}

// root is the variable that an address is made of, nil if it is made of none.
func root(e ir.Expr) *ir.Object {
	for {
		switch x := e.(type) {
		case *ir.ObjAddr:
			return x.Obj
		case *ir.PtrAdd:
			e = x.Base
		default:
			return nil
		}
	}
}

// constantTable is the variable and the array in it, of so many bytes, of which an address names an element of a size.
func constantTable(e ir.Expr, size int64) (object *ir.Object, offset, bytes int64, ok bool) {
	for {
		switch x := e.(type) {
		case *ir.ObjAddr:
			if bytes == 0 && len(x.Obj.Dims) == 1 {
				bytes = x.Obj.Size
			}
			return x.Obj, offset, bytes, bytes > 0 && bytes%size == 0
		case *ir.PtrAdd:
			c, isConst := x.Offset.(*ir.Const)
			switch {
			case isConst:
				offset += int64(c.Bits)
			case x.Last > 0 && bytes == 0:
				bytes = x.Last + size
			case bytes > 0:
				return nil, 0, 0, false
			}
			e = x.Base
		default:
			return nil, 0, 0, false
		}
	}
}

// leading are the registers that have a say in what is accessed.
func leading(f *ir.Func) map[*ir.Reg]bool {
	lead := map[*ir.Reg]bool{}
	for grown := true; grown; {
		grown = false
		add := func(all []*ir.Reg) {
			for _, r := range all {
				grown = grown || !lead[r]
				lead[r] = true
			}
		}
		ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
			if e := ir.Address(s); e != nil {
				add(ir.Registers(e))
			}
			if a, ok := s.(*ir.Atomic); ok {
				add(ir.Registers(a.Ptr))
			}
			if a, ok := s.(*ir.Assign); ok && lead[a.Dst] {
				add(ir.Registers(a.X))
			}
			return true
		})
	}
	return lead
}

func isZero(data []byte) bool {
	for _, b := range data {
		if b != 0 {
			return false
		}
	}
	return true
}
