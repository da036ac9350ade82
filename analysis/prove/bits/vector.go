package bits

// This file computes with whole numbers of any width. A number is a vector of literals in two's
// complement, the least bit first and the sign last; each operation makes its result as wide as it
// needs to be, so none overflows.

type vector []lit

// maxWidth bounds the bits of a number: products of more parameters than an index has are refused.
const maxWidth = 160

// trim drops bits that repeat the sign.
func trim(v vector) vector {
	n := len(v)
	for n > 1 && v[n-1] == v[n-2] {
		n--
	}
	return v[:n:n]
}

func (v vector) sign() lit { return v[len(v)-1] }

// at is a bit of the number written with as many bits as one likes.
func (v vector) at(i int) lit { return v[min(i, len(v)-1)] }

func (g *gates) number(c int64) vector {
	v := g.vector(64)
	for i := range v {
		v[i] = g.constant(c>>i&1 != 0)
	}
	return trim(v)
}

// asNumber returns the number that a vector of constants is.
func (g *gates) asNumber(v vector) (c int64, ok bool) {
	if len(v) > 64 {
		return 0, false
	}
	for i := range 64 {
		switch v.at(i) {
		case g.yes:
			c |= 1 << i
		case g.no:
		default:
			return 0, false
		}
	}
	return c, true
}

// sum is a + b + carry.
func (g *gates) sum(a, b vector, carry lit) vector {
	n := max(len(a), len(b)) + 1
	out := g.vector(n)
	for i := range out {
		x, y := a.at(i), b.at(i)
		out[i] = g.xor(g.xor(x, y), carry)
		carry = g.majority(x, y, carry)
	}
	return trim(out)
}

func (g *gates) add(a, b vector) vector { return g.sum(a, b, g.no) }
func (g *gates) sub(a, b vector) vector { return g.sum(a, g.inverse(b), g.yes) }
func (g *gates) negate(a vector) vector { return g.sub(vector{g.no}, a) }

func (g *gates) inverse(a vector) vector {
	out := g.vector(len(a))
	for i := range a {
		out[i] = a[i].Not()
	}
	return out
}

func (g *gates) shiftLeft(a vector, by int) vector {
	if len(a) == 1 && a[0] == g.no {
		return a
	}
	out := g.vector(len(a) + by)[:0]
	for range by {
		out = append(out, g.no)
	}
	return append(out, a...)
}

// shiftRight is a divided by 2^by, rounded down.
func (g *gates) shiftRight(a vector, by int) vector {
	return trim(a[min(by, len(a)-1):])
}

// low is a modulo 2^n, which is not negative.
func (g *gates) low(a vector, n int) vector {
	out := g.vector(n + 1)
	for i := range n {
		out[i] = a.at(i)
	}
	out[n] = g.no
	return trim(out)
}

// lowSigned is a modulo 2^n, between -2^(n-1) and 2^(n-1).
func (g *gates) lowSigned(a vector, n int) vector {
	out := g.vector(n)
	for i := range out {
		out[i] = a.at(i)
	}
	return trim(out)
}

// times is a·b.
func (g *gates) times(a, b vector) vector {
	if g.weight(a) < g.weight(b) {
		a, b = b, a
	}
	if c, ok := g.asNumber(b); ok {
		return g.scale(c, a)
	}
	total := vector{g.no}
	for i, bit := range b {
		if bit == g.no {
			continue
		}
		row := g.shiftLeft(g.masked(bit, a), i)
		if i == len(b)-1 { // the sign counts negatively
			total = g.sub(total, row)
		} else {
			total = g.add(total, row)
		}
		if g.full() {
			break
		}
	}
	return total
}

// weight is the number of bits that are not known to be 0.
func (g *gates) weight(a vector) int {
	n := 0
	for _, x := range a {
		n += index(x != g.no)
	}
	return n
}

func (g *gates) masked(bit lit, a vector) vector {
	out := g.vector(len(a))
	for i := range a {
		out[i] = g.and(bit, a[i])
	}
	return trim(out)
}

// scale is c·a, by the digits -1, 0 and 1 of c of which the fewest are not 0.
func (g *gates) scale(c int64, a vector) vector {
	n := uint64(c)
	if c < 0 {
		n = -n
	}
	total := vector{g.no}
	for i := 0; n != 0; i++ {
		if n&1 != 0 {
			row := g.shiftLeft(a, i)
			if n&3 == 3 {
				total = g.sub(total, row)
				n++
			} else {
				total = g.add(total, row)
				n--
			}
		}
		if n == 0 { // 2^64 - 1 was rounded up to 2^64
			break
		}
		n >>= 1
	}
	if c < 0 {
		return g.negate(total)
	}
	return total
}

// choose is c ? a : b.
func (g *gates) choose(c lit, a, b vector) vector {
	out := g.vector(max(len(a), len(b)))
	for i := range out {
		out[i] = g.mux(c, a.at(i), b.at(i))
	}
	return trim(out)
}

// bitwise applies a gate to each pair of bits.
func (g *gates) bitwise(f func(a, b lit) lit, a, b vector) vector {
	out := g.vector(max(len(a), len(b)))
	for i := range out {
		out[i] = f(a.at(i), b.at(i))
	}
	return trim(out)
}

// equals is a = b.
func (g *gates) equals(a, b vector) lit {
	all := g.yes
	for i := range max(len(a), len(b)) {
		all = g.and(all, g.equal(a.at(i), b.at(i)))
	}
	return all
}

// atMost is a ≤ b.
func (g *gates) atMost(a, b vector) lit {
	le := g.yes
	n := max(len(a), len(b))
	for i := range n {
		x, y := a.at(i), b.at(i)
		if i == n-1 {
			x, y = y, x // of two numbers of different signs the negative one is less
		}
		le = g.mux(g.xor(x, y), y, le)
	}
	return le
}

// shifted is a shifted to the left by a number of places from 0 to 2^steps - 1; with right set, to
// the right.
func (g *gates) shifted(a, by vector, steps int, right bool) vector {
	for i := range steps {
		if by.at(i) == g.no {
			continue
		}
		if right {
			a = g.choose(by.at(i), g.shiftRight(a, 1<<i), a)
		} else {
			a = g.choose(by.at(i), g.shiftLeft(a, 1<<i), a)
		}
	}
	return a
}

// atMostOneBit says that no two bits of a number that is not negative are set.
func (g *gates) atMostOneBit(a vector) lit {
	seen, good := g.no, g.yes
	for _, x := range a {
		good = g.and(good, g.and(seen, x).Not())
		seen = g.or(seen, x)
	}
	return good
}
