// This file holds the integer functions that ops.txt uses (PTX ISA, "Integer Arithmetic
// Instructions" and "Extended-Precision Integer Arithmetic Instructions").

package sim

import (
	"math"
	"math/bits"
)

func sext8(x uint32) uint32  { return uint32(int32(int8(x))) }
func sext16(x uint32) uint32 { return uint32(int32(int16(x))) }
func sext24(x uint32) int64  { return int64(int32(x<<8) >> 8) }

func addSat(x, y uint32) uint32 { return clampS32(int64(int32(x)) + int64(int32(y))) }
func subSat(x, y uint32) uint32 { return clampS32(int64(int32(x)) - int64(int32(y))) }

func clampS32(v int64) uint32 {
	return uint32(int32(min(max(v, math.MinInt32), math.MaxInt32)))
}

func mulHigh(x, y uint64) uint64 {
	hi, _ := bits.Mul64(x, y)
	return hi
}

func mulHighSigned(x, y uint64) uint64 {
	return mulHigh(x, y) - uint64(int64(x)>>63)&y - uint64(int64(y)>>63)&x
}

// Division by zero is undefined in PTX; GPUs give all ones, as the remainder, too.

func divU32(x, y uint32) uint32 {
	if y == 0 {
		return math.MaxUint32
	}
	return x / y
}

func divS32(x, y uint32) uint32 {
	if y == 0 {
		return math.MaxUint32
	}
	return uint32(int32(x) / int32(y))
}

func divU64(x, y uint64) uint64 {
	if y == 0 {
		return math.MaxUint64
	}
	return x / y
}

func divS64(x, y uint64) uint64 {
	if y == 0 {
		return math.MaxUint64
	}
	return uint64(int64(x) / int64(y))
}

func remU32(x, y uint32) uint32 {
	if y == 0 {
		return math.MaxUint32
	}
	return x % y
}

func remS32(x, y uint32) uint32 {
	if y == 0 {
		return math.MaxUint32
	}
	return uint32(int32(x) % int32(y))
}

func remU64(x, y uint64) uint64 {
	if y == 0 {
		return math.MaxUint64
	}
	return x % y
}

func remS64(x, y uint64) uint64 {
	if y == 0 {
		return math.MaxUint64
	}
	return uint64(int64(x) % int64(y))
}

// shiftAmount turns a count of leading sign bits into bfind.shiftamt's result.
func shiftAmount(leading, width uint32) uint32 {
	if leading == width {
		return math.MaxUint32
	}
	return leading
}

// findNthSet is fns: the position of the n-th set bit from base, upwards for n > 0, downwards
// for n < 0.
func findNthSet(mask, base, n uint32) uint32 {
	step, count := 1, int32(n)
	if count == 0 {
		if base < 32 && mask>>base&1 != 0 {
			return base
		}
		return math.MaxUint32
	}
	if count < 0 {
		step, count = -1, -count
	}
	for at := int(int32(base)); at >= 0 && at < 32; at += step {
		if mask>>at&1 != 0 {
			if count--; count == 0 {
				return uint32(at)
			}
		}
	}
	return math.MaxUint32
}

// Bit fields: position and length are taken modulo 256, bits beyond the top read as zero or
// as the sign.

func bfe32(x, at, n uint32) uint32 {
	return x >> (at & 0xff) & (1<<(n&0xff) - 1)
}

func bfe64(x uint64, at, n uint32) uint64 {
	return x >> (at & 0xff) & (1<<(n&0xff) - 1)
}

func bfeSigned32(x, at, n uint32) uint32 {
	if n &= 0xff; n == 0 {
		return 0
	}
	v := uint32(int32(x) >> (at & 0xff))
	if n >= 32 {
		return v
	}
	return uint32(int32(v<<(32-n)) >> (32 - n))
}

func bfeSigned64(x uint64, at, n uint32) uint64 {
	if n &= 0xff; n == 0 {
		return 0
	}
	v := uint64(int64(x) >> (at & 0xff))
	if n >= 64 {
		return v
	}
	return uint64(int64(v<<(64-n)) >> (64 - n))
}

func bfi32(field, into, at, n uint32) uint32 {
	mask := (uint32(1)<<(n&0xff) - 1) << (at & 0xff)
	return into&^mask | field<<(at&0xff)&mask
}

func bfi64(field, into uint64, at, n uint32) uint64 {
	mask := (uint64(1)<<(n&0xff) - 1) << (at & 0xff)
	return into&^mask | field<<(at&0xff)&mask
}

// szext sign- or zero-extends the low n bits.
func szext(x, n uint32, signed, clamp bool) uint32 {
	if clamp {
		n = min(n, 32)
	} else {
		n &= 31
	}
	switch {
	case n == 0:
		return 0
	case n == 32:
		return x
	case signed:
		return uint32(int32(x<<(32-n)) >> (32 - n))
	}
	return x & (1<<n - 1)
}

func bmskClamp(at, n uint32) uint32 { return (1<<n - 1) << at }

func bmskWrap(at, n uint32) uint32 { return (1<<(n&31) - 1) << (at & 31) }

// dp4a adds the products of four bytes; dp2a those of two halves with two bytes.
func dp4a(x, y, sum uint32, xSigned, ySigned bool) uint32 {
	for shift := uint32(0); shift < 32; shift += 8 {
		sum += extend8(x>>shift, xSigned) * extend8(y>>shift, ySigned)
	}
	return sum
}

func dp2a(x, y, sum uint32, xSigned, ySigned bool) uint32 {
	for i := uint32(0); i < 2; i++ {
		half := x >> (16 * i) & 0xffff
		if xSigned {
			half = sext16(half)
		}
		sum += half * extend8(y>>(8*i), ySigned)
	}
	return sum
}

func extend8(x uint32, signed bool) uint32 {
	if signed {
		return sext8(x)
	}
	return x & 0xff
}

func cnot(x uint64) uint32 {
	if x == 0 {
		return 1
	}
	return 0
}

// prmt picks four of the eight bytes of y:x; bit 3 of a selector spreads the byte's sign.
func prmt(x, y, selectors uint32) uint32 {
	pool := uint64(y)<<32 | uint64(x)
	var r uint32
	for i := uint32(0); i < 32; i += 8 {
		s := selectors >> (i / 2)
		b := uint32(pool>>(8*(s&7))) & 0xff
		if s&8 != 0 {
			b = uint32(int32(int8(b))>>7) & 0xff
		}
		r |= b << i
	}
	return r
}

// lop3 evaluates a truth table of three inputs.
func lop3(x, y, z, table uint32) uint32 {
	var r uint32
	for i := range uint32(8) {
		if table>>i&1 != 0 {
			r |= (x ^ (i>>2&1 - 1)) & (y ^ (i>>1&1 - 1)) & (z ^ (i&1 - 1))
		}
	}
	return r
}

func select32(x, y uint32, p bool) uint32 {
	if p {
		return x
	}
	return y
}

func select64(x, y uint64, p bool) uint64 {
	if p {
		return x
	}
	return y
}
