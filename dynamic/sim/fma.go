// This file executes fma.rn.f32 and mad.rn.f32, the most frequent floating-point instruction,
// with the frequent case of fma32 in the loop: Go does not inline a function of its size.

package sim

import (
	"math"
	"math/bits"
)

// plainSingle reports whether a double can simply be rounded to single precision: it is no NaN, its
// exponent is that of a normal number, and it does not lie in the middle between two singles, where
// it may only seem to be because it was rounded before.
func plainSingle(s float64) bool {
	b := math.Float64bits(s)
	return b<<1>>53-897 < 2047-897 && b<<35 != 1<<63
}

func runFmaRnF32(w *warp, in *instr, m uint32) {
	a, b, c := floats32(w.source32(in.a)), floats32(w.source32(in.b)), floats32(w.source32(in.c))
	d := floats32(w.target32(in.d))
	if m == fullMask {
		for i := range 32 {
			s := float64(a[i])*float64(b[i]) + float64(c[i])
			if plainSingle(s) {
				d[i] = float32(s)
			} else {
				d[i] = quiet32(fma32Exact(a[i], b[i], c[i]))
			}
		}
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		d[i] = quiet32(fma32(a[i], b[i], c[i]))
	}
}
