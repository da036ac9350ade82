// This file says how the lanes of a warp hold a matrix between them, and multiplies such matrices (PTX ISA, "Warp Level
// Matrix Multiply-Accumulate Instructions").

package sim

import (
	"math"

	"github.com/warplint/warplint/dynamic/ptx"
)

// maxTile is the number of elements of the largest matrix that a warp holds, but for those of parts of bytes.
const maxTile = 512

// fragment is a matrix that a warp holds in its registers.
type fragment struct {
	ty            ptx.Type
	rows, columns int
	regs          []ref
	// place says where the n-th element of a lane's registers stands in the matrix, counted row by row. An element may be
	// held more than once.
	place [32][]uint16
}

// perRegister is how many elements a register has: those of 64 bits have one.
func perRegister(ty ptx.Type) int {
	switch ty {
	case ptx.B1:
		return 32
	case ptx.S4, ptx.U4:
		return 8
	}
	return max(4/ty.Size(), 1)
}

func elementBits(ty ptx.Type) int {
	if ty == ptx.F64 {
		return 64
	}
	return 32 / perRegister(ty)
}

// newFragment makes one from the row and the column of each lane's n-th element.
func newFragment(ty ptx.Type, rows, columns int, regs []ref, at func(lane, n int) (row, column int)) *fragment {
	f := &fragment{ty: ty, rows: rows, columns: columns, regs: regs}
	for lane := range f.place {
		for n := range len(regs) * perRegister(ty) {
			row, column := at(lane, n)
			f.place[lane] = append(f.place[lane], uint16(row*columns+column))
		}
	}
	return f
}

// Lanes hold the factors of mma in tiles of eight rows or columns, a lane's neighbours in one register, and sums in pairs.

func leftTile(ty ptx.Type, rows int) func(lane, n int) (row, column int) {
	e := perRegister(ty)
	return func(lane, n int) (int, int) {
		tile := n / e
		return lane/4 + 8*(tile%(rows/8)), lane%4*e + n%e + 4*e*(tile/(rows/8))
	}
}

func rightTile(ty ptx.Type) func(lane, n int) (row, column int) {
	e := perRegister(ty)
	return func(lane, n int) (int, int) { return lane%4*e + n%e + 4*e*(n/e), lane / 4 }
}

func sumTile(rows int) func(lane, n int) (row, column int) {
	return func(lane, n int) (int, int) {
		tile := n / 2
		return lane/4 + 8*(tile%(rows/8)), lane%4*2 + n%2 + 8*(tile/(rows/8))
	}
}

// inOrder is how lanes hold the factors of wmma, which PTX leaves open: each has a run of them as they lie in memory,
// again and again if its registers have room for more.
func inOrder(rows, columns int, byColumns bool) func(lane, n int) (row, column int) {
	own := rows * columns / 32
	return func(lane, n int) (int, int) {
		at := lane*own + n%own
		if byColumns {
			return at % rows, at / rows
		}
		return at / columns, at % columns
	}
}

// tile is a matrix row by row. Double precision holds the numbers of all types but itself exactly, and the products of two.
type tile []float64

// gather makes the tile, in the room if that is large enough.
func (f *fragment) gather(w *warp, room *[maxTile]float64) tile {
	to := tile(room[:])
	if n := f.rows * f.columns; n > maxTile {
		to = make(tile, n)
	}
	e := perRegister(f.ty)
	for r, reg := range f.regs {
		if f.ty == ptx.F64 {
			for lane, bits := range w.source64(reg) {
				to[f.place[lane][r]] = math.Float64frombits(bits)
			}
			continue
		}
		for lane, bits := range w.source32(reg) {
			for n := range e {
				to[f.place[lane][r*e+n]] = elementOf(f.ty, bits>>(n*32/e))
			}
		}
	}
	return to
}

func elementOf(ty ptx.Type, bits uint32) float64 {
	switch ty {
	case ptx.F16:
		return float64(half(uint16(bits)))
	case ptx.BF16:
		return float64(bfloat(uint16(bits)))
	case ptx.TF32:
		return float64(math.Float32frombits(bits &^ (1<<13 - 1)))
	case ptx.F32:
		return float64(math.Float32frombits(bits))
	case ptx.S8:
		return float64(int8(bits))
	case ptx.U8:
		return float64(uint8(bits))
	case ptx.E4M3:
		return e4m3.value(uint8(bits))
	case ptx.E5M2:
		return e5m2.value(uint8(bits))
	case ptx.S4:
		return float64(int32(bits<<28) >> 28)
	case ptx.U4:
		return float64(bits & 15)
	case ptx.B1:
		return float64(bits & 1)
	}
	return float64(int32(bits))
}

func (f *fragment) scatter(w *warp, from tile, saturate bool) {
	e := perRegister(f.ty)
	for r, reg := range f.regs {
		if f.ty == ptx.F64 {
			d := w.target64(reg)
			for lane := range d {
				d[lane] = math.Float64bits(from[f.place[lane][r]])
			}
			continue
		}
		d := w.target32(reg)
		for lane := range d {
			var bits uint32
			for n := range e {
				bits |= bitsOfElement(f.ty, from[f.place[lane][r*e+n]], saturate) << (n * 32 / e)
			}
			d[lane] = bits
		}
	}
}

func bitsOfElement(ty ptx.Type, v float64, saturate bool) uint32 {
	switch {
	case ty == ptx.F16:
		return uint32(roundHalf(v, nearestEven))
	case ty == ptx.F32 && v != v:
		return 0x7fffffff
	case ty == ptx.F32:
		return math.Float32bits(float32(v))
	case saturate:
		return uint32(int32(max(math.MinInt32, min(math.MaxInt32, v))))
	}
	return uint32(int64(v))
}

// product is d = a*b + c.
type product struct {
	a, b, c, d *fragment
	saturate   bool
	differ     bool // of bits: counts where they differ, not where both are set
}

// runProduct multiplies. Sums of single and half precision are rounded once, at the end, where a GPU rounds on the way
// as its architecture pleases.
func runProduct(w *warp, in *instr, m uint32) {
	p := in.x.(*product)
	var rooms [3][maxTile]float64
	a, b, c := p.a.gather(w, &rooms[0]), p.b.gather(w, &rooms[1]), p.c.gather(w, &rooms[2])
	inner, columns := p.a.columns, p.b.columns
	for i := range p.a.rows {
		sums := c[i*columns:][:columns]
		for k := range inner {
			x, row := a[i*inner+k], b[k*columns:][:columns]
			if p.d.ty == ptx.F64 {
				for j, y := range row {
					sums[j] = math.FMA(x, y, sums[j])
				}
				continue
			}
			for j, y := range row {
				sums[j] += x * y
			}
			if p.differ {
				for j, y := range row {
					sums[j] += x + y - 3*x*y
				}
			}
		}
	}
	p.d.scatter(w, c, p.saturate)
}
